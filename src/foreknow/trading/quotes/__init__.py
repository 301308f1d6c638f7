"""Quotes and order books: what an order would meet.

quotes       prices an order that is not placed
book_routes  the order book of a market
"""
