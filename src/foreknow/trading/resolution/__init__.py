"""Resolving pools by their rules, and noticing what waits for a person.

service   the worker: a pool's end, its rule's result
overdue   the worker that calls a person where no one has given the result
store     pools that wait for a price
"""
