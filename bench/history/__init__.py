"""A long history made in minutes: rows that the service could have written, exact by construction.

Some hundred pools are traded and settled with the service's own prices, positions and charts (`templates`), then
stamped out thousands of times with other ids, times and traders (`cohorts`, whose trades interleave as they would have
in life). Money, statements, profits and statistics are kept along the way (`books`), so that `foreknow audit` finds
nothing wrong. Memory does not grow with the trades: a cohort is written before the next one begins.

    plan       how much of what
    templates  pools that were really traded
    books      balances, profits and days, as they run on
    people     users, partners, sub-accounts, sessions
    cohorts    events, pools, trades, settlements
    talk       comments, reactions, chats
    counted    what `foreknow.site.activity` keeps of it
    sinks      writing rows in bulk, SQLite and PostgreSQL
"""
