"""Resolving pools by their rules, and noticing what waits for a person.

service   the worker: a pool's end, its rule's result, the end of its dispute window
by_price  the result that an observation of a price gives
by_event  the result that an event elsewhere gives
waiting   notices and entries for people
store     pools that wait for a price
"""
