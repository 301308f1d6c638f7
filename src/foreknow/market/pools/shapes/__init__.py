"""Shapes of a pool's outcomes (`metadata.shape`; baskets.md, "Shapes"): a file and a class for each kind.

A class says how its JSON is read and described, how many markets it makes, what they are called where no names were
sent, and which of them holds a value. What a pool shows of its shape stands in `market/pools/shape_view.py`.

family        the kinds, and the reading of any of them
base          what they share
number        ranges of a number
date          ranges of time
list          names that more are added to
joint         several questions, every combination of their answers
beside_rules  a number whose edges are those of a price rule
"""
