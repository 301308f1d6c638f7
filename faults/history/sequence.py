"""A pool's order as the service shows it: its trades by their ids, liquidity and splits between, each recomputed.

Step number k stands at slot 2k, the state that it leaves at 2k + 1. Pauses stand where their answers say, verdicts
last.
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from faults.history.made import FinalPool, Operation
from faults.history.realtime import END, Ranges
from foreknow.commands.verify.pools import check_pool
from foreknow.commands.verify.reading import PublicTrade
from foreknow.commands.verify.states import is_near
from foreknow.money.pricing import Lmsr

#: Trades that are shown before the first one that does not follow, and from it on.
TRADES_SHOWN = 6


class Shown(NamedTuple):
    """A pool's state as its answers show it."""

    b: int
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    volumes: tuple[int, ...]
    is_paused: bool
    #: What a verdict pays; None before one.
    payouts: tuple[float, ...] | None

    @classmethod
    def of(cls, pool: Mapping[str, Any]) -> Shown:
        """Read a Pool of an answer."""
        markets = sorted(pool["markets"], key=lambda market: market["outcome_index"])
        payouts = pool["resolution"]["payouts"]
        return cls(
            markets[0]["b"],
            tuple(market["q_yes"] for market in markets),
            tuple(market["q_no"] for market in markets),
            tuple(market["volume"] for market in markets),
            any(market["paused"] for market in markets),
            None if payouts is None else tuple(payouts),
        )


@dataclass(slots=True)
class Step:
    """One change of a pool, and the state that it leaves."""

    #: start, trade, liquidity, split, pause, resume or verdict
    what: str
    shown: Shown
    state: Lmsr
    trades: list[PublicTrade] = field(default_factory=list)


class Contradiction(Exception):
    """What was answered is not what the service shows; the text says how."""


class PoolOrder:
    """The steps of a pool in their order, with ways to find them."""

    def __init__(self, final: FinalPool, operations: Sequence[Operation]) -> None:
        """Recompute all steps. Raises `Contradiction` where one does not follow from those before it."""
        (self.pool,) = final.page["event"]["pools"]
        (details,) = final.page["pools"]
        markets = sorted(self.pool["markets"], key=lambda market: market["outcome_index"])
        self.market_ids = [market["id"] for market in markets]
        self._volumes: Counter[int] = Counter()
        self.steps: list[Step] = []
        trades = sorted((PublicTrade.of(row) for row in final.trades), key=lambda trade: trade.id)
        last_id = trades[-1].id if trades else 0
        found = check_pool(self.pool, details, trades, known_id=last_id, on_step=self._add)
        if found.wrong is not None:
            around = trades[max(0, found.trades - TRADES_SHOWN) : found.trades + TRADES_SHOWN]
            raise Contradiction("\n".join([found.wrong, *map(str, around)]))
        self._put_pauses(operations)
        self._put_verdicts(operations)
        #: Of each trade and each basket, its step's slot.
        self.slots = {trade.id: slot for slot, step in self.numbered() for trade in step.trades}
        self.basket_slots = {
            step.trades[0].basket_id: slot for slot, step in self.numbered() if step.trades and step.trades[0].basket_id
        }
        #: Of `ranges`, once they were requested.
        self._ranges: defaultdict[object, list[tuple[int, int]]] = defaultdict(list)
        self._by_shown: defaultdict[Shown, list[int]] = defaultdict(list)
        for slot, step in self.numbered():
            self._by_shown[step.shown].append(slot + 1)

    def numbered(self) -> list[tuple[int, Step]]:
        """Return all steps with their slots."""
        return [(2 * number, step) for number, step in enumerate(self.steps)]

    def step(self, slot: int) -> Step:
        """Return the step at a slot, or the one that left the state at it."""
        return self.steps[slot // 2]

    def states(self, pool: Mapping[str, Any]) -> Ranges:
        """Return where a pool was as an answer shows it. Raises `Contradiction` for other prices than its state's."""
        slots = self._by_shown.get(Shown.of(pool), [])
        for market in pool["markets"] if slots else ():
            if not is_near(market["yes_probability"], self.step(slots[0]).state.probability(market["outcome_index"])):
                raise Contradiction(f"market {market['id']} shows {market['yes_probability']}, not its price")
        return [(slot, slot) for slot in slots]

    def ranges(self, *, is_paused: bool | None = None, has_verdict: bool, outcomes: int | None = None) -> Ranges:
        """Return the slots of all states that are paused or not, and after a verdict or not; steps between included."""
        found = self._ranges[is_paused, has_verdict, outcomes]
        if found:
            return found
        for slot, step in self.numbered():
            is_so = (
                is_paused in {None, step.shown.is_paused}
                and has_verdict == (step.shown.payouts is not None)
                and outcomes in {None, len(step.shown.q_yes)}
            )
            if is_so and found and found[-1][1] == slot - 1:
                found[-1] = (found[-1][0], slot + 1)
            elif is_so:
                found.append((slot + 1, slot + 1))
        return found

    def of_change(self, what: str, number: int) -> int:
        """Return the slot of the `number`-th step of a kind, from 0."""
        slots = [slot for slot, step in self.numbered() if step.what == what]
        if number >= len(slots):
            raise Contradiction(f"{what} {number} was answered, and is not there")
        return slots[number]

    def _add(self, trades: Sequence[PublicTrade], after: Lmsr) -> None:
        for trade in trades:
            parts = [(leg.market_id, leg.amount_kopecks) for leg in trade.legs]
            for market_id, kopecks in parts or [(trade.market_id, trade.amount_kopecks)]:
                self._volumes[market_id] += kopecks
        outcomes = len(after.q_yes)
        volumes = tuple(self._volumes[market_id] for market_id in self.market_ids[:outcomes])
        shown = Shown(after.b, after.q_yes, after.q_no, volumes, is_paused=False, payouts=None)
        last = self.steps[-1] if self.steps else None
        if last and trades and trades[0].basket_id and last.trades and last.trades[0].basket_id == trades[0].basket_id:
            # A purchase and a sale: both or neither.
            self.steps[-1] = Step("trade", shown, after, [*last.trades, *trades])
            return
        what = "trade"
        if not trades:
            what = "start" if last is None else "liquidity" if after.b != last.shown.b else "split"
        self.steps.append(Step(what, shown, after, list(trades)))

    def _put_pauses(self, operations: Sequence[Operation]) -> None:
        """Put each pause, and what ended it, behind the state that its answer shows: nothing trades between."""
        unpaused = {step.shown: step for step in self.steps}
        behind: defaultdict[int, list[Step]] = defaultdict(list)
        for operation in sorted(operations, key=lambda one: one.began_ns):
            if operation.kind == "pause" and operation.is_done:
                shown = Shown.of(operation.answer)
                step = unpaused.get(shown._replace(is_paused=False))
                if step is None:
                    raise Contradiction(f"a pause shows what never was: {shown}")
                behind[id(step)] += [Step("pause", shown, step.state), Step("resume", step.shown, step.state)]
        self.steps = [one for step in self.steps for one in (step, *behind[id(step)])]

    def _put_verdicts(self, operations: Sequence[Operation]) -> None:
        for operation in sorted(operations, key=lambda one: one.began_ns):
            if operation.kind == "verdict" and operation.is_done:
                last = self.steps[-1]
                payouts = tuple(operation.answer["resolution"]["payouts"])
                self.steps.append(Step("verdict", last.shown._replace(payouts=payouts), last.state))


class Cumulated(NamedTuple):
    """A sum that steps raised: from which slot on it was what."""

    slots: list[int]
    sums: list[Any]

    def when(self, value: Any) -> Ranges:
        """Return from which slots through which the sum was this."""
        ends = [*(slot - 1 for slot in self.slots[1:]), END]
        return [
            (slot, end)
            for slot, end, one in zip(self.slots, ends, self.sums, strict=True)
            if one == value and slot <= end
        ]

    def after(self, slot: int) -> int:
        """Return the slot before which the sum stays what it was at `slot`."""
        place = bisect.bisect_right(self.slots, slot)
        return self.slots[place] if place < len(self.slots) else END
