"""Rules that resolve a pool (`metadata.resolution`; lifecycle.md, "Resolution"): a file and a class for each kind.

A class says how its JSON is read and described, what responses show of it, and what it needs of its pool and event.
What is done by a rule once its pool is over stands in `trading/resolution`.

family    the kinds, and the reading of any of them
base      what they share
manual    a person resolves the pool
price     an asset's price does
external  the result of an event elsewhere does
"""
