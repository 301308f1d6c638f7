"""Foreknow: a prediction-market service that anyone can run.

The map of the house, from the top floor down; imports only run downward (`[tool.importlinter]` in pyproject.toml):

    cli                        the command line
    workers                    several processes on one address, watched and replaced
    server                     uvicorn as this house runs it, and how it stops
    app                        the composition root: every part is made here once and handed what it needs
    copying                    the whole into another database, and proof that both are the same
    tables                     all tables in one import, for migrations
    audit, replay              proof of the books from the rows alone; real markets driven through the public interface
    metrics                    what goes on in this process, for Prometheus
    chat                       support: visitors, operators, answers as they come
    admin, portfolio, feed     what admins do; what traders see of theirs; every trade to every socket, in one order
    trading, settlement        orders, the desk, quotes; resolving, cancelling, paying
    comments, images           what people say of events; their cover images, in object storage
    events, partner, assets    events' life and lists; partners' keys, floats, users; prices of assets, rates
    positions                  what traders hold, and what it is worth
    pools                      one question each, its locks and prices
    markets, charts            one outcome each; charts written with the trade
    statements, notifications  what partners and people are told of a movement, with it
    admin_log, alerts          what admins did, for good; what the support team is told, through an outbox
    oauth                      signing in through OpenID Connect providers
    users                      accounts, sessions, tokens
    web                        HTTP: endpoints, the order of checks, strict decoding, limits, the API page
    ledger, stats              the only place where money moves; the day's figures, counted as they happen
    db                         engine, transactions, migrations: the only place that commits (but `copying`)
    settings, logging          what an operator may set; one line an occurrence, no secret in it
    pricing                    the exact LMSR, pure
    kernel                     units, time, refusals, text, pages
"""

__version__ = "0.1.0"
