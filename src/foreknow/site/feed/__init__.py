"""The feed: sends every trade of every process to every socket, once, in one order.

On SQLite one transaction writes at a time, so trades become visible in the order of their ids: a trade's `seq` is its
id. On PostgreSQL ids may commit out of order, so one process, the leader, numbers trades as they become visible, those
that become visible together by id (`sequencer`); all processes read trades by these numbers.

This agrees with each pool's order and with real time: a trade's id is drawn under the lock of its pool, which is held
until the commit. So of two trades in one pool, the earlier one has the lower id and committed before the other's id was
drawn; and a trade sent after another's response has a higher id than that one, which committed before the response. In
both cases, where the later trade is visible, so is the earlier one, which is numbered before it or together with it, by
id. Only concurrent trades in different pools can be numbered against the order of their ids.

    messages       JSON of the messages
    frames         messages as WebSocket frames
    socket         the endpoint: handshake, then the hub
    store          reads trades in order
    sequencer      PostgreSQL: numbers trades, with gaps and late commits, in a copied database, too
    leader         PostgreSQL: election of the leader by lease; wake-ups between processes
    gaps           PostgreSQL: missing ids among the trades seen so far
    hub            reads new trades and hands them to the sockets
    backlog        the messages still to be sent, shared by all sockets
    peer           one socket, its end, and writing to thousands of them
"""

from foreknow.site.feed.hub import FeedHub

__all__ = ["FeedHub"]
