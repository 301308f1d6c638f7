"""The events that are watched: how they are, and what of it is still to be sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from foreknow.market.events.schemas import EventStatusName
from foreknow.site.live.messages import event_json, prices_frames, state_frames
from foreknow.site.live.store import EventReading, PoolReading, PoolVersion

#: Least time between two messages of prices of one pool, and of states of one event: four a second.
GAP_S = 0.25
#: Least time between two messages of numbers of traders.
COUNT_GAP_S = 0.5


@dataclass(slots=True)
class _Pool:
    version: PoolVersion
    reading: PoolReading
    #: Whether its prices, volume or trades have changed since they were last sent, which was then.
    is_unsent: bool = False
    sent_s: float = float("-inf")


@dataclass(slots=True)
class _Event:
    event_id: int
    #: Without a status it is hidden, or there is none.
    status: EventStatusName | None = None
    comments: int = 0
    traders: int = 0
    #: In their order.
    pools: dict[int, _Pool] = field(default_factory=dict)
    #: Number of the last commit that was made here before it was read; None for not read yet.
    commit: int | None = None
    is_unsent: bool = False
    sent_s: float = float("-inf")
    #: Encoded as messages show it; None after a change.
    json: bytes | None = None

    def encoded(self) -> bytes:
        if self.json is None:
            assert self.status is not None
            pools = [pool.reading.json for pool in self.pools.values()]
            self.json = event_json(self.event_id, self.status, self.comments, pools)
        return self.json

    def take_unsent(self, now_s: float) -> tuple[list[Sequence[bytes]], float | None]:
        """Return the messages that may be sent now, and when those that may not yet."""
        if self.is_unsent:
            if now_s < self.sent_s + GAP_S:
                return [], self.sent_s + GAP_S
            self.is_unsent, self.sent_s = False, now_s
            for pool in self.pools.values():
                pool.is_unsent = False
            return [state_frames(self.encoded())], None
        messages: list[Sequence[bytes]] = []
        waiting: list[float] = []
        for pool in self.pools.values():
            if pool.is_unsent and now_s < pool.sent_s + GAP_S:
                waiting.append(pool.sent_s + GAP_S)
            elif pool.is_unsent:
                pool.is_unsent, pool.sent_s = False, now_s
                messages.append(prices_frames(pool.reading.json))
        return messages, min(waiting, default=None)


class WatchedEvents:
    """What the hub knows of the events that are watched."""

    def __init__(self) -> None:
        """Start without any."""
        self._events: dict[int, _Event] = {}
        self._event_of_pool: dict[int, int] = {}
        #: Events with anything to be sent.
        self._unsent: set[int] = set()
        #: Events whose number of traders has changed since it was last sent, and when that was.
        self._recounted: set[int] = set()
        self._counted_s = float("-inf")

    def add(self, event_id: int) -> None:
        """Watch an event from now on, if it is not watched yet."""
        self._events.setdefault(event_id, _Event(event_id))

    def remove(self, event_id: int) -> None:
        """Forget an event that no one watches any more."""
        event = self._events.pop(event_id, None)
        for pool_id in event.pools if event is not None else ():
            self._event_of_pool.pop(pool_id, None)
        self._unsent.discard(event_id)
        self._recounted.discard(event_id)

    def events_of_pools(self, pool_ids: Iterable[int]) -> set[int]:
        """Return which watched events have these pools."""
        return {event_id for pool_id in pool_ids if (event_id := self._event_of_pool.get(pool_id)) is not None}

    def unread(self, event_ids: Iterable[int], *, commit: int) -> list[int]:
        """Return which of these watched events have not been read since this process's commit of that number."""
        return [
            event_id
            for event_id in event_ids
            if (event := self._events.get(event_id)) is not None and event.commit != commit
        ]

    def known(self, event_ids: Iterable[int], *, now_ms: int) -> dict[int, PoolVersion]:
        """Return the versions of these events' pools, without those that change with the time and have by now."""
        return {
            pool_id: pool.version
            for event_id in event_ids
            if (event := self._events.get(event_id)) is not None
            for pool_id, pool in event.pools.items()
            if pool.reading.disputable_until_ms is None or pool.reading.disputable_until_ms > now_ms
        }

    def pools(self, event_ids: Iterable[int]) -> int | None:
        """Return how many pools these events have; None if one has not been read."""
        events = [self._events.get(event_id) for event_id in event_ids]
        if any(event is None or event.commit is None for event in events):
            return None
        return sum(len(event.pools) for event in events if event is not None)

    def note(self, read_ids: Iterable[int], readings: Iterable[EventReading], *, commit: int) -> None:
        """Take what was read of the events `read_ids` after this process's commit of that number."""
        for reading in readings:
            if (event := self._events.get(reading.event_id)) is not None:
                self._note(event, reading)
        for event_id in read_ids:
            if (event := self._events.get(event_id)) is not None:
                # Hidden ones, too.
                event.commit = commit

    def snapshot(self, event_ids: Iterable[int]) -> list[bytes]:
        """Return the encoded events, without those that not everyone may see."""
        events = (self._events.get(event_id) for event_id in dict.fromkeys(event_ids))
        return [event.encoded() for event in events if event is not None and event.status is not None]

    def traders(self, event_ids: Iterable[int]) -> dict[int, int]:
        """Return how many have traded in each of the events that everyone may see."""
        events = ((event_id, self._events.get(event_id)) for event_id in event_ids)
        return {event_id: event.traders for event_id, event in events if event is not None and event.status is not None}

    def take_recounted(self, now_s: float) -> dict[int, int]:
        """Return the numbers of traders that may be sent now: at most once in `COUNT_GAP_S`."""
        if not self._recounted or now_s < self._counted_s + COUNT_GAP_S:
            return {}
        recounted, self._recounted, self._counted_s = self._recounted, set(), now_s
        return self.traders(recounted)

    def take_unsent(self, now_s: float) -> tuple[dict[int, list[Sequence[bytes]]], float | None]:
        """Return the messages of each event that may be sent now, and when the next of those that may not yet."""
        messages: dict[int, list[Sequence[bytes]]] = {}
        next_s: float | None = None
        for event_id in list(self._unsent):
            of_event, wait_until_s = self._events[event_id].take_unsent(now_s)
            if of_event:
                messages[event_id] = of_event
            if wait_until_s is None:
                self._unsent.discard(event_id)
            else:
                next_s = wait_until_s if next_s is None else min(next_s, wait_until_s)
        return messages, next_s

    def _note(self, event: _Event, reading: EventReading) -> None:
        # No one who watches it has been sent anything: all of it is sent next.
        is_first = event.commit is None
        has_new_prices = has_new_state = False
        pools: dict[int, _Pool] = {}
        for pool_id, version in reading.versions.items():
            pool, changed = event.pools.get(pool_id), reading.changed.get(pool_id)
            if pool is None:
                assert changed is not None, "what was never read is read"
                pool = _Pool(version, changed)
                self._event_of_pool[pool_id] = event.event_id
                has_new_state = True
            elif changed is not None:
                has_new_state |= changed.state != pool.reading.state
                pool.is_unsent |= changed.now != pool.reading.now
                has_new_prices |= pool.is_unsent
                pool.version, pool.reading = version, changed
            pools[pool_id] = pool
        for pool_id in event.pools.keys() - pools.keys():
            del self._event_of_pool[pool_id]
            has_new_state = True
        has_new_state |= (event.status, event.comments) != (reading.status, reading.comments)
        if reading.traders != event.traders and not is_first:
            self._recounted.add(event.event_id)
        event.status, event.comments, event.pools = reading.status, reading.comments, pools
        event.traders = reading.traders
        if has_new_state or has_new_prices:
            event.json = None
        if is_first:
            for pool in pools.values():
                pool.is_unsent = False
        elif has_new_state or has_new_prices:
            event.is_unsent |= has_new_state
            self._unsent.add(event.event_id)
