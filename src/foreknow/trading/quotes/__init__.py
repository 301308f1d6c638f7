"""Quotes and order books: what an order would meet.

quotes       prices an order that is not placed
routes       what the quotes of users and of partners share
book_routes  the order book of a market
"""
