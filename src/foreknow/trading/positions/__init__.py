"""Positions: the shares a trader holds of one side of one market, and their profit.

position   how bets, sales and settlements change a position (decisions.md, "Pricing")
store      rows, read and written in bulk
valuation  the current value of open positions
"""
