"""Resolving pools by their rules, and noticing what waits for a person.

service   the worker: a pool's end, its rule's result, the end of its dispute window
store     pools that wait for a price
"""
