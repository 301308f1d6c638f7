"""Trading: orders, the trade desk, quotes.

routes                 orders and quotes of users
partner_routes         the same of partners
order_routes           limit orders of users
partner_order_routes   the same of partners
partner_order_schemas  their bodies
order_requests         what both share
order_fills            the fills of a limit order
basket_routes          baskets of users: orders on several markets of a pool at one price
partner_basket_routes  the same of partners
basket_schemas         their bodies
basket_requests        what both share
book_routes            the order book of a market
quote_routes           what the quotes of users and of partners share
desk                   the queue of orders
batch                  one batch in one transaction
held_orders            orders of pools locked elsewhere
locks                  what a batch locks and reads
state                  what it has locked and read
resting_reads          what it reads of resting orders
kept_rows              rows that the next batch need not read again, on SQLite
id_cache               ids that never change, and who was counted when
processor              executes the orders of a batch, in memory
arrivals               what an order does on arrival
fills                  what it does to orders that rest
resting                the orders that rest in a pool: the book, with the rows behind it
sweeps                 sweeps beside the desk's orders
store                  what a batch writes
baskets                executes baskets, in memory
basket_reads           what a batch reads for them
basket_store           what it writes of them; their answers as they were given
basket_pricing         prices a basket; pure
traded_legs            what trades did in each market, in SQL
execution              prices an order; pure
quotes                 prices an order that is not placed
history                past trades of an event, a market, a trader
history_routes         their endpoints
trader_trades          which trades are a trader's
orders                 orders and fills
results                results of orders within a batch
"""
