"""A cache bounded in bytes."""

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
Value = TypeVar("Value", bound=Sized)


def compact(encoded: bytes) -> bytes:
    """Copy what msgspec encoded into as much memory as it needs: the encoder leaves up to half as much unused."""
    return bytes(memoryview(encoded))


def _ignore(key: object, value: object) -> None:
    pass


class BoundedCache(Generic[Key, Value]):
    """Keeps at most `bytes_max` of values; over that, drops those put longest ago."""

    def __init__(self, bytes_max: int, *, on_drop: Callable[[Key, Value], None] = _ignore) -> None:
        """`on_drop` is called with each entry that is replaced, removed or dropped, but not by `clear`."""
        self._bytes_max = bytes_max
        self._on_drop = on_drop
        #: From the entry put longest ago to the newest.
        self._entries: OrderedDict[Key, Value] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size_bytes(self) -> int:
        """The size of all values."""
        return self._bytes

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None."""
        return self._entries.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value as the newest, unless it alone exceeds the bound."""
        self.remove(key)
        self._entries[key] = value
        self._bytes += value.size_bytes
        while self._bytes > self._bytes_max:
            self.remove(next(iter(self._entries)))

    def remove(self, key: Key) -> None:
        """Drop an entry, if it is there."""
        value = self._entries.pop(key, None)
        if value is not None:
            self._bytes -= value.size_bytes
            self._on_drop(key, value)

    def clear(self) -> None:
        """Drop all entries."""
        self._entries.clear()
        self._bytes = 0
