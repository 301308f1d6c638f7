"""The orders that wait for the desk, and which of them leaves where they are too many."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from foreknow.trading.desk.batch import QueuedOrder
from foreknow.trading.desk.queue_bound import QueueBound


class OrderQueue:
    """Orders in their order of arrival, as many as `QueueBound` lets wait.

    Once it is full, no caller (an account, a partner) holds over half of it while another wants in: the newest of
    theirs leaves for each that arrives.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._orders: deque[QueuedOrder] = deque()
        self._bound = QueueBound()
        #: How many of the orders are whose, by scope.
        self._counts: dict[str, int] = {}
        #: Who held over half of them when last an order of theirs came.
        self._largest = ""

    def __len__(self) -> int:
        return len(self._orders)

    @property
    def is_full(self) -> bool:
        """Whether a further order would wait for too long."""
        return len(self._orders) >= self._bound.waiting_max

    @property
    def has_largest(self) -> bool:
        """Whether a caller holds over half, and so leaves space to others."""
        return 2 * self._counts.get(self._largest, 0) > len(self._orders)

    def put(self, order: QueuedOrder) -> None:
        """Let an order wait behind the others."""
        self._orders.append(order)
        count = self._count(order)
        if 2 * count > len(self._orders):
            self._largest = order.scope

    def put_back(self, orders: Sequence[QueuedOrder]) -> None:
        """Let orders that were taken, the newest first, wait before the others."""
        for order in orders:
            self._count(order)
        self._orders.extendleft(orders)

    def take(self) -> QueuedOrder:
        """Take the oldest order."""
        order = self._orders.popleft()
        self._forget(order)
        return order

    def displace_for(self, scope: str) -> QueuedOrder | None:
        """Take the newest order of the caller who holds over half; None if there is none, or if it is `scope`."""
        largest = self._largest
        if largest == scope or not self.has_largest:
            return None
        place = next(place for place in range(len(self._orders) - 1, -1, -1) if self._orders[place].scope == largest)
        order = self._orders[place]
        del self._orders[place]
        self._forget(order)
        return order

    def note(self, decided: int, *, batch_max: int, now_s: float) -> None:
        """Count what a batch has decided, of `batch_max` at most; `now_s` is of a clock that is never set."""
        self._bound.note(decided, is_behind=len(self._orders) > batch_max, now_s=now_s)

    def _count(self, order: QueuedOrder) -> int:
        count = self._counts.get(order.scope, 0) + 1
        self._counts[order.scope] = count
        return count

    def _forget(self, order: QueuedOrder) -> None:
        count = self._counts[order.scope] - 1
        if count:
            self._counts[order.scope] = count
        else:
            del self._counts[order.scope]
