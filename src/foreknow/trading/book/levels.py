"""The order book that clients see: the market maker's ladder, and what resting orders offer at each whole percent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from foreknow.money.pricing import DepthLevel

#: (level in percent, shares) of a queue, from its best level on.
QueueLevels = Sequence[tuple[int, int]]
#: (bids, asks), as `Lmsr.depth` returns them.
BookSides = tuple[list[DepthLevel], list[DepthLevel]]


def order_book(
    ladder: BookSides, queues: Mapping[tuple[int, bool], QueueLevels], *, outcome: int, markets: int
) -> BookSides:
    """Return a market's (bids, asks): its `ladder`, and added at each level what resting orders and sets offer there.

    `queues` are those of the whole pool by (outcome, is_up), each with its shares added up by level.
    """
    bids, asks = (Counter({level.price_bps // 100: level.shares for level in side}) for side in ladder)
    for side, is_up in ((bids, True), (asks, False)):
        for percent, shares in queues.get((outcome, is_up), ()):
            side[percent] += shares
        # Who sells YES meets sets of down orders, one of every other market; who buys it, of up orders (rule 2).
        others = [queues.get((other, not is_up), ()) for other in range(markets) if other != outcome]
        side.update(_sets(others, with_all=is_up))
    return (
        [DepthLevel(100 * percent, bids[percent]) for percent in sorted(bids, reverse=True)],
        [DepthLevel(100 * percent, asks[percent]) for percent in sorted(asks)],
    )


def _sets(queues: list[QueueLevels], *, with_all: bool) -> Counter[int]:
    """Return by level what sets of the other markets' orders offer, taken one after the other.

    A set takes the best of each of these `queues` that has one; `with_all`: there is none unless all have one.
    """
    offered: Counter[int] = Counter()
    #: (level, shares) of the best orders, and what follows them.
    left = [(levels[0], iter(levels[1:])) for levels in queues if levels]
    while left and not (with_all and len(left) < len(queues)):
        percent = 100 - sum(level for (level, _), _ in left)
        if not 0 < percent < 100:
            break
        shares = min(shares for (_, shares), _ in left)
        offered[percent] += shares
        rest = (
            ((level, more - shares) if more > shares else next(behind, None), behind) for (level, more), behind in left
        )
        left = [(best, behind) for best, behind in rest if best is not None]
    return offered
