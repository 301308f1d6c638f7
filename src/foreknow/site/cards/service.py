"""Makes cards of events: a few statements for a page, however many events there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from foreknow.kernel.clock import iso_or_none
from foreknow.kernel.pagination import Cursors, Slice
from foreknow.market import charts
from foreknow.market.charts import CurrentPrices, SparkPool
from foreknow.market.events.listing import EventFilter, page_length, read_rows
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.store import EventRow, EventStatus
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.shape_view import quantiles_of
from foreknow.market.pools.store import PoolRow, PricedPool, load_pools, pool_ids_of_events, resolution_times
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.store import NO_ACTIVITY, activity_of_events
from foreknow.site.cards.schemas import Card, CardOutcome, CardPool
from foreknow.site.cards.sort_orders import CardSort, order_of
from foreknow.site.comments import store as comments

#: Outcomes of a card.
TOP = 4


class CardSlice(NamedTuple):
    """One page of cards, and the pools that they show."""

    page: Slice[Card]
    pool_ids: Sequence[int]


def list_cards(
    tx: ReadTx,
    filters: EventFilter,
    sort: CardSort,
    cursors: Cursors,
    *,
    limit: int,
    cursor: str | None,
    now_ms: int,
) -> CardSlice:
    """Return one page; `InvalidCursor` for a cursor of another list, visitor or filter."""
    binding = f"cards by {filters.binding()}"
    after = cursors.decode(cursor, binding=binding) if cursor is not None else None
    order = order_of(sort, filters.status, after)
    rows = read_rows(tx, filters, order, now_ms=now_ms, limit=limit + 1)
    pool_ids = pool_ids_of_events(tx, [row.id for row in rows[:limit]])
    length = page_length(tx, [[main_pool_id(row, pool_ids[row.id])] for row in rows[:limit]])
    page = cursors.slice(rows, limit=length, binding=binding, position=lambda _last: order.after(rows[:length]))
    cards = _cards(tx, page.rows, pool_ids, now_ms=now_ms)
    return CardSlice(Slice(cards, page.next_cursor), [card.pool.pool_id for card in cards])


def _cards(tx: ReadTx, rows: Sequence[EventRow], pool_ids: Mapping[int, Sequence[int]], *, now_ms: int) -> list[Card]:
    event_ids = [row.id for row in rows]
    pools = load_pools(tx, [main_pool_id(row, pool_ids[row.id]) for row in rows])
    pool_cards = _pool_cards(tx, pools, now_ms=now_ms)
    activity, comment_counts = activity_of_events(tx, event_ids), comments.counts(tx, event_ids)
    statuses = {row.id: row.status_at(now_ms) for row in rows}
    resolved = resolution_times(tx, [one for one, status in statuses.items() if status is EventStatus.RESOLVED])
    return [
        Card(
            event_id=row.id,
            name=row.name,
            name_ru=row.name_ru,
            tags=row.tags,
            image_url=row.image_url,
            status=statuses[row.id].value,
            published_at=iso_or_none(row.published_at_ms),
            finish_at=iso_or_none(row.finish_at_ms),
            resolved_at=iso_or_none(resolved.get(row.id)),
            volume_kopecks=row.volume_kopecks,
            volume_24h_kopecks=activity.get(row.id, NO_ACTIVITY).volume_24h_kopecks,
            traders=activity.get(row.id, NO_ACTIVITY).traders,
            comments=comment_counts[row.id],
            pools=len(pool_ids[row.id]),
            pool=pool_cards[main_pool_id(row, pool_ids[row.id])],
        )
        for row in rows
    ]


def _pool_cards(tx: ReadTx, rows: Mapping[int, PoolRow], *, now_ms: int) -> dict[int, CardPool]:
    prices = {pool_id: current_prices(row) for pool_id, row in rows.items()}
    before = charts.day_ago(tx, prices, now_ms=now_ms)
    tops = {pool_id: _top(one.probabilities, rows[pool_id].other_index) for pool_id, one in prices.items()}
    published = {
        row.id: SparkPool(prices=prices[row.id], published_at_ms=row.published_at_ms, outcome_index=tops[row.id][0])
        for row in rows.values()
        if row.published_at_ms is not None
    }
    sparks = charts.sparks(tx, published, now_ms=now_ms)
    return {
        row.id: CardPool(
            pool_id=row.id,
            name=row.name,
            name_ru=row.name_ru,
            live_at=iso_or_none(row.live_at_ms),
            finish_at=iso_or_none(row.finish_at_ms),
            paused=row.paused,
            won_side=row.won_side_at(now_ms),
            outcomes=len(row.markets),
            other=row.other_index,
            top=[_outcome(row, index, prices[row.id], before[row.id]) for index in tops[row.id]],
            spark=sparks.get(row.id, []),
            quantiles=quantiles_of(row, prices[row.id].probabilities),
        )
        for row in rows.values()
    }


def _top(probabilities: Sequence[float], other: int | None) -> list[int]:
    """Return the most probable outcomes, of equal ones the first; of these a list's Other last."""
    top = sorted(range(len(probabilities)), key=lambda index: -probabilities[index])[:TOP]
    return sorted(top, key=lambda index: index == other)


def _outcome(row: PricedPool, index: int, prices: CurrentPrices, before: Sequence[float]) -> CardOutcome:
    market = row.markets[index]
    return CardOutcome(market.id, index, market.name, prices.probabilities[index], before[index])
