"""Foreknow: a prediction-market service that anyone can run.

Packages and modules, roughly from the top layer down; the layers stand in pyproject.toml (`[tool.importlinter]`):

    cli                        the command line
    worker_processes           several processes on one address, supervised and replaced
    server, serving            uvicorn with limits and timeouts, and its shutdown
    app                        the ASGI application: creates every part and passes it what it needs
    services, front            what runs while the service serves; what requests reach
    copying                    copies the database into another one, and verifies the copy
    replay                     replays real markets through the public API
    audit                      verifies the books from the rows alone
    metrics                    metrics of this process, for Prometheus
    tables                     all tables in one import, for migrations
    chat                       support chat: visitors, operators, live updates
    feed                       all trades, live, in one order
    portfolio, admin           a trader's positions and PnL; endpoints of admins
    comments, images           comments on events; cover images in object storage
    trading, settlement        orders, the desk, quotes; resolving, cancelling, paying out
    series                     events that recur
    events, pools, markets     events and their lists; pools, their locks and prices; outcomes
    charts, positions          charts, written with each trade; positions and their value
    partner, assets            partners' keys, floats and users; prices of assets, currency rates
    oauth                      sign-in through OpenID Connect providers
    statements, notifications  partners' statement lines, users' notifications, written with their cause
    alerts, attention          alerts to the support team, through an outbox; what waits for a person
    admin_log                  the permanent log of admins' actions
    users                      accounts, sessions, tokens
    web                        HTTP: endpoints, the pipeline of checks, strict decoding, limits, the API page
    ledger                     accounts and transfers: the only package that moves money
    jobs, stats                leases and worker loops of background jobs; daily statistics
    db                         engine, transactions, migrations: the only package that commits, besides `copying`
    settings, logging          settings from the environment; log lines without secrets
    access, validation         callers and roles; checks of input
    cache                      bounded and expiring caches, shared calls
    pricing                    the exact LMSR, pure
    kernel                     units, time, errors, text, cursors
"""

__version__ = "0.1.0"
