"""Orders, positions and payment: the desk, settlement and what resolves pools, odds from outside, partners, the house.

Imports: the market and every layer below.
"""
