"""Sockets that watch the same events, and what they are to be sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from foreknow.site.live.batches import MessageBatch, TradeMessage, Watch
from foreknow.site.live.watcher import Watcher


@dataclass(eq=False, slots=True)
class WatchGroup:
    """The sockets of one watch. Groups are compared by identity."""

    event_ids: frozenset[int]
    tape: bool
    more: bool
    members: set[Watcher] = field(default_factory=set)


class Groups:
    """All groups, by what they watch and by event."""

    def __init__(self) -> None:
        """Start without any."""
        self._groups: dict[tuple[frozenset[int], bool, bool], WatchGroup] = {}
        self._of_event: dict[int, set[WatchGroup]] = {}
        self._of_watcher: dict[Watcher, WatchGroup] = {}
        self._with_tape: set[WatchGroup] = set()
        #: In the order in which they have begun to wait.
        self._waiting: defaultdict[WatchGroup, MessageBatch] = defaultdict(MessageBatch)

    @property
    def has_sockets(self) -> bool:
        """Whether there is any socket."""
        return bool(self._groups)

    @property
    def event_ids(self) -> Collection[int]:
        """The events that anyone watches, known or not."""
        return self._of_event.keys()

    @property
    def is_tape_watched(self) -> bool:
        """Whether anyone watches the trades of all events."""
        return bool(self._with_tape)

    @property
    def is_any_waiting(self) -> bool:
        """Whether there is anything to send."""
        return bool(self._waiting)

    def of(self, watcher: Watcher) -> WatchGroup | None:
        """Return a socket's group; None before its first watch and after its end."""
        return self._of_watcher.get(watcher)

    def is_watched(self, event_id: int) -> bool:
        """Return whether anyone watches an event."""
        return event_id in self._of_event

    def join(self, watcher: Watcher, watch: Watch) -> list[int]:
        """Put a socket into the group of its new watch; return the events that no one watches any more."""
        key = _key(watch)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = WatchGroup(*key)
            for event_id in group.event_ids:
                self._of_event.setdefault(event_id, set()).add(group)
            if group.tape:
                self._with_tape.add(group)
        # The new group first: events that both watch stay watched.
        group.members.add(watcher)
        old, self._of_watcher[watcher] = self._of_watcher.get(watcher), group
        return self._leave(watcher, old) if old is not None and old is not group else []

    def leave(self, watcher: Watcher) -> list[int]:
        """Remove a socket; return the events that no one watches any more."""
        group = self._of_watcher.pop(watcher, None)
        return [] if group is None else self._leave(watcher, group)

    def add(
        self,
        updates: Mapping[int, Sequence[Sequence[bytes]]],
        trades: Iterable[TradeMessage],
        *,
        traders: Mapping[int, Sequence[bytes]],
    ) -> None:
        """Add the messages of each event, and trades, to what the groups that watch them are to be sent.

        Hardly two sockets watch the same events, so this goes through the messages, not through the groups.
        """
        for event_id, messages in updates.items():
            data = b"".join(frame for message in messages for frame in message)
            for group in self._of_event.get(event_id, ()):
                self._waiting[group].add_updates(messages, data)
        for event_id, message in traders.items():
            data = b"".join(message)
            for group in self._of_event.get(event_id, ()):
                if group.more:
                    self._waiting[group].add_updates([message], data)
        for trade in trades:
            data = b"".join(trade.frames)
            for group in self._with_tape.union(self._of_event.get(trade.event_id, ())):
                self._waiting[group].add_trade(trade.frames, data)

    def take(self, sockets: int) -> dict[WatchGroup, MessageBatch]:
        """Return what groups of together `sockets` sockets, or some more, are to be sent: those that wait longest."""
        taken: dict[WatchGroup, MessageBatch] = {}
        for group in self._waiting:
            if sockets <= 0:
                break
            taken[group] = self._waiting[group]
            sockets -= len(group.members)
        for group in taken:
            del self._waiting[group]
        return taken

    def take_before_join(self, watches: Iterable[tuple[Watcher, Watch]]) -> dict[WatchGroup, MessageBatch]:
        """Return what waits for the groups that these sockets leave and join.

        To be sent before: a socket that leaves would miss it, and to one that joins it would be older than the answer.
        """
        if not self._waiting:
            return {}
        groups = {group for watcher, watch in watches for group in (self.of(watcher), self._groups.get(_key(watch)))}
        return {group: self._waiting.pop(group) for group in groups if group is not None and group in self._waiting}

    def _leave(self, watcher: Watcher, group: WatchGroup) -> list[int]:
        group.members.discard(watcher)
        if group.members:
            return []
        del self._groups[group.event_ids, group.tape, group.more]
        self._waiting.pop(group, None)
        self._with_tape.discard(group)
        unwatched: list[int] = []
        for event_id in group.event_ids:
            groups = self._of_event[event_id]
            groups.discard(group)
            if not groups:
                del self._of_event[event_id]
                unwatched.append(event_id)
        return unwatched


def _key(watch: Watch) -> tuple[frozenset[int], bool, bool]:
    return frozenset(watch.event_ids), watch.tape, watch.more
