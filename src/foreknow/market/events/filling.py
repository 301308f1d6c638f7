"""Filling in an event's texts at its publication: strikes, and what placeholders stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from foreknow.kernel.clock import SECOND_MS, iso
from foreknow.market.assets import observations
from foreknow.market.events.drafts import EventDraft
from foreknow.market.events.errors import PriceUnavailable
from foreknow.market.events.placeholders import placeholder_names
from foreknow.market.events.search import reindex_event, search_key
from foreknow.market.events.store import EventRow, update_event
from foreknow.market.events.texts import EventTexts, Opening, PoolFacts, fill_event_texts, fill_pool_texts
from foreknow.market.pools.rule_view import rule_of, strike_of
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, write_strike, write_texts
from foreknow.market.pools.texts import PoolTexts
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Limits the age of an observation that becomes a strike.
STRIKE_AGE_MAX_MS = 120 * SECOND_MS


def take_strikes(tx: WriteTx, event: EventRow, pools: Sequence[PoolRow], *, at_ms: int) -> list[PoolRow]:
    """Store the strikes that rules and texts of an event's locked pools refer to; return the pools with them.

    `pools` are all of the event's, in their order. Raises `PriceUnavailable` where an asset has no price of the last
    120 s that counts.
    """
    return [
        replace(pool, strike=_take_strike(tx, pool, rule, at_ms=at_ms))
        if isinstance(rule := rule_of(pool), PriceRule) and _needs_strike(event, pool, rule)
        else pool
        for pool in pools
    ]


def fill_texts(tx: WriteTx, event: EventRow, pools: Sequence[PoolRow], *, opened_at_ms: int) -> tuple[str, str]:
    """Fill in the texts of an event and its locked pools, all of them in their order; return the event's two names.

    Where they were filled in before, they are again, from the texts as written.
    """
    if event.templates is None:
        return event.name, event.name_ru
    # An instance of no series is the first.
    opening = Opening(number=(event.series_index or 0) + 1, opened_at_ms=opened_at_ms)
    for pool in pools:
        texts = fill_pool_texts(_pool_texts(pool), _facts(pool), opening, strike=strike_of(pool))
        write_texts(tx, pool, texts)
    main = pools[event.main_pool_index]
    filled = fill_event_texts(_event_texts(event), _facts(main), opening, strike=strike_of(main))
    key = search_key(filled.name, filled.name_ru)
    update_event(
        tx,
        event.id,
        name=filled.name,
        name_ru=filled.name_ru,
        versus_names=list(filled.versus_names),
        search_key=key,
    )
    reindex_event(tx, event.id, old_key=search_key(event.name, event.name_ru), new_key=key)
    return filled.name, filled.name_ru


def can_take_strikes(tx: ReadTx, draft: EventDraft, *, at_ms: int) -> bool:
    """Return whether an event made of a draft, whose texts have placeholders, would find all prices it refers to."""
    return all(
        _newest(tx, pool.rule, at_ms=at_ms) is not None
        for index, pool in enumerate(draft.pools)
        if isinstance(pool.rule, PriceRule)
        and _refers_to_strike(pool.rule, pool.texts(), draft.texts() if index == draft.main_pool_index else None)
    )


def _needs_strike(event: EventRow, pool: PoolRow, rule: PriceRule) -> bool:
    of_event = _event_texts(event) if pool.position == event.main_pool_index else None
    return _refers_to_strike(rule, _pool_texts(pool), of_event)


def _refers_to_strike(rule: PriceRule, texts: PoolTexts, of_event: EventTexts | None) -> bool:
    """`of_event` are the texts of the event whose main pool it is."""
    if rule.needs_strike:
        return True
    written = [texts.name, texts.name_ru, texts.rules, *texts.market_names]
    if of_event is not None:
        written += [of_event.name, of_event.name_ru, *of_event.versus_names]
    return any("price" in placeholder_names(text) for text in written)


def _take_strike(tx: WriteTx, pool: PoolRow, rule: PriceRule, *, at_ms: int) -> dict[str, Any]:
    found = _newest(tx, rule, at_ms=at_ms)
    if found is None:
        raise PriceUnavailable
    strike = {"price": found.price_usd, "observed_at": iso(found.observed_at_ms), "source": found.source}
    write_strike(tx, pool.id, strike)
    return strike


def _newest(tx: ReadTx, rule: PriceRule, *, at_ms: int) -> observations.Observation | None:
    return observations.newest(tx, rule.symbol, source=rule.source, at_most_age_ms=STRIKE_AGE_MAX_MS, now_ms=at_ms)


def _facts(pool: PoolRow) -> PoolFacts:
    return PoolFacts(live_at_ms=pool.live_at_ms, finish_at_ms=pool.finish_at_ms, rule=rule_of(pool))


def _event_texts(event: EventRow) -> EventTexts:
    return msgspec.convert(event.templates, EventTexts)


def _pool_texts(pool: PoolRow) -> PoolTexts:
    return msgspec.convert(pool.templates, PoolTexts)
