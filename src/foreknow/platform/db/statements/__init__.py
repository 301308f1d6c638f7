"""How statements reach either database: by the driver itself, with one cache of what SQLAlchemy has compiled.

driver          statements run by the driver itself
dialects        SQLAlchemy's dialects, with one cache of compiled statements
row_locks       locks of a batch of orders, in one exchange
written_tables  which tables a connection to the SQLite file has written
"""
