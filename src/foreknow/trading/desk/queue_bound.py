"""How many orders may wait for the desk."""

from __future__ import annotations

#: Further orders are refused where these would be decided later than this, in seconds.
WAIT_S = 0.25
#: For how long the pace of full batches is counted before it is looked at, in seconds.
LOOK_S = 0.05
#: Bounds of what may wait, whatever the pace.
WAITING_MIN, WAITING_MAX = 256, 10_000


class QueueBound:
    """Most orders that may wait: as many as are decided in `WAIT_S` at the pace of full batches.

    Other batches decide what came, which is less than the desk can: the bound is as at the start as soon as the next
    batch takes all that waits. One slow batch does not tell how fast the desk is either: the bound falls by half at
    most at each look.
    """

    def __init__(self) -> None:
        """Let `WAITING_MAX` wait."""
        self.waiting_max = WAITING_MAX
        #: Orders decided since the last look, and when that was; None while the next batch takes all that waits.
        self._decided = 0
        self._looked_at_s: float | None = None

    def note(self, decided: int, *, is_behind: bool, now_s: float) -> None:
        """Count what a batch has decided; `is_behind`: the next one does not take all that waits.

        `now_s` is of a clock that is never set.
        """
        if not is_behind:
            self.waiting_max, self._looked_at_s = WAITING_MAX, None
            return
        if self._looked_at_s is None:
            self._decided, self._looked_at_s = 0, now_s
            return
        self._decided += decided
        passed_s = now_s - self._looked_at_s
        if passed_s < LOOK_S:
            return
        in_time = int(self._decided * WAIT_S / passed_s)
        self.waiting_max = min(max(in_time, self.waiting_max // 2, WAITING_MIN), WAITING_MAX)
        self._decided, self._looked_at_s = 0, now_s
