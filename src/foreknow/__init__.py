"""Foreknow: a prediction-market service that anyone can run.

The packages by layer, from the top; imports only point downward (`[tool.importlinter]` in pyproject.toml):

    cli                        the command line
    worker_processes           several processes on one address, supervised and replaced
    server, serving            uvicorn with limits and timeouts, and its shutdown
    app                        the composition root: creates every part and passes it what it needs
    copying                    copies the database into another one, and verifies the copy
    tables                     all tables in one import, for migrations
    audit, replay              verifies the ledger from its rows; replays real markets through the public API
    metrics                    metrics of this process, for Prometheus
    chat                       support chat: visitors, operators, live updates
    admin, portfolio, feed     endpoints of admins; a trader's own positions and trades; all trades, live, in one order
    trading, settlement        orders, the desk, quotes; resolving, cancelling, paying out
    comments, images           comments on events; cover images in object storage
    events, partner, assets    events and their lists; partners' keys, floats, users; asset prices, currency rates
    positions                  positions and their value
    pools                      pools, their locks and prices
    markets, charts            markets (outcomes); charts, written with each trade
    statements, notifications  partners' statement lines and people's notifications, written with their cause
    admin_log, alerts          the permanent log of admins' actions; alerts to the support team, through an outbox
    jobs                       leases and worker loops of background jobs
    oauth                      sign-in through OpenID Connect providers
    users                      accounts, sessions, tokens
    web                        HTTP: endpoints, the pipeline of checks, strict decoding, limits, the API page
    ledger, stats              the only package that moves money; daily statistics, counted as they happen
    db                         engine, transactions, migrations: the only package that commits (besides `copying`)
    settings, logging          settings from the environment; log lines without secrets
    pricing                    the exact LMSR, pure
    access, validation         callers and roles; checks of input
    kernel                     units, time, errors, text, cursors
"""

__version__ = "0.1.0"
