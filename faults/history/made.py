"""An operation of a client: what it asked, what it was answered, from when to when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

#: The kinds that change a pool's state; all others read.
WRITES = frozenset({"bet", "sale", "basket", "order", "cancel", "pause", "resume", "liquidity", "split", "verdict"})
#: What is shown to everyone: it may be older by `FRESH_NS` in a process that did not make the change.
PUBLIC = frozenset({"pool"})
#: Contract, "Freshness".
FRESH_NS = 1_000_000_000
#: The end of what was never answered.
NEVER_NS = 2**62
#: The process of what was asked more than once: which of them did it is not known.
SEVERAL = -1


class Operation(msgspec.Struct, frozen=True, array_like=True):
    """What one user asked once, under one key where it moves money."""

    kind: str
    user_id: int
    #: What was sent; of a traversal and of reads what it is of.
    asked: dict[str, Any]
    #: None: the connection broke, and it was not asked again; whether it was done is unknown.
    status: int | None
    answer: Any
    #: By a clock that all processes of the machine share.
    began_ns: int
    ended_ns: int
    #: Which server.
    process: int

    @property
    def is_done(self) -> bool:
        """Whether it was answered with a success."""
        return self.status is not None and self.status < 300

    @property
    def error(self) -> str | None:
        """The code of the error that it was answered with; None for none."""
        return None if self.status is None or self.is_done else str(self.answer["error"])


class FinalPool(msgspec.Struct, frozen=True):
    """What the service shows of a pool once all is over."""

    #: Its event's page, and all trades of the event, as shown.
    page: dict[str, Any]
    trades: Sequence[Mapping[str, Any]]
    #: Each trade's user, the limit order whose it is, and its role, by own lists of trades: {trade: (…)}.
    owners: Mapping[int, tuple[int, int | None, str | None]]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Operation).decode


def write(path: Path, operations: Iterable[Operation]) -> None:
    """Add operations to a file, a line each."""
    with path.open("ab") as file:
        for operation in operations:
            file.write(_encode(operation) + b"\n")


def read(path: Path) -> list[Operation]:
    """Return the operations of a file."""
    with path.open("rb") as file:
        return [_decode(line) for line in file]
