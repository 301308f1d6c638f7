"""Sockets that watch the same events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from foreknow.live.batches import Batch, TradeMessage, Watch
from foreknow.live.watcher import Watcher


@dataclass(eq=False, slots=True)
class Group:
    """The sockets of one watch. Groups are compared by identity."""

    event_ids: frozenset[int]
    tape: bool
    members: set[Watcher] = field(default_factory=set)

    def batch(self, updates: Mapping[int, Sequence[Sequence[bytes]]], trades: Sequence[TradeMessage]) -> Batch:
        """Choose from the messages of each event what these sockets watch."""
        return Batch.of(self.event_ids, updates, trades, tape=self.tape)


class Groups:
    """All groups, by what they watch and by event."""

    def __init__(self) -> None:
        """Start without any."""
        self._groups: dict[tuple[frozenset[int], bool], Group] = {}
        self._of_event: dict[int, set[Group]] = {}
        self._of_watcher: dict[Watcher, Group] = {}
        self._with_tape: set[Group] = set()

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

    def of(self, watcher: Watcher) -> Group | None:
        """Return a socket's group; None before its first watch and after its end."""
        return self._of_watcher.get(watcher)

    def is_watched(self, event_id: int) -> bool:
        """Return whether anyone watches an event."""
        return event_id in self._of_event

    def join(self, watcher: Watcher, watch: Watch) -> list[int]:
        """Put a socket into the group of its new watch; return the events that no one watches any more."""
        key = (frozenset(watch.event_ids), watch.tape)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(*key)
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

    def concerned(self, event_ids: Iterable[int], *, tape: bool) -> list[Group]:
        """Return the groups that watch any of these events, or with `tape` all trades."""
        found = set(self._with_tape) if tape else set()
        for event_id in event_ids:
            found |= self._of_event.get(event_id, set())
        return list(found)

    def _leave(self, watcher: Watcher, group: Group) -> list[int]:
        group.members.discard(watcher)
        if group.members:
            return []
        del self._groups[group.event_ids, group.tape]
        self._with_tape.discard(group)
        unwatched: list[int] = []
        for event_id in group.event_ids:
            groups = self._of_event[event_id]
            groups.discard(group)
            if not groups:
                del self._of_event[event_id]
                unwatched.append(event_id)
        return unwatched
