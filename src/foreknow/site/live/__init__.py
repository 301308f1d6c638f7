"""Live updates: `/ws/live` sends each socket the prices, states and trades of the events that it watches.

All messages are absolute, so nothing has to be repeated after a loss: a client that connects again watches again.

Sockets that watch the same events form a group. One worker reads what may have changed, encodes each message once, and
joins a group's messages once for all of its sockets. It reads

- the events of pools that this process traded in or repriced, and of trades of any process (the feed's order);
- after every other commit of this process, and twice a second for those of others, a row for each watched event and
  pool, and prices only of those whose row has changed;
- events whose state changes with time: the end of trading, of a dispute window.

    messages  the messages as JSON, and as frames
    store     reads states and trades
    watched   the events that are watched, and what of them is still to be sent
    watcher   one socket
    batches   what clients watch, and the messages for those who watch the same
    groups    sockets that watch the same events
    own       what signed-in people have
    hub       the worker
    socket    the endpoint: handshake, and what clients send
"""

from foreknow.site.live.hub import LiveHub

__all__ = ["LiveHub"]
