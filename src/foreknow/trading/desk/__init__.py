"""The trade desk: orders, executed in batches, one commit each. It knows no kind of order by name (`kinds`).

tables         trades and their legs
desk           executes what waits
order_queue    what waits, and whose orders leave where it is too much
queue_bound    how many may wait
batch          one batch in one transaction
locks          locks and reads it
state          what orders need locked and read, and what was
resting_reads  what is read of resting orders
ahead          what is read ahead, or on SQLite kept from the batch before, so that nothing need be read again
id_cache       ids that never change, and who was counted when
orders         what every order says, and what becomes of it
kinds          the kinds of orders, a class each
checks         what refuses any order and any quote; the price of an order in one market
floor          what orders act on, what several kinds do there, and what the desk asks of an order of any kind
processor      executes the orders of a batch, in memory
fills          what it does to orders that rest
resting        the orders that rest in a pool: the book, with the rows behind it
made           the pools, trades and baskets of a batch before they are written
finishing      does what a trader's order waits for
sweeps         sweeps beside the desk's orders
store          what a batch writes
basket_store   what it writes of baskets; their answers as they were given
"""
