"""The order book that clients see: what resting orders offer at each whole percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foreknow.money.pricing import DepthLevel

#: (level in percent, shares) of a queue, from its best level on.
QueueLevels = Sequence[tuple[int, int]]
#: (bids, asks), as `Lmsr.depth` returns them.
BookSides = tuple[list[DepthLevel], list[DepthLevel]]


def order_book(
    ladder: BookSides, queues: Mapping[tuple[int, bool], QueueLevels], *, outcome: int, markets: int
) -> BookSides:
    """Return a market's (bids, asks): its `ladder`, and at each level what resting orders and sets offer there.

    `queues` are those of the whole pool by (outcome, is_up), each with its shares added up by level.
    """
    raise NotImplementedError
