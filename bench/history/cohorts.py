"""Events that live at the same time: their pools are stamped from templates, their trades interleave."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.history.books import HOUSE, Books
from bench.history.names import EventName, EventNames
from bench.history.people import WHALES, People
from bench.history.plan import BEAT_MS, COHORT_MS, Plan
from bench.history.templates import Template, Trade
from foreknow.kernel.clock import DAY_MS
from foreknow.money.pricing import Side, average_price_bps
from foreknow.people import notifications
from foreknow.people.notifications.kinds.followed import EventResolved
from foreknow.people.notifications.kinds.own import PositionSettled
from foreknow.people.notifications.kinds.run import EventPublished

#: One of this number of trades has an Idempotency-Key and a stored response.
KEYS_EVERY = 20
FLUSH_EVERY = 2_000


@dataclass(frozen=True, slots=True)
class EventStamp:
    """An event of the history; published at `base_ms`, if ever."""

    id: int
    name: str
    creator_id: int
    base_ms: int
    finish_ms: int | None
    is_settled: bool


@dataclass(slots=True)
class Stamp:
    """One pool made of a template."""

    template: Template
    pool_id: int
    event_id: int
    event_name: str
    first_market_id: int
    escrow: int
    fees: int
    #: When it was published.
    base_ms: int
    is_settled: bool
    #: The user in each slot.
    users: Sequence[int]
    #: Ids given to its positions, 0 until they are opened.
    positions: list[int]


@dataclass(slots=True)
class Cohort:
    """One cohort: writes its events and pools, then all their trades and settlements in the order of time."""

    plan: Plan
    books: Books
    people: People
    rng: random.Random
    templates: Sequence[Template]
    names: EventNames
    stamps: list[Stamp] = field(default_factory=list)
    #: (id, name, publication) of those that were published.
    published: list[tuple[int, str, int]] = field(default_factory=list)

    def run(self, number: int, pools: Sequence[int]) -> None:
        """Write cohort `number` with the pools of these numbers (which templates they are stamped from)."""
        begin_ms = self.plan.begin_ms + number * COHORT_MS // BEAT_MS * BEAT_MS
        is_settled = number < self.plan.cohorts - self.plan.open_cohorts
        left = list(pools)
        while left:
            size = min(len(left), self.rng.choices((1, 2, 5), weights=(70, 20, 10))[0])
            base_ms = begin_ms + self.rng.randrange(4) * BEAT_MS
            self._event(left[:size], base_ms, is_settled=is_settled)
            del left[:size]
            if self.rng.random() < 0.02:
                self._unpublished(base_ms, is_cancelled=self.rng.random() < 0.5)
        self._trade_all()

    def _event(self, pools: Sequence[int], base_ms: int, *, is_settled: bool) -> None:
        # Some of the open ones have no deadline, some are past it, waiting to be resolved.
        draw = self.rng.random()
        finish_ms = base_ms + (COHORT_MS if is_settled or draw < 0.4 else 400 * DAY_MS)
        event = self._new_event(base_ms, finish_ms=None if draw < 0.3 else finish_ms, is_settled=is_settled)
        stamps = [self._pool(pool, event, place) for place, pool in enumerate(pools)]
        volume = sum(sum(stamp.template.volumes_kopecks) for stamp in stamps)
        self._write_event(
            event, status="resolved" if is_settled else "active", published_ms=base_ms, volume_kopecks=volume
        )
        self.published.append((event.id, event.name, base_ms))
        name = EventName(event.id, event.name)
        self._notify(notifications.NewNotifications(name, at_ms=base_ms).add(event.creator_id, EventPublished()))
        if is_settled:
            at_ms = base_ms + max(stamp.template.end_offset_ms for stamp in stamps)
            self._notify(notifications.NewNotifications(name, at_ms=at_ms).add(event.creator_id, EventResolved()))

    def _new_event(self, base_ms: int, *, finish_ms: int | None = None, is_settled: bool = False) -> EventStamp:
        event_id = self.books.next_id("events")
        creator_id = self.rng.choice(self.people.creators)
        return EventStamp(event_id, self.names.english(event_id), creator_id, base_ms, finish_ms, is_settled)

    def _unpublished(self, base_ms: int, *, is_cancelled: bool) -> None:
        """Write an unpublished event."""
        books, event = self.books, self._new_event(base_ms)
        template, pool_id = self.templates[event.id % len(self.templates)], books.next_id("pools")
        accounts = books.open_account("escrow", pool_id), books.open_account("fees", pool_id)
        end = (base_ms, -1, '{"void":true}') if is_cancelled else (None, None, None)
        state = "resolved" if is_cancelled else "new"
        books.rows["pools"].append(
            (pool_id, event.id, event.creator_id, 0, event.name, "", "", template.margin, None, None, "{}", template.b,
             _weights(template), state, False, False, None, *end, template.loss_bound_kopecks, *accounts, 0, 0, None)
        )  # fmt: skip
        for outcome, probability in enumerate(template.probabilities):
            market_id = books.next_id("markets")
            market = (market_id, pool_id, event.id, outcome, f"Outcome {outcome}", probability, 0, 0, 0, 0)
            books.rows["markets"].append(market)
        self._write_event(event, status="cancelled" if is_cancelled else "new", published_ms=None, volume_kopecks=0)

    def _write_event(self, event: EventStamp, *, status: str, published_ms: int | None, volume_kopecks: int) -> None:
        name, name_ru, tags = event.name, self.names.russian(event.id), self.names.tags(event.id)
        times = (event.base_ms, published_ms, None if event.is_settled else event.finish_ms, event.finish_ms)
        self.books.rows["events"].append(
            (event.id, event.creator_id, name, name_ru, self.names.search_key(name, name_ru), json.dumps(tags),
             "[]", "[]", False, "", None, "", 0, 0, status, *times, volume_kopecks)
        )  # fmt: skip
        self.books.rows["event_tags"].extend((tag, event.id) for tag in tags)
        letters = self.names.name_suffixes(name, name_ru)
        self.books.rows["event_names_from"].extend((part, event.id) for part in letters)

    def _pool(self, number: int, event: EventStamp, place: int) -> Stamp:
        base_ms, is_settled = event.base_ms, event.is_settled
        books, template = self.books, self.templates[number % len(self.templates)]
        pool_id = books.next_id("pools")
        escrow, fees = books.open_account("escrow", pool_id), books.open_account("fees", pool_id)
        market_ids = [books.next_id("markets") for _ in template.probabilities]
        end: tuple[int | None, int | None, str | None] = (None, None, None)
        if is_settled:
            requested = json.dumps(template.resolution.requested, separators=(",", ":"))
            end = (base_ms + template.end_offset_ms, template.resolution.won_side, requested)
        books.rows["pools"].append(
            (pool_id, event.id, event.creator_id, place, f"{event.name} {place}", "", "As they say.", template.margin,
             None, event.finish_ms, "{}", template.b, _weights(template), "resolved" if is_settled else "open", False,
             False, base_ms, *end, template.loss_bound_kopecks, escrow, fees, sum(template.volumes_kopecks),
             len(template.trades), base_ms + template.trades[-1].offset_ms)
        )  # fmt: skip
        columns = zip(
            market_ids, template.probabilities, template.q_yes, template.q_no, template.volumes_kopecks, strict=True
        )
        books.rows["markets"].extend(
            (market_id, pool_id, event.id, outcome, f"Outcome {outcome}", probability, yes, no, 0, volume)
            for outcome, (market_id, probability, yes, no, volume) in enumerate(columns)
        )
        books.move("subsidy", HOUSE, escrow, template.loss_bound_kopecks, base_ms)
        books.rows["life_points"].append((pool_id, 0, base_ms, template.prior_life))
        stamp = Stamp(
            template, pool_id, event.id, event.name, market_ids[0], escrow, fees, base_ms, is_settled,
            self._cast(template, number), [0] * len(template.positions),
        )  # fmt: skip
        self.stamps.append(stamp)
        return stamp

    def _cast(self, template: Template, number: int) -> list[int]:
        """Choose distinct traders: the busiest few are whales in turn, the others random users."""
        many = min(WHALES // 10, template.slots)
        whales = [1 + (number * many + place) % WHALES for place in range(many)]
        others = len(self.books.account_of) - 1 - WHALES
        start, step = self.rng.randrange(others), self.rng.randrange(1, others)
        while math.gcd(step, others) > 1:
            step = self.rng.randrange(1, others)
        return whales + [1 + WHALES + (start + place * step) % others for place in range(template.slots - many)]

    def _trade_all(self) -> None:
        for at_ms, place, index in sorted(self._timeline()):
            stamp = self.stamps[place]
            if index < len(stamp.template.trades):
                self._trade(stamp, stamp.template.trades[index], index, at_ms)
            else:
                self._settle(stamp, at_ms)
        buckets = [
            (stamp.pool_id, step_ms, stamp.base_ms // step_ms + bucket, packed)
            for stamp in self.stamps
            for step_ms, bucket, packed in stamp.template.buckets
        ]
        # In the order in which they ended.
        self.books.rows["chart_buckets"].extend(sorted(buckets, key=lambda row: row[1] * row[2]))
        self.stamps.clear()

    def _timeline(self) -> Iterator[tuple[int, int, int]]:
        for place, stamp in enumerate(self.stamps):
            for index, trade in enumerate(stamp.template.trades):
                yield stamp.base_ms + trade.offset_ms, place, index
            if stamp.is_settled:
                yield stamp.base_ms + stamp.template.end_offset_ms, place, len(stamp.template.trades)

    def _trade(self, stamp: Stamp, trade: Trade, index: int, at_ms: int) -> None:
        books = self.books
        user_id = stamp.users[trade.slot]
        market_id = stamp.first_market_id + trade.outcome
        position_id = stamp.positions[trade.position] or self._open(stamp, trade.position, user_id)
        trade_id = books.next_id("trades")
        books.rows["trades"].append(
            (trade_id, stamp.event_id, stamp.pool_id, market_id, user_id, position_id,
             "buy" if trade.is_buy else "sell", trade.side, trade.amount_kopecks, trade.fee_kopecks, trade.shares,
             trade.pnl_kopecks, trade.before, trade.after, at_ms)
        )  # fmt: skip
        if trade.is_buy:
            self._pay_in(stamp, trade, user_id=user_id, market_id=market_id, trade_id=trade_id, at_ms=at_ms)
        else:
            account = books.account_of[user_id]
            books.move("sale", stamp.escrow, account, trade.amount_kopecks, at_ms, trade_id=trade_id)
            books.earn(user_id, trade.pnl_kopecks, at_ms)
            if partner_id := books.partner_of[user_id]:
                books.state_line(
                    partner_id,
                    "sale",
                    at_ms,
                    user_id=user_id,
                    market_id=market_id,
                    trade_id=trade_id,
                    balance_change=trade.amount_kopecks,
                )
        if trade.life is not None:
            books.rows["life_points"].append((stamp.pool_id, index + 1, at_ms, trade.life))
        books.count_trade(
            user_id,
            at_ms,
            volume=trade.amount_kopecks,
            fee=trade.fee_kopecks,
            shares=trade.shares if trade.is_buy else -trade.shares,
        )
        if trade_id % KEYS_EVERY == 0:
            self._keep_answer(trade, user_id, market_id, trade_id, at_ms)
        if trade_id % FLUSH_EVERY == 0:
            books.flush()

    def _pay_in(self, stamp: Stamp, trade: Trade, *, user_id: int, market_id: int, trade_id: int, at_ms: int) -> None:
        books = self.books
        account, stake = books.account_of[user_id], trade.amount_kopecks
        if partner_id := books.partner_of[user_id]:
            from_float = max(0, stake - books.balances[account])
            if from_float:
                books.move("funding", self.people.floats[partner_id], account, from_float, at_ms, trade_id=trade_id)
            books.state_line(
                partner_id,
                "bet",
                at_ms,
                user_id=user_id,
                market_id=market_id,
                trade_id=trade_id,
                float_change=-from_float,
                balance_change=from_float - stake,
            )
        books.move("bet", account, stamp.escrow, stake - trade.fee_kopecks, at_ms, trade_id=trade_id)
        if trade.fee_kopecks:
            books.move("fee", account, stamp.fees, trade.fee_kopecks, at_ms, trade_id=trade_id)

    def _open(self, stamp: Stamp, place: int, user_id: int) -> int:
        """Write a position when its first trade is made, as it will be in the end."""
        held = stamp.template.positions[place]
        state = held.settled if stamp.is_settled else held.traded
        position_id = stamp.positions[place] = self.books.next_id("positions")
        closed_ms = None if state.closed_at_ms is None else stamp.base_ms + state.closed_at_ms
        self.books.rows["positions"].append(
            (position_id, user_id, stamp.first_market_id + held.outcome, stamp.pool_id, stamp.event_id, state.side,
             state.shares, state.cost_kopecks, state.left_shares, state.left_cost_kopecks, state.pnl_kopecks,
             state.settled_shares, state.settled_kopecks, 0, stamp.base_ms + held.opened_ms, closed_ms, state.won_side)
        )  # fmt: skip
        return position_id

    def _settle(self, stamp: Stamp, at_ms: int) -> None:
        books, settled_shares = self.books, 0
        for held, position_id in zip(stamp.template.positions, stamp.positions, strict=True):
            if held.settled_pnl_kopecks is None:
                continue
            user_id, state = stamp.users[held.slot], held.settled
            account, paid = books.account_of[user_id], state.settled_kopecks
            settled_shares += state.settled_shares
            if paid:
                books.move("settlement", stamp.escrow, account, paid, at_ms, position_id=position_id)
            books.earn(user_id, held.settled_pnl_kopecks, at_ms)
            if partner_id := books.partner_of[user_id]:
                market_id = stamp.first_market_id + held.outcome
                books.state_line(
                    partner_id, "settlement", at_ms, user_id=user_id, market_id=market_id, balance_change=paid
                )
                continue
            settled = PositionSettled(
                pool_name="",
                pool_name_ru="",
                market_name=f"Outcome {held.outcome}",
                token_type=Side(state.side),
                shares=state.settled_shares,
                payout_kopecks=paid,
                pnl_kopecks=state.pnl_kopecks,
            )
            event = EventName(stamp.event_id, stamp.event_name)
            self._notify(notifications.NewNotifications(event, at_ms=at_ms).add(user_id, settled))
        rest = books.balances[stamp.escrow]
        if rest:
            books.move("return", stamp.escrow, HOUSE, rest, at_ms)
        metrics = books.days[at_ms // DAY_MS]
        metrics[5] -= settled_shares
        metrics[6] += rest - stamp.template.loss_bound_kopecks
        books.flush()

    def _notify(self, new: notifications.NewNotifications) -> None:
        for notice in new:
            # Most people read most of it.
            self.books.notify(notice, read_at_ms=notice.created_at_ms + 60_000 if self.rng.random() < 0.95 else None)

    def _keep_answer(self, trade: Trade, user_id: int, market_id: int, trade_id: int, at_ms: int) -> None:
        partner_id = self.books.partner_of[user_id]
        average = average_price_bps(money_kopecks=trade.amount_kopecks, shares=trade.shares)
        name = ("bet_id" if trade.is_buy else "sale_id") if partner_id else "id"
        stake = "stake_kopecks" if partner_id else "amount_kopecks"
        answer = {
            name: trade_id,
            "market_id": market_id,
            "token_type": trade.side,
            stake if trade.is_buy else "payout_kopecks": trade.amount_kopecks,
            "shares": trade.shares,
            "avg_price": average,
            "probability_before": trade.before,
            "probability_after": trade.after,
        }
        scope = f"partner:{partner_id}" if partner_id else f"user:{user_id}"
        body = json.dumps(answer, separators=(",", ":")).encode()
        fingerprint = f"{trade_id:064x}"
        self.books.rows["idempotency_keys"].append((scope, f"order-{trade_id}", fingerprint, 201, body, at_ms))


def _weights(template: Template) -> str:
    return json.dumps([str(weight) for weight in template.weights])
