"""When the demo's past takes place: the recorded markets, moved from their years to the six weeks before its start.

The markets were traded in rounds of two weeks. A round that has ended keeps its pace; the markets that are left open
are slowed down, so that their trades reach from the beginning of the past nearly to its end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from foreknow.commands.replay.history import History, MarketKey
from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, millis

PAST_MS = 42 * DAY_MS
#: A round ends its trading at this part of the past, and each later round by `_ROUND_STEP` later.
_FIRST_ROUND, _ROUND_STEP = 0.35, 0.3
_ROUND_MS_MAX = 14 * DAY_MS
#: Between the openings of two markets, and between the ends of two.
_OPENING_MS = 7 * MINUTE_MS
_FINISH_MS = 80 * MINUTE_MS
#: Time left for the demo's own traders between a round's last recorded trade and its first end.
_LAST_CALL_MS = 4 * HOUR_MS
#: The markets left open end these days after the past, in turn.
_OPEN_DAYS = (1, 3, 5, 9, 14, 20, 27, 38, 52, 75)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When a market is opened, traded, ends and is resolved (None: it is left open), in Unix milliseconds."""

    opens_ms: int
    trades_ms: tuple[int, ...]
    finish_ms: int
    resolved_ms: int | None

    @property
    def steps_ms(self) -> tuple[int, ...]:
        """The times of its steps, in order."""
        ends = () if self.resolved_ms is None else (self.resolved_ms,)
        return (self.opens_ms, *self.trades_ms, *ends)


def lifetimes(
    histories: Sequence[History], left_open: Collection[MarketKey], *, began_ms: int
) -> dict[MarketKey, Lifetime]:
    """Return when each market lives, in a past that begins at `began_ms`."""
    rounds: dict[str, list[History]] = defaultdict(list)
    for history in histories:
        if history.key not in left_open:
            rounds[history.trades[0].time[:4]].append(history)
    found: dict[MarketKey, Lifetime] = {}
    for number, round_ in enumerate(rounds.values()):
        found |= _ended(round_, until_ms=began_ms + round(PAST_MS * (_FIRST_ROUND + number * _ROUND_STEP)))
    for number, history in enumerate(history for history in histories if history.key in left_open):
        found[history.key] = _open(history, number, began_ms=began_ms)
    return found


def _ended(histories: Sequence[History], *, until_ms: int) -> dict[MarketKey, Lifetime]:
    recorded = {history.key: _recorded_ms(history) for history in histories}
    first_ms = min(times[0] for times in recorded.values())
    last_ms = max(times[-1] for times in recorded.values())
    pace = min(1.0, _ROUND_MS_MAX / (last_ms - first_ms))
    found: dict[MarketKey, Lifetime] = {}
    for number, (key, times) in enumerate(recorded.items()):
        moved = tuple(until_ms - round((last_ms - at_ms) * pace) for at_ms in times)
        opens_ms = until_ms - round((last_ms - first_ms) * pace) - (len(histories) - number) * _OPENING_MS
        finish_ms = _full_hour(until_ms + _LAST_CALL_MS) + number * _FINISH_MS
        found[key] = Lifetime(opens_ms, moved, finish_ms, finish_ms + (1 + number % 5) * HOUR_MS)
    return found


def _open(history: History, number: int, *, began_ms: int) -> Lifetime:
    times = _recorded_ms(history)
    from_ms = began_ms + DAY_MS + number * 9 * HOUR_MS
    end_ms = began_ms + PAST_MS
    until_ms = end_ms - (20 + 4 * number) * HOUR_MS
    pace = (until_ms - from_ms) / max(1, times[-1] - times[0])
    moved = tuple(from_ms + round((at_ms - times[0]) * pace) for at_ms in times)
    finish_ms = _full_hour(end_ms) + _OPEN_DAYS[number % len(_OPEN_DAYS)] * DAY_MS
    return Lifetime(from_ms - HOUR_MS, moved, finish_ms, None)


def _recorded_ms(history: History) -> list[int]:
    return [millis(datetime.fromisoformat(trade.time)) for trade in history.trades]


def _full_hour(at_ms: int) -> int:
    """Return the first full hour after a moment."""
    return at_ms - at_ms % HOUR_MS + HOUR_MS
