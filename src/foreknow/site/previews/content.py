"""What the picture of an event shows, from the rows. The same content is the same picture, byte for byte."""

from __future__ import annotations

import msgspec

from foreknow.kernel.site_theme import SiteTheme
from foreknow.market import charts
from foreknow.market.charts import MarketPoint
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.service import visible_event
from foreknow.market.events.store import EventRow, EventStatus
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.splits import market_names_ru
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.previews.texts import WORDS, PreviewLanguage, Words, date, moment, percent

#: The line's resolution: whole steps of both axes.
LINE_X = 700
LINE_Y = 500


class Brand(msgspec.Struct, frozen=True):
    """What stands before the site's name: its mark as PNG, b"" for the product's; that in the site's own accent."""

    mark: bytes = b""
    theme: SiteTheme | None = None


class PreviewContent(msgspec.Struct, frozen=True):
    """All that a picture shows."""

    language: PreviewLanguage
    site_name: str
    brand: Brand
    question: str
    state: str
    #: The leading outcome, or the one that won.
    outcome: str
    #: Its position in the pool; None for a yes/no question.
    outcome_index: int | None
    #: Whether NO of a yes/no question has won: the picture is NO's then.
    is_no: bool
    #: Its probability as text; "" once it has won.
    figure: str
    #: The same in thousandths.
    permille: int
    #: Points (x, y) of 0 … `LINE_X` and 0 … `LINE_Y`; the price holds from one to the next.
    line: list[tuple[int, int]]


def content_of(
    tx: ReadTx, event_id: int, language: PreviewLanguage, *, site_name: str, brand: Brand, now_ms: int
) -> PreviewContent:
    """Return what the picture of a public event shows; `EventNotFound`."""
    event = visible_event(tx, event_id, None)
    pool_id = main_pool_id(event, pool_ids_of_events(tx, [event_id])[event_id])
    pool = load_pools(tx, [pool_id])[pool_id]
    words = WORDS[language]
    prices = current_prices(pool)
    result = pool.final_result(now_ms)
    winner = None if result is None else result.winner
    has_won = winner is not None
    is_yes_no = len(pool.markets) == 1
    index = max(range(len(pool.markets)), key=prices.probabilities.__getitem__)
    if winner is not None and not is_yes_no:
        index = winner
    is_no = is_yes_no and winner == 1
    probability = 1 - prices.probabilities[index] if is_no else prices.probabilities[index]
    end_ms = pool.priced_until_ms(now_ms)
    points = charts.market_chart(tx, pool_id, index, prices, end_ms=end_ms)
    side = words.no if is_no else words.yes
    return PreviewContent(
        language=language,
        site_name=site_name,
        brand=brand,
        question=(event.name_ru or event.name) if language == "ru" else event.name,
        state=state_of(event, pool, words, now_ms=now_ms),
        outcome=side if is_yes_no else market_names(pool, language)[index],
        outcome_index=None if is_yes_no else index,
        is_no=is_no,
        figure="" if has_won else percent(probability, words),
        permille=round(probability * 1000),
        line=_line(points, end_ms=end_ms, is_no=is_no),
    )


def market_names(pool: PoolRow, language: PreviewLanguage) -> list[str]:
    """Return the names of a pool's markets in a language, as far as they are known."""
    names = [market.name for market in pool.markets]
    if language != "ru":
        return names
    return [other or name for name, other in zip(names, market_names_ru(pool), strict=True)]


def state_of(event: EventRow, pool: PoolRow, words: Words, *, now_ms: int) -> str:
    """Return in words what an event and its main pool wait for, or how they ended."""
    if event.status is EventStatus.CANCELLED:
        return words.cancelled
    if pool.is_resolved(now_ms):
        result = pool.final_result(now_ms)
        return words.no_winner if result is None or result.winner is None else words.resolved
    final_at_ms = pool.standing.final_at_ms
    if pool.is_decided and final_at_ms is not None:
        return words.decided_until.format(moment(final_at_ms, words))
    if pool.is_decided or pool.is_over(now_ms):
        return words.awaiting
    return words.open if pool.finish_at_ms is None else words.open_until.format(date(pool.finish_at_ms, words))


def _line(points: list[MarketPoint], *, end_ms: int, is_no: bool) -> list[tuple[int, int]]:
    """Return a market's history as steps of a line. Without trades it stays the same for a while, as time goes on."""
    begin_ms = points[0].at_ms
    # The time axis grows by a 32nd to a 64th of itself at once.
    step_ms = 1 << max(0, (end_ms - begin_ms).bit_length() - 6)
    span_ms = max(1, -(-(end_ms - begin_ms) // step_ms) * step_ms)
    line: list[tuple[int, int]] = []
    for point in points:
        probability = 1 - point.probability if is_no else point.probability
        x, y = (point.at_ms - begin_ms) * LINE_X // span_ms, round(probability * LINE_Y)
        if not line or line[-1][1] != y:
            line.append((x, y))
    return [*line, (LINE_X, line[-1][1])]
