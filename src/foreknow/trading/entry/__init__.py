"""Order entry: what users and partners send to place an order, and what they are answered. The desk executes it.

routes          what all endpoints of orders share; a user's voice and a partner's: whose orders and money, words
book_routes     the order book of a market
bet_routes      bets, sales, and quotes of both
bet_schemas     their bodies
order_routes    limit orders
order_schemas   their bodies
order_requests  what a body of theirs says, cancelling, and orders as answers show them
basket_routes   baskets: orders on several markets of a pool at one price
basket_schemas  their bodies
"""
