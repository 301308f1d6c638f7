"""Past trades.

schemas        their bodies
routes         their endpoints
trades         past trades of an event, a market, a trader
trader_trades  which trades are a trader's
traded_legs    what trades did in each market, in SQL
"""
