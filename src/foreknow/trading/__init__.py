"""Trading: orders, the trade desk, quotes.

routes     orders and quotes of users        partner_routes  the same of partners
desk       the queue of orders               batch           one batch in one transaction
held       orders of pools locked elsewhere
locks      what a batch locks and reads      store           what a batch writes
execution  prices an order; pure             quotes          prices an order that is not placed
orders     orders and fills                  results         results of orders within a batch
"""
