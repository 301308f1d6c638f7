"""PostgreSQL through asyncpg.

database     the transactions, and commits that the synchronous standby lacks
connections  connections that detect a dead server
pulse        ends the connections of a server that hangs
replica      a streaming standby, and how far it has come
"""
