"""Order entry: what users and partners send to place an order, and what they are answered. The desk executes it.

voices           a user's and a partner's: who trades, whose orders and money, the words for a side
routes           what all endpoints of orders share
bet_routes       bets, sales, and quotes of both
bet_schemas      their bodies
order_routes     limit orders
order_schemas    their bodies
order_requests   what a body of theirs says, and cancelling
order_facts      orders and their fills as answers show them
basket_routes    baskets: orders on several markets of a pool at one price
basket_schemas   their bodies
basket_requests  what a body of theirs says, and what it would get now
"""
