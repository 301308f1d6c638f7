"""Trading: orders, the trade desk, quotes.

routes          orders and quotes of users
partner_routes  the same of partners
quote_routes    what the quotes of users and of partners share
desk            the queue of orders
batch           one batch in one transaction
held_orders     orders of pools locked elsewhere
locks           what a batch locks and reads
kept_rows       rows that the next batch need not read again, on SQLite
id_cache        ids that never change, and who was counted when
store           what a batch writes
execution       prices an order; pure
quotes          prices an order that is not placed
history         past trades of an event, a market, a trader
history_routes  their endpoints
trader_trades   which trades are a trader's
orders          orders and fills
results         results of orders within a batch
"""
