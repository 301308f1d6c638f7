"""The trade desk: orders, executed in batches, one commit each. It knows no kind of order by name (`kinds`).

basket_schemas         what is kept of a basket's answer
tables                 trades and their legs
desk                   the queue of orders
batch                  one batch in one transaction
held_orders            orders of pools locked elsewhere
needs                  what orders need locked and read
locks                  locks and reads it
state                  what was locked and read
resting_reads          what is read of resting orders
kept_rows              rows that the next batch need not read again, on SQLite
ahead                  what is read ahead, so that nothing need be read to write
id_cache               ids that never change, and who was counted when
orders                 what every order says, and what becomes of it
kind                   what the desk asks of an order of any kind
kinds                  the kinds of orders, a class each
checks                 what refuses any order and any quote
priced                 the price of an order in one market
floor                  what orders act on, and what several kinds do there
processor              executes the orders of a batch, in memory
fills                  what it does to orders that rest
resting                the orders that rest in a pool: the book, with the rows behind it
made                   the pools, trades and baskets of a batch before they are written
finishing              does what a trader's order waits for
sweeps                 sweeps beside the desk's orders
store                  what a batch writes
basket_store           what it writes of baskets; their answers as they were given
"""
