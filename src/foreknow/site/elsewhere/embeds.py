"""What a card of an event says in a page elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.market.events.service import visible_event
from foreknow.market.events.store import EventStatus
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.store import load_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.main_pool import main_pool_id
from foreknow.site.previews.content import market_names, state_of
from foreknow.site.previews.texts import WORDS, PreviewLanguage, percent

#: Outcomes that a card lists; of others it gives the number.
OUTCOMES_MAX = 4


class EmbedOutcome(msgspec.Struct, frozen=True):
    """An outcome of the main pool."""

    name: str
    #: As text; "" once the pool has a winner.
    figure: str
    permille: int
    has_won: bool


class EmbedCard(msgspec.Struct, frozen=True):
    """An event as its card shows it."""

    event_id: int
    question: str
    state: str
    outcomes: list[EmbedOutcome]
    #: How many more there are.
    more: int


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
    if winner is not None and len(pool.markets) == 1:
        outcomes = [EmbedOutcome(words.no if winner else words.yes, "", 1000, has_won=True)]
    else:
        outcomes = [
            EmbedOutcome(
                name,
                percent(probability, words) if winner is None else "",
                round(probability * 1000) if winner is None else 1000 * (index == winner),
                has_won=index == winner,
            )
            for index, (name, probability) in enumerate(zip(names, probabilities, strict=True))
        ]
    shown = sorted(outcomes, key=lambda one: (-one.has_won, -one.permille))[:OUTCOMES_MAX]
    card = EmbedCard(
        event_id,
        (event.name_ru or event.name) if language == "ru" else event.name,
        state_of(event, pool, words, now_ms=now_ms),
        shown,
        len(outcomes) - len(shown),
    )
    return card, [pool_id]
