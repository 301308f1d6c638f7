"""The trade desk: orders, executed in batches, one commit each.

schemas                bodies of orders and their receipts
basket_schemas         the same of baskets
tables                 trades and their legs
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
turns                  whose positions are to be turned before their orders
finishing              does that, and whatever else a trader's order waits for
sweeps                 sweeps beside the desk's orders
store                  what a batch writes
baskets                executes baskets, in memory
basket_reads           what a batch reads for them
basket_store           what it writes of them; their answers as they were given
basket_pricing         prices a basket; pure
execution              prices an order; pure
orders                 orders and fills
results                results of orders within a batch
"""
