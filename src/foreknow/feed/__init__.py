"""The feed: every trade of every process to every socket, once, in one order.

The order. On SQLite one transaction writes at a time, so trades become visible in the order of their ids: a trade's
`seq` is its id. On PostgreSQL ids can commit late, so one process at a time, the leader, numbers trades once they are
visible to it, those it sees together by their ids (`numbering`); all processes read the trades by these numbers.

Why that agrees with each pool's order and with real time: a trade's id is drawn while the lock of its pool is held,
and the lock is held until the commit. So of two trades in one pool the earlier one has the lower id and was committed
before the other one's id was even drawn; and a trade sent after another one's answer has a higher id than that one,
which was committed before the answer. In both cases whoever sees the later trade sees the earlier one, too: the
earlier one is numbered before it, or together with it, by id. Only trades that were under way at the same moment, in
different pools, can be numbered against the order of their ids.

    messages   what a trade looks like on the wire
    store      reading trades in their order
    numbering  PostgreSQL: giving trades their numbers, gaps and late commits included
    leader     PostgreSQL: who numbers, by lease; wake-ups between the processes
    signals    PostgreSQL: LISTEN and NOTIFY
    gaps       PostgreSQL: ids that are missing among the trades seen so far
    copied     the order in a database that was copied from another
    hub        reads new trades and hands them to the sockets
    backlog    the messages that sockets still have to be sent, once for all of them
    reader     one socket, and what happens to it when it cannot keep up
    pace       when to work: at news, not too often, and now and then without any
"""

from foreknow.feed.hub import FeedHub

__all__ = ["FeedHub"]
