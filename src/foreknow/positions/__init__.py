"""Positions: what a trader holds of one side of one market, and what came of it.

holding  `OpenPosition`: how bets, sales and settlements change a position (decisions.md, "Pricing")
store    its rows, read and written in bulk by those who trade and settle
valuing  what open positions are worth now

What traders see of them stands in `portfolio`.
"""
