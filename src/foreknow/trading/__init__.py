"""Orders, positions and payment: order entry, the desk, the book, quotes, past trades, settlement and what resolves
pools, odds, partners, the house.

Imports: the market and every layer below.
"""
