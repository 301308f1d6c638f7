"""A cache bounded in bytes or entries, whose entries may expire."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """A value that knows about how much memory it takes."""

    @property
    def size_bytes(self) -> int:
        """Its size in bytes, bookkeeping included."""
        ...


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def compact(encoded: bytes) -> bytes:
    """Copy what msgspec encoded into as much memory as it needs: the encoder leaves up to half as much unused."""
    return bytes(memoryview(encoded))


def in_bytes(value: Sized) -> int:
    """Return the size of a value, for a cache bounded in bytes."""
    return value.size_bytes


def in_entries(_: object) -> int:
    """Return 1, for a cache bounded in entries."""
    return 1


def _ignore(key: object, value: object) -> None:
    pass


class BoundedCache(Generic[Key, Value]):
    """Keeps values up to a bound; over that, drops those put longest ago."""

    def __init__(
        self,
        size_max: int,
        size_of: Callable[[Value], int],
        *,
        timer: Callable[[], float] | None = None,
        on_drop: Callable[[Key, Value], None] = _ignore,
    ) -> None:
        """Keep at most `size_max`, as `size_of` (`in_bytes`, `in_entries`) counts.

        `timer` tells when entries expire, in any unit; without it none does. `on_drop` is called with each entry that
        is replaced, removed or dropped, but not by `clear`.
        """
        self._size_max = size_max
        self._size_of = size_of
        self._timer = timer
        self._on_drop = on_drop
        #: From the entry put longest ago to the newest, each with the time of `timer` at which it expires.
        self._entries: OrderedDict[Key, tuple[Value, float]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """The size of all values, as `size_of` counts."""
        return self._size

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None without one that is still good."""
        entry = self._entries.get(key)
        if entry is None or (self._timer is not None and entry[1] <= self._timer()):
            return None
        return entry[0]

    def put(self, key: Key, value: Value, *, until: float = float("inf")) -> None:
        """Keep a value as the newest, until a time of the timer, unless it alone exceeds the bound.

        Drops what has expired of the entries put longest ago.
        """
        self.remove(key)
        self._entries[key] = (value, until)
        self._size += self._size_of(value)
        now = float("-inf") if self._timer is None else self._timer()
        while self._entries:
            oldest = next(iter(self._entries))
            if self._size <= self._size_max and self._entries[oldest][1] > now:
                break
            self.remove(oldest)

    def remove(self, key: Key) -> None:
        """Drop an entry, if it is there."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= self._size_of(entry[0])
            self._on_drop(key, entry[0])

    def remove_where(self, matches: Callable[[Key, Value], bool]) -> None:
        """Drop the entries that match."""
        for key in [key for key, (value, _) in self._entries.items() if matches(key, value)]:
            self.remove(key)

    def clear(self) -> None:
        """Drop all entries."""
        self._entries.clear()
        self._size = 0
