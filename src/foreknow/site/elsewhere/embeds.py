"""What a card of an event says in a page elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from foreknow.kernel.clock import SECOND_MS
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.service import visible_event
from foreknow.market.events.store import EventRow, EventStatus
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.shape_view import axis_of
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.previews.content import market_names, state_of
from foreknow.site.previews.texts import WORDS, PreviewLanguage, Words, date, percent

_MINUS = "\N{MINUS SIGN}"

#: What holds a value in eight of ten cases, as `bandText` of the client says it: an open range has one end.
_BANDS: Final[dict[PreviewLanguage, dict[str, str]]] = {
    "en": {
        "between": "80% between {low} and {high}",
        "wider": "80% from under {low} to over {high}",
        "wider_dates": "80% from before {low} to after {high}",
        "ninety": "90%",
        "under": "under {end}",
        "over": "over {end}",
        "sooner": "before {end}",
        "later": "after {end}",
    },
    "ru": {
        "between": "80\u00a0% между {low} и {high}",
        "wider": "80\u00a0% от {low} до {high} и дальше в обе стороны",
        "wider_dates": "80\u00a0% от {low} до {high} и дальше в обе стороны",
        "ninety": "90\u00a0%",
        "under": "меньше {end}",
        "over": "больше {end}",
        "sooner": "раньше {end}",
        "later": "позже {end}",
    },
}
#: Outcomes that a card lists; of others it gives the number.
OUTCOMES_MAX = 3
#: Digits of a number that are shown, of those after the point none of more.
DIGITS = 3


class EmbedOutcome(msgspec.Struct, frozen=True):
    """An outcome of the main pool."""

    name: str
    #: As text; "" once the pool has a winner.
    figure: str
    permille: int
    has_won: bool
    #: Its position in the pool; None for a yes/no question.
    index: int | None


class EmbedSpread(msgspec.Struct, frozen=True):
    """What is thought of a number or a date: its median and what most likely holds it as text, and all ranges."""

    median: str
    band: str
    permille: list[int]


class EmbedCard(msgspec.Struct, frozen=True):
    """An event as its card shows it."""

    event_id: int
    question: str
    state: str
    outcomes: list[EmbedOutcome]
    #: How many more there are.
    more: int
    #: In place of outcomes; None for all other questions, and once there is a winner.
    spread: EmbedSpread | None
    #: Whether its prices may move.
    is_live: bool


def card_of(tx: ReadTx, event_id: int, language: PreviewLanguage, *, now_ms: int) -> tuple[EmbedCard, Sequence[int]]:
    """Return the card of a public event, and the pool that it shows; `EventNotFound`."""
    event = visible_event(tx, event_id, None)
    pool_id = main_pool_id(event, pool_ids_of_events(tx, [event_id])[event_id])
    pool = load_pools(tx, [pool_id])[pool_id]
    words = WORDS[language]
    probabilities = current_prices(pool).probabilities
    names = [words.yes] if len(pool.markets) == 1 else market_names(pool, language)
    result = None if event.status is EventStatus.CANCELLED else pool.final_result(now_ms)
    winner = None if result is None else result.winner
    found = _outcomes(names, probabilities, winner, words)
    shown = sorted(found, key=lambda one: (-one.has_won, -one.permille))[:OUTCOMES_MAX]
    card = EmbedCard(
        event_id,
        (event.name_ru or event.name) if language == "ru" else event.name,
        state_of(event, pool, words, now_ms=now_ms),
        shown,
        len(pool.markets) - len(shown),
        _spread(pool, probabilities, language) if winner is None else None,
        _is_live(event, pool, now_ms=now_ms),
    )
    return card, [pool_id]


def _outcomes(
    names: Sequence[str], probabilities: Sequence[float], winner: int | None, words: Words
) -> list[EmbedOutcome]:
    is_yes_no = len(names) == 1
    if winner is not None and is_yes_no:
        return [EmbedOutcome(words.no if winner else words.yes, "", 1000, has_won=True, index=None)]
    return [
        EmbedOutcome(
            name,
            percent(probability, words) if winner is None else "",
            round(probability * 1000) if winner is None else 1000 * (index == winner),
            has_won=index == winner,
            index=None if is_yes_no else index,
        )
        for index, (name, probability) in enumerate(zip(names, probabilities, strict=True))
    ]


def _spread(pool: PoolRow, probabilities: Sequence[float], language: PreviewLanguage) -> EmbedSpread | None:
    axis = axis_of(pool)
    if axis is None or pool.shape is None:
        return None
    words = _BANDS[language]
    is_date = pool.shape["kind"] == "date"
    unit = pool.shape.get("unit")
    first, last = axis.edges[0], axis.edges[-1]

    def plain(value: float) -> str:
        return date(round(value * SECOND_MS), WORDS[language]) if is_date else _number(value, language)

    def with_unit(value: float) -> str:
        return plain(value) + (f"\u00a0{unit}" if unit else "")

    def beyond(value: float, *, is_over: bool) -> str:
        word = ("later" if is_over else "sooner") if is_date else ("over" if is_over else "under")
        return words[word].format(end=with_unit(value))

    low, _, median, _, high = axis.quantiles(probabilities)
    if first < low and high < last:
        band = words["between"].format(low=plain(low), high=with_unit(high))
    elif low <= first and last <= high:
        band = words["wider_dates" if is_date else "wider"].format(low=plain(low), high=with_unit(high))
    else:
        band = f"{words['ninety']} {beyond(high, is_over=False) if low <= first else beyond(low, is_over=True)}"
    shown = with_unit(median) if first < median < last else beyond(median, is_over=last <= median)
    return EmbedSpread(shown, band, [round(one * 1000) for one in probabilities])


def _number(value: float, language: PreviewLanguage) -> str:
    decimals = DIGITS - 1 - math.floor(math.log10(abs(value))) if value else 0
    whole, _, fraction = f"{value:,.{max(0, decimals)}f}".partition(".")
    fraction = fraction.rstrip("0")
    if language == "ru":
        whole = whole.replace(",", "\u00a0")
    point = "," if language == "ru" else "."
    return whole.replace("-", _MINUS) + (point + fraction if fraction else "")


def _is_live(event: EventRow, pool: PoolRow, *, now_ms: int) -> bool:
    is_over = pool.is_decided or pool.is_resolved(now_ms) or pool.is_over(now_ms)
    return event.status is not EventStatus.CANCELLED and not is_over
