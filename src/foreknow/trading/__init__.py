"""Orders, positions and payment: the desk, the book, settlement and what resolves pools, odds, partners, the house.

Imports: the market and every layer below.
"""
