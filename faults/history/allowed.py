"""Where in a pool's order each answer may stand: what it shows is compared with the steps, number by number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from faults.history.made import PUBLIC, SEVERAL, WRITES, FinalPool, Operation
from faults.history.realtime import END, Placed, Ranges, overlap
from faults.history.sequence import Contradiction, Cumulated, PoolOrder
from foreknow.commands.verify.reading import PublicTrade

#: What an order is refused with after a verdict.
_ENDED = {"market_closed", "market_resolved"}
_ORDERS = {"bet", "sale", "basket", "order"}


class Places:
    """Places the operations of one pool."""

    def __init__(self, order: PoolOrder, final: FinalPool, operations: Sequence[Operation]) -> None:
        """Place by these steps; none of `operations` is placed yet."""
        self._order = order
        self._owners = final.owners
        #: Which operation a step was answered to.
        self.claimed: dict[int, Operation] = {}
        self._by_user: defaultdict[int, list[int]] = defaultdict(list)
        self._shares: dict[int, Cumulated] = {}
        self._filled: dict[int, Cumulated] = {}
        self._traded: dict[int, Cumulated] = {}
        self._cancelled: dict[int, int] = {}
        #: From when on positions may have been paid.
        self._paid_from_ns = min((one.began_ns for one in operations if one.kind == "verdict"), default=END)
        self._sum_up()
        self._open = order.ranges(is_paused=False, has_verdict=False)
        self._kinds: dict[str, Callable[[Operation], Ranges]] = {
            "bet": self._trade,
            "sale": self._trade,
            "basket": self._basket,
            "order": self._limit_order,
            "cancel": self._cancel,
            "pause": self._pool_as_shown,
            "resume": self._resume,
            "liquidity": self._liquidity,
            "split": self._split,
            "verdict": self._pool_as_shown,
            "pool": lambda one: order.states(one.answer),
            "own order": self._own_order,
            "own trades": self._own_trades,
            "own positions": self._own_positions,
            "all trades": self._all_trades,
        }

    def place(self, operation: Operation) -> Placed | None:
        """Return where an operation may stand; None: anywhere. Raises `Contradiction` where it may nowhere."""
        if operation.is_done:
            allowed: Ranges | None = self._kinds[operation.kind](operation)
        else:
            allowed = self._refused(operation)
        if allowed is None:
            return None
        if not allowed:
            raise Contradiction(f"{_who(operation)} shows what never was: {str(operation.answer)[:300]}")
        chain = operation.answer["id"] if operation.kind == "order" and operation.is_done else None
        is_change = operation.kind in WRITES and self.claimed.get(allowed[0][0]) is operation
        return Placed(operation, allowed, is_public=operation.kind in PUBLIC, is_change=is_change, chain=chain)

    def unknown(self, operation: Operation) -> Placed | None:
        """Return where an order stands whose answer never came; None where it was not executed, or not seen to be."""
        for trade_id in self._traded[operation.user_id].sums[1:] if operation.user_id in self._traded else ():
            slot = self._order.slots[trade_id]
            trade = self._order.step(slot).trades[0]
            is_own = trade.id == trade_id and self._owners[trade_id][2] != "maker"
            if is_own and slot not in self.claimed and _is_asked(operation, trade):
                self.claimed[slot] = operation
                return Placed(operation, [(slot, slot)])
        return None

    def unclaimed(self) -> list[str]:
        """Return the steps that no one requested."""
        return [
            f"no one requested {step.what} {[trade.id for trade in step.trades]}"
            for slot, step in self._order.numbered()
            if slot not in self.claimed
            and step.what in {"trade", "liquidity", "split"}
            # Orders that follow what others left are steps of their own after liquidity alone.
            and not (step.trades and all(self._owners[trade.id][2] == "maker" for trade in step.trades))
        ]

    def _sum_up(self) -> None:
        """Sum up what each user held, and each order had filled, after each step."""
        held: defaultdict[int, Counter[tuple[int, str]]] = defaultdict(Counter)
        filled: Counter[int] = Counter()
        for slot, step in self._order.numbered():
            for trade in step.trades:
                if trade.id not in self._owners:
                    raise Contradiction(f"trade {trade.id} is in no trader's own list")
                user_id, order_id, _ = self._owners[trade.id]
                for market_id, shares in _legs(trade):
                    held[user_id][market_id, trade.side.value] += shares
                _note(self._shares, user_id, slot, {key: n for key, n in held[user_id].items() if n}, first={})
                _note(self._traded, user_id, slot, trade.id, first=0)
                if order_id is not None:
                    filled[order_id] += trade.shares
                    _note(self._filled, order_id, slot, filled[order_id], first=0)
        final = {trade.id for _, step in self._order.numbered() for trade in step.trades}
        if self._owners.keys() != final:
            raise Contradiction(f"trades {sorted(self._owners.keys() - final)[:5]} are in own lists alone")

    def _assign(self, slot: int, operation: Operation) -> Ranges:
        first = self.claimed.setdefault(slot, operation)
        if first is not operation:
            raise Contradiction(f"{_who(operation)} was answered with what {_who(first)} did")
        return [(slot, slot)]

    def _trade(self, one: Operation) -> Ranges:
        return self._assign(self._found(one, one.answer["id"]), one)

    def _found(self, one: Operation, trade_id: int) -> int:
        """Return the slot of an answered trade, which must be the one that is final."""
        slot = self._order.slots.get(trade_id)
        if slot is None:
            raise Contradiction(f"{_who(one)}: trade {trade_id} was answered, and is lost")
        trade = next(trade for trade in self._order.step(slot).trades if trade.id == trade_id)
        answer = one.answer
        is_limit = one.kind == "order"
        said = (answer["market_id"], answer["token_type"], answer["probability_before"], answer["probability_after"])
        if said != (trade.market_id, trade.side.value, trade.before, trade.after):
            raise Contradiction(f"{_who(one)} was answered {answer}, listed is {trade}")
        kopecks = answer["payout_kopecks"] if one.kind == "sale" else answer["amount_kopecks"]
        if not is_limit and (answer["shares"], kopecks) != (trade.shares, trade.amount_kopecks):
            raise Contradiction(f"{_who(one)} was answered {answer}, listed is {trade}")
        if self._owners[trade_id][0] != one.user_id:
            raise Contradiction(f"{_who(one)} is listed as of user {self._owners[trade_id][0]}")
        return slot

    def _basket(self, one: Operation) -> Ranges:
        slot = self._order.basket_slots.get(one.answer["id"])
        if slot is None:
            raise Contradiction(f"{_who(one)}: basket {one.answer['id']} was answered, and is lost")
        final = Counter[int]()
        for trade in self._order.step(slot).trades:
            final.update(dict(_legs(trade)))
        if final != Counter({leg["market_id"]: leg["shares"] for leg in one.answer["legs"]}):
            raise Contradiction(f"{_who(one)} was answered {one.answer['legs']}, listed are {final}")
        return self._assign(slot, one)

    def _limit_order(self, one: Operation) -> Ranges:
        answer = one.answer
        if answer["trade_id"] is not None:
            return self._assign(self._found(one, answer["trade_id"]), one)
        fills = self._filled.get(answer["id"])
        if fills is None:
            return self._open
        if answer["filled_shares"]:
            # What followed it, filled it at once.
            return [(start, start) for start, _ in fills.when(answer["filled_shares"])]
        return overlap(self._open, 0, fills.after(0) - 1)

    def _cancel(self, one: Operation) -> Ranges:
        if one.answer["status"] == "open":
            raise Contradiction(f"{_who(one)} was answered with an open order")
        self._cancelled.setdefault(one.answer["id"], one.ended_ns)
        allowed = self._own_order(one)
        if one.answer["status"] == "cancelled" and allowed and allowed[-1][1] != END:
            raise Contradiction(f"{_who(one)}: order {one.answer['id']} was cancelled, and filled later")
        return allowed

    def _own_order(self, one: Operation) -> Ranges:
        answer = one.answer
        if answer["status"] == "open" and self._cancelled.get(answer["id"], END) < one.began_ns:
            raise Contradiction(f"{_who(one)} shows order {answer['id']} open, whose cancel was answered")
        fills = self._filled.get(answer["id"])
        if fills is None:
            return [(0, END)] if not answer["filled_shares"] else []
        return fills.when(answer["filled_shares"])

    def _resume(self, one: Operation) -> Ranges:
        if one.process != SEVERAL:
            return self._order.states(one.answer)
        return [(slot + 1, slot + 1) for slot, step in self._order.numbered() if step.what == "resume"]

    def _pool_as_shown(self, one: Operation) -> Ranges:
        # The answer shows the state that it made.
        return self._order.states(one.answer)

    def _liquidity(self, one: Operation) -> Ranges:
        b = one.asked["lmsr_b_kopecks"]
        steps = [slot for slot, step in self._order.numbered() if step.what == "liquidity" and step.shown.b == b]
        if not steps:
            raise Contradiction(f"{_who(one)}: it was answered, and is lost")
        return self._assign(steps[0], one)

    def _split(self, one: Operation) -> Ranges:
        names = {market["id"]: market["name"] for market in one.answer["markets"]}
        outcomes = [split["outcome_index"] for split in self._order.pool["splits"]]
        shown = {market["outcome_index"]: market["name"] for market in self._order.pool["markets"]}
        found = [number for number, outcome in enumerate(outcomes) if shown[outcome] == one.asked["name"]]
        if not found or one.asked["name"] not in names.values():
            raise Contradiction(f"{_who(one)}: {one.asked['name']} was taken out, and is lost")
        return self._assign(self._order.of_change("split", found[0]), one)

    def _own_trades(self, one: Operation) -> Ranges:
        traded = self._traded.get(one.user_id)
        if traded is None:
            return [(0, END)] if not one.answer else []
        if not one.answer:
            return traded.when(0) if one.asked["is_all"] else [(0, END)]
        place = traded.sums.index(one.answer[0]) if one.answer[0] in traded.sums else -1
        if place < 0 or traded.sums[place - len(one.answer) + 1 : place + 1] != one.answer[::-1]:
            raise Contradiction(f"{_who(one)} shows {one.answer}, which are not neighbours in {traded.sums[-20:]}")
        return traded.when(one.answer[0])

    def _own_positions(self, one: Operation) -> Ranges:
        shares = self._shares.get(one.user_id)
        shown = {(market_id, side): amount for market_id, side, amount in one.answer}
        if one.ended_ns > self._paid_from_ns:
            return [(0, END)]
        if shares is None:
            return [] if shown else [(0, END)]
        return shares.when(shown)

    def _all_trades(self, one: Operation) -> Ranges:
        ids: Sequence[int] = one.answer
        final = sorted(self._order.slots)
        if list(ids) != final[: len(ids)][::-1]:
            missing = sorted(set(final[: len(ids)]) - set(ids))[:5]
            raise Contradiction(f"{_who(one)}: a traversal has a hole or a row twice: {missing} are missing")
        if not ids:
            return [(0, self._order.slots[final[0]] - 1 if final else END)]
        slot = self._order.slots[ids[0]]
        if self._order.step(slot).trades[-1].id != ids[0]:
            raise Contradiction(f"{_who(one)} shows a part of an order")
        following = list(final[len(ids) : len(ids) + 1])
        return [(slot, self._order.slots[following[0]] - 1 if following else END)]

    def _refused(self, one: Operation) -> Ranges | None:
        if one.kind not in _ORDERS:
            return None
        if one.error == "market_paused":
            return self._order.ranges(is_paused=True, has_verdict=False)
        if one.error in _ENDED:
            return self._order.ranges(has_verdict=True)
        if one.error == "slippage" and "outcomes" in one.answer.get("details", {}):
            return self._order.ranges(has_verdict=False, outcomes=one.answer["details"]["outcomes"])
        return None


def _note(sums: dict[int, Cumulated], key: int, slot: int, value: Any, *, first: Any) -> None:
    cumulated = sums.setdefault(key, Cumulated([0], [first]))
    cumulated.slots.append(slot)
    cumulated.sums.append(value)


def _legs(trade: PublicTrade) -> list[tuple[int, int]]:
    """Return the markets of a trade, and the shares of each, below 0 where sold."""
    parts = [(leg.market_id, leg.shares) for leg in trade.legs] or [(trade.market_id, trade.shares)]
    return [(market_id, shares if trade.is_buy else -shares) for market_id, shares in parts]


def _is_asked(one: Operation, trade: PublicTrade) -> bool:
    """Return whether a trade can be what an operation requested."""
    asked: Mapping[str, Any] = one.asked
    if one.kind == "basket":
        return trade.basket_id is not None
    if trade.basket_id is not None or (asked["market_id"], asked["token_type"]) != (trade.market_id, trade.side.value):
        return False
    if one.kind == "order":
        return trade.is_buy is (asked["action"] == "buy")
    if one.kind == "bet":
        return trade.is_buy and trade.amount_kopecks == int(asked["amount_kopecks"])
    return not trade.is_buy and trade.shares == int(asked["shares"])


def _who(one: Operation) -> str:
    return f"{one.kind} of user {one.user_id}"
