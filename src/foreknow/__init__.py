"""Foreknow: a prediction-market service that anyone can run.

Its layers, from top to bottom. A package imports from its own layer and those below; each layer's docstring says what
belongs there, and `[tool.importlinter]` in pyproject.toml keeps the order.

    commands  what an operator types
    service   the running process
    site      what people read and say beside trading
    trading   orders, positions, payment
    market    what is traded
    people    who trades and who is notified
    web       HTTP, without any feature
    money     the ledger and prices
    platform  the database, background jobs, requests to other sites
    kernel    callers, checks of input, caches, settings, logs, small tools
"""

__version__ = "0.1.0"
