"""What a request costs: the time that its transactions work, counted where they run."""

from __future__ import annotations

from contextvars import ContextVar


class RequestCost:
    """The cost of one request so far."""

    __slots__ = ("work_s",)

    def __init__(self) -> None:
        """Begin at 0."""
        self.work_s = 0.0


#: The cost of the current request, inherited by tasks started for it; None where it is not counted.
COST: ContextVar[RequestCost | None] = ContextVar("cost", default=None)
