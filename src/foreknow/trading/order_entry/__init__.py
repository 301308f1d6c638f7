"""Order entry: what users and partners send to place an order, and what they are answered. The desk executes it.

routes                 orders and quotes of users
partner_routes         the same of partners
order_routes           limit orders of users
partner_order_routes   the same of partners
partner_order_schemas  their bodies
order_requests         what both share
order_fills            the fills of a limit order
basket_routes          baskets of users: orders on several markets of a pool at one price
partner_basket_routes  the same of partners
basket_requests        what both share
"""
