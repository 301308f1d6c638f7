"""Reads all that an event's page shows: a few statements, whatever the event's age and trades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import may_still_edit, may_still_run
from foreknow.kernel.clock import iso_or_none
from foreknow.market import charts
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.schemas import event_view
from foreknow.market.events.service import visible_event
from foreknow.market.events.store import EventRow, EventStatus, neighbours
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.shape_view import quantiles_of
from foreknow.market.pools.store import PoolRow, PoolState, load_pools, pool_ids_of_events, resolution_times
from foreknow.money.ledger import AccountKind, balances_kopecks, last_returns
from foreknow.people.follows.store import does_follow_event
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import person
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.store import NO_ACTIVITY, activity_of_events, traders_of_pools
from foreknow.site.cards.page_schemas import EventDetails, HouseMoney, PageAction, PoolDetails
from foreknow.site.comments import store as comments
from foreknow.site.portfolio import store as portfolio
from foreknow.site.portfolio.schemas import Position
from foreknow.site.portfolio.views import open_view
from foreknow.trading.house import earned_kopecks
from foreknow.trading.lists.service import may_split, other_bound_of
from foreknow.trading.settlement.authority import leaves_to_another, may_cancel, may_decide


class FoundDetails(NamedTuple):
    """What a page shows, and the pools that it shows."""

    details: EventDetails
    pool_ids: Sequence[int]


def event_details(tx: ReadTx, event_id: int, visitor: UserCaller | None, *, now_ms: int) -> FoundDetails:
    """Return what an event's page shows to a visitor; `EventNotFound`."""
    row = visible_event(tx, event_id, visitor)
    pool_ids = pool_ids_of_events(tx, [event_id])[event_id]
    found = load_pools(tx, pool_ids)
    pools = [found[pool_id] for pool_id in pool_ids]
    may = _actions(tx, visitor, row, pools, now_ms=now_ms)
    is_resolved = row.status_at(now_ms) is EventStatus.RESOLVED
    details = EventDetails(
        event=event_view(row, pools, neighbours(tx, [row]).get(event_id), now_ms=now_ms),
        creator=public_user(person(tx, row.creator_id)),
        creator_trades=row.volume_kopecks > 0 and portfolio.has_traded_in(tx, row.creator_id, event_id),
        published_at=iso_or_none(row.published_at_ms),
        finish_at=iso_or_none(row.finish_at_ms),
        resolved_at=iso_or_none(resolution_times(tx, [event_id])[event_id] if is_resolved else None),
        main_pool_index=pool_ids.index(main_pool_id(row, pool_ids)),
        volume_kopecks=row.volume_kopecks,
        traders=activity_of_events(tx, [event_id]).get(event_id, NO_ACTIVITY).traders,
        comments=comments.counts(tx, [event_id])[event_id],
        may=may,
        following=visitor is not None and does_follow_event(tx, visitor.user_id, event_id),
        pools=_pools(tx, pools, _house(tx, pools) if may else {}, now_ms=now_ms),
        positions=[] if visitor is None else _positions(tx, visitor.user_id, event_id, now_ms=now_ms),
    )
    return FoundDetails(details, pool_ids)


def _actions(
    tx: ReadTx, visitor: UserCaller | None, row: EventRow, pools: Sequence[PoolRow], *, now_ms: int
) -> list[PageAction]:
    """Return what a visitor may do with an event now, as its endpoints check it."""
    if visitor is None or not may_still_run(visitor, row):
        return ["image"] if visitor is not None and may_still_edit(visitor, row) else []
    is_publishable = not any(pool.state is not PoolState.NEW or pool.is_over(now_ms) for pool in pools)
    allowed: dict[PageAction, bool] = {
        "publish": is_publishable,
        "cancel": may_cancel(row, pools, visitor, now_ms=now_ms),
        "pause": not all(pool.is_decided for pool in pools),
        "resolve": any(
            may_decide(pool, visitor, now_ms=now_ms) and not leaves_to_another(tx, pool, visitor) for pool in pools
        ),
        "outcome": any(may_split(pool, pools, now_ms) for pool in pools),
        "image": True,
    }
    return [action for action, is_allowed in allowed.items() if is_allowed]


def _pools(tx: ReadTx, rows: Sequence[PoolRow], house: Mapping[int, HouseMoney], *, now_ms: int) -> list[PoolDetails]:
    prices = {row.id: current_prices(row) for row in rows}
    before = charts.day_ago(tx, prices, now_ms=now_ms)
    traders = traders_of_pools(tx, prices.keys())
    return [
        PoolDetails(
            pool_id=row.id,
            paused=row.paused,
            volume_kopecks=row.volume_kopecks,
            trades=row.trade_count,
            traders=traders[row.id],
            probabilities_24h=list(before[row.id]),
            quantiles=quantiles_of(row, prices[row.id].probabilities),
            loss_bound_kopecks=row.loss_bound_kopecks,
            resolved_at=iso_or_none(row.resolved_since_ms(now_ms)),
            house=house.get(row.id),
        )
        for row in rows
    ]


def _house(tx: ReadTx, rows: Sequence[PoolRow]) -> dict[int, HouseMoney]:
    pool_ids = [row.id for row in rows]
    escrow = balances_kopecks(tx, kind=AccountKind.ESCROW, owner_ids=pool_ids)
    fees = balances_kopecks(tx, kind=AccountKind.FEES, owner_ids=pool_ids)
    paid = [row for row in rows if row.state is PoolState.RESOLVED and not row.paying and row.published_at_ms]
    results = _results(tx, paid, fees)
    held = balances_kopecks(tx, kind=AccountKind.ORDERS, owner_ids=pool_ids)
    return {
        row.id: HouseMoney(escrow[row.id], fees[row.id], results.get(row.id), held.get(row.id, 0), other_bound_of(row))
        for row in rows
    }


def _results(tx: ReadTx, paid: Sequence[PoolRow], fees: Mapping[int, int]) -> dict[int, int]:
    """Return the house's result of each of these pools, whose positions are all paid, kopecks."""
    returns = last_returns(tx, [row.escrow_account_id for row in paid])
    earned = earned_kopecks(tx, [row.id for row in paid])
    found: dict[int, int] = {}
    for row in paid:
        if not row.trade_count:
            # All came back.
            found[row.id] = 0
            continue
        last = returns.get(row.escrow_account_id)
        # One from before its trades followed a change of its prior, and nothing was left after its positions.
        is_rest = last is not None and last.created_at_ms >= (row.last_trade_at_ms or 0)
        rest_kopecks = last.amount_kopecks if last is not None and is_rest else 0
        found[row.id] = fees[row.id] + rest_kopecks - row.loss_bound_kopecks + earned[row.id]
    return found


def _positions(tx: ReadTx, user_id: int, event_id: int, *, now_ms: int) -> list[Position]:
    rows = portfolio.all_open_in(tx, user_id, event_id)
    values = portfolio.values_of(tx, rows, now_ms=now_ms)
    return [open_view(row, user_id, value) for row, value in zip(rows, values, strict=True)]
