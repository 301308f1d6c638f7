"""Histories of clients under kills, short, and what the check of one must notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from faults.history.checking import Findings, check
from faults.history.made import FRESH_NS, FinalPool, Operation
from faults.history.realtime import END, Placed, contradictions
from faults.history.running import Sizes, run_history

SIZES = Sizes(operations=600, kills=1, clients=2, traders=6, of_a_pool=200)
Operations = list[Operation]


@dataclass(frozen=True, slots=True)
class History:
    final: FinalPool
    operations: Operations

    def done(self, *kinds: str) -> Operations:
        """Return what was done, in the order of the ends; what was asked again is left out."""
        found = [one for one in self.operations if one.kind in kinds and one.is_done and one.process >= 0]
        return sorted(found, key=lambda one: one.ended_ns)


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> list[History]:
    folder: Path = tmp_path_factory.mktemp("history")
    url = f"sqlite:///{folder}/foreknow.sqlite3"
    return [History(final, operations) for final, operations in run_history(url, folder, SIZES)]


def test_one_order_of_each_pool_explains_every_answer_under_a_kill(histories: list[History]) -> None:
    findings = Findings()
    for history in histories:
        findings.add(check(history.final, history.operations))
    assert findings.wrong == []
    assert findings.operations.total() >= SIZES.operations
    asked_again = [one for history in histories for one in history.operations if one.status is None or one.process < 0]
    assert asked_again
    kinds = {one.kind for history in histories for one in history.operations if one.is_done}
    assert kinds >= {"bet", "sale", "basket", "order", "cancel", "liquidity", "pause", "resume", "split", "verdict"}


def shifted(one: Operation, *, after: Operation) -> Operation:
    return replace(one, began_ns=after.ended_ns + 1, ended_ns=after.ended_ns + 2)


def swapped(operations: Operations, old: Operation, new: Operation) -> Operations:
    return [new if one is old else one for one in operations]


def stale_read(history: History) -> Operations:
    read = history.done("pool")[0]
    return swapped(history.operations, read, shifted(read, after=history.done("bet")[-1]))


def stale_own_read(history: History) -> Operations:
    for read in history.done("own trades"):
        earlier = [one.answer["id"] for one in history.done("bet") if one.ended_ns < read.began_ns]
        if read.answer and read.answer[0] in earlier:
            return swapped(history.operations, read, replace(read, answer=read.answer[1:]))
    raise LookupError


def lost_write(history: History) -> Operations:
    bet = history.done("bet")[0]
    return [*history.operations, replace(bet, answer=bet.answer | {"id": 10**12})]


def doubled_write(history: History) -> Operations:
    bet = history.done("bet")[0]
    return [*history.operations, replace(bet)]


def trade_of_no_one(history: History) -> Operations:
    # Of two alike, the other one would explain the trade.
    asked = [(one.user_id, one.asked) for one in history.operations]
    bet = next(one for one in history.done("bet") if asked.count((one.user_id, one.asked)) == 1)
    return [one for one in history.operations if one is not bet]


def trade_after_a_close(history: History) -> Operations:
    verdict, bet = history.done("verdict")[0], history.done("bet")[-1]
    early = replace(verdict, began_ns=bet.began_ns - 2, ended_ns=bet.began_ns - 1)
    return swapped(history.operations, verdict, early)


def trade_in_a_pause(history: History) -> Operations:
    pause, bet = history.done("pause")[0], history.done("bet")[-1]
    resume = next(one for one in history.done("resume") if one.began_ns > pause.ended_ns)
    moved = swapped(history.operations, pause, replace(pause, began_ns=bet.began_ns - 2, ended_ns=bet.began_ns - 1))
    return swapped(moved, resume, shifted(resume, after=bet))


def out_of_real_time(history: History) -> Operations:
    first, last = history.done("bet")[0], history.done("bet")[-1]
    return swapped(history.operations, first, shifted(first, after=last))


def hole_in_a_traversal(history: History) -> Operations:
    read = next(one for one in history.done("all trades") if len(one.answer) > 2)
    return swapped(history.operations, read, replace(read, answer=[read.answer[0], *read.answer[2:]]))


def wrong_kopeck(history: History) -> Operations:
    sale = history.done("sale")[0]
    changed = sale.answer | {"payout_kopecks": sale.answer["payout_kopecks"] + 1}
    return swapped(history.operations, sale, replace(sale, answer=changed))


def state_that_never_was(history: History) -> Operations:
    read = history.done("pool")[0]
    market, *others = read.answer["markets"]
    changed = read.answer | {"markets": [market | {"volume": market["volume"] + 1}, *others]}
    return swapped(history.operations, read, replace(read, answer=changed))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (stale_read, "pool of user"),
        (stale_own_read, "own trades of user"),
        (lost_write, "is lost"),
        (doubled_write, "was answered with what"),
        (trade_of_no_one, "no one requested"),
        (trade_after_a_close, "had ended"),
        (trade_in_a_pause, "had ended"),
        (out_of_real_time, "had ended"),
        (hole_in_a_traversal, "has a hole"),
        (wrong_kopeck, "listed is"),
        (state_that_never_was, "shows what never was"),
    ],
)
def test_a_wrong_history_is_noticed(
    histories: list[History], change: Callable[[History], Operations], said: str
) -> None:
    found = [check(history.final, changed).wrong for history in histories if (changed := _try(change, history))]
    assert found
    for wrong in found:
        assert any(said in line for line in wrong), wrong


def _try(change: Callable[[History], Operations], history: History) -> Operations | None:
    """Return a changed history; None for a pool in which too little happened for this change."""
    try:
        return change(history)
    except (IndexError, LookupError, StopIteration):
        return None


def test_an_order_whose_answer_never_came_may_have_been_executed(histories: list[History]) -> None:
    history = histories[0]
    bet = history.done("bet")[0]
    unanswered = replace(bet, status=None, answer=None, ended_ns=END)
    findings = check(history.final, swapped(history.operations, bet, unanswered))
    assert findings.wrong == []
    assert findings.executed == check(history.final, history.operations).executed + 1


def test_a_trade_that_no_own_list_has_is_noticed(histories: list[History]) -> None:
    final = histories[0].final
    trade_id = max(final.owners)
    changed = replace(final, owners={one: owner for one, owner in final.owners.items() if one != trade_id})
    assert check(changed, histories[0].operations).wrong == [f"trade {trade_id} is in no trader's own list"]


def made_up(kind: str, slot: int, began_ns: int, *, took_ns: int = 1, process: int = 0, **more: Any) -> Placed:
    operation = Operation(kind, 1, {}, 200, {}, began_ns, began_ns + took_ns, process)
    allowed: Sequence[tuple[int, int]] = more.pop("allowed", [(slot, slot)])
    return Placed(operation, allowed, **more)


@pytest.mark.parametrize(
    ("process", "later_ns", "is_wrong"), [(0, 2, True), (1, FRESH_NS // 2, False), (1, FRESH_NS + 3, True)]
)
def test_another_process_may_show_a_pool_as_it_was_a_second_ago(process: int, later_ns: int, is_wrong: bool) -> None:
    write = made_up("bet", 2, 10, is_change=True)
    read = made_up("pool", 1, 10 + later_ns, process=process, is_public=True)
    assert bool(contradictions([write, read])) is is_wrong


def test_numbered_operations_stand_in_the_order_of_their_numbers() -> None:
    first = made_up("order", 4, 10, took_ns=90, chain=1)
    second = made_up("order", 0, 11, chain=2, allowed=[(0, END)])
    bet = made_up("bet", 3, 20)
    assert contradictions([first, bet]) == []
    # The second may stand anywhere, but not before the first; so what began once it was answered stands later, too.
    assert contradictions([first, second]) == []
    assert second.slot == 4
    assert contradictions([first, second, bet])
