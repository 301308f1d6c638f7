"""Past trades.

schemas        their bodies
routes         their endpoints
trades         past trades of an event, a market, a trader; in SQL, what they did in each market
trader_trades  which trades are a trader's
"""
