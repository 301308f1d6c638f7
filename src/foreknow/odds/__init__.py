"""Odds from outside: prices of an event elsewhere, which our pools follow, and its final result.

source_event  the event of a source, in one form for all
sources       one class a source: its request, and its JSON
matching      which outcome there is which outcome here
following     whether a round's prices may be followed
house_trades  what the house account trades to move a pool to the source's prices
"""
