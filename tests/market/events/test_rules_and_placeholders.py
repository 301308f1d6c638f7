"""New events with rules of resolution and placeholders: which are accepted."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import to_type
from foreknow.market.events.drafts import EventDraft, event_draft, pool_facts
from foreknow.market.events.schemas import CreateEventBody
from foreknow.market.events.texts import Opening, fill_event_texts, fill_pool_texts
from foreknow.market.pools.rules.manual import ManualRule
from tests.support.proofs import proves

FINISH = "2026-11-20T15:00:00Z"
LIVE = "2026-11-20T14:45:00Z"
#: 20 November 2026, 14:45:30.
OPENING = Opening(number=3, opened_at_ms=1_795_185_930_000)
THREE = [
    {"below": {"plus": -100}},
    {"from": {"plus": -100}, "below": {"plus": 100}},
    {"from": {"plus": 100}},
]
NAMES = ["Below {high}", "{low} – {high}", "{low} or above"]


def draft_of(*pools: dict[str, Any], **fields: Any) -> EventDraft:
    return event_draft(to_type({"name": "Cup final", "pools": list(pools) or [{}]} | fields, CreateEventBody))


def wrong_field_of(*pools: dict[str, Any], **fields: Any) -> str:
    with pytest.raises(BadRequest) as refused:
        draft_of(*pools, **fields)
    (field,) = refused.value.details["fields"]
    return str(field)


def price_pool(
    outcomes: Any = None, *, names: list[str] | None = None, metadata: dict[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    """A pool whose one market is YES above 68,000, unless other intervals and names are given."""
    rule = {"kind": "price", "symbol": "BTC", "outcomes": outcomes or [{"above": 68_000}]}
    config = {"resolution": rule} | ({} if names is None else {"market_names": names}) | (metadata or {})
    return {"name": "BTC", "finish_at": FINISH, "metadata": config} | fields


def external_pool(**fields: Any) -> dict[str, Any]:
    return {"finish_at": FINISH, "metadata": {"resolution": {"kind": "external"}}} | fields


def test_a_rule_is_read_from_metadata_and_metadata_is_kept_as_sent() -> None:
    sent = price_pool(THREE, names=["a", "b", "c"])
    (made,) = draft_of(sent).pools
    assert made.metadata == sent["metadata"]
    assert not isinstance(made.rule, ManualRule)
    assert draft_of().pools[0].rule == ManualRule(dispute_minutes=None)
    assert draft_of({"metadata": {"resolution": None}}).pools[0].rule == ManualRule(dispute_minutes=None)
    assert draft_of({"metadata": {"resolution": {"kind": "manual", "dispute_minutes": 5}}}).pools[0].rule == ManualRule(
        5
    )


@pytest.mark.parametrize(
    ("pool", "field"),
    [
        ({"metadata": {"resolution": "manual"}}, "pools[1].metadata.resolution"),
        ({"metadata": {"resolution": {}}}, "pools[1].metadata.resolution.kind"),
        (price_pool([{"above": 1}, {"below": 2}]), "pools[1].metadata.resolution.outcomes"),
        (price_pool([{"above": 1}, {"below": 2}], names=["a", "b"]), "pools[1].metadata.resolution.outcomes[0]"),
        (
            price_pool([{"above": {"times": 1}}, {"to": 1}], names=["a", "b"]),
            "pools[1].metadata.resolution.outcomes[1].to",
        ),
        (price_pool(finish_at=None), "pools[1].finish_at"),
        (external_pool(finish_at=None), "pools[1].finish_at"),
    ],
)
def test_an_error_of_a_rule_names_its_field(pool: dict[str, Any], field: str) -> None:
    assert wrong_field_of({}, pool, external_event_url="https://polymarket.com/event/fed-decision") == field


def test_an_external_rule_needs_the_page_of_a_known_source() -> None:
    assert wrong_field_of(external_pool()) == "external_event_url"
    assert wrong_field_of(external_pool(), external_event_url="https://example.org/event/x") == "external_event_url"
    assert draft_of(external_pool(), external_event_url="https://kalshi.com/markets/kxfed/kxfed-26dec").pools
    # Without such a rule any address will do.
    assert draft_of({}, external_event_url="https://example.org/event/x").pools


def test_braces_are_text_in_an_event_that_neither_recurs_nor_has_a_price_rule() -> None:
    draft = draft_of({"name": "{", "rules": "{number} }}", "metadata": {"market_names": ["{low}", "}"]}}, name="{x}")
    assert not draft.has_placeholders
    assert (draft.name, draft.pools[0].rules, draft.pools[0].market_names) == ("{x}", "{number} }}", ["{low}", "}"])
    assert not draft_of(external_pool(name="{"), external_event_url="https://kalshi.com/markets/kxfed").has_placeholders


@proves("lifecycle: in all names and `rules`.")
@pytest.mark.parametrize(
    ("pools", "fields", "field"),
    [
        ([{}], {"name": "{x}"}, "name"),
        ([{}], {"name_ru": "}"}, "name_ru"),
        ([{}], {"versus_names": ["a", "{"]}, "versus_names[1]"),
        ([{}, {"name": "{x}"}], {}, "pools[1].name"),
        ([{}, {"name_ru": "{x}"}], {}, "pools[1].name_ru"),
        ([{}, {"rules": "{x}"}], {}, "pools[1].rules"),
        ([{"metadata": {"market_names": ["a", "{x}"]}}], {}, "pools[0].metadata.market_names[1]"),
        # A price without a rule, and times that a pool does not have.
        ([{}], {"name": "{price}"}, "name"),
        ([{"rules": "{price}"}, price_pool()], {}, "pools[0].rules"),
        ([{"name": "{low}"}], {}, "pools[0].name"),
        ([{"name": "{finish_at}"}], {}, "pools[0].name"),
        ([{"name": "{live_at}", "finish_at": FINISH}], {}, "pools[0].name"),
        ([{}, {"finish_at": FINISH}], {"name": "{finish_at}"}, "name"),
        # Bounds belong to an outcome, and an open end has none.
        ([price_pool()], {"name": "{low}"}, "name"),
        ([price_pool(THREE, names=NAMES, name="{low}")], {}, "pools[0].name"),
        ([price_pool(THREE, names=["{low}", *NAMES[1:]])], {}, "pools[0].metadata.market_names[0]"),
        ([price_pool(THREE, names=[*NAMES[:2], "{high}"])], {}, "pools[0].metadata.market_names[2]"),
        ([price_pool(name="Above {high}")], {}, "pools[0].name"),
    ],
)
def test_an_error_of_a_placeholder_names_the_text(
    pools: list[dict[str, Any]], fields: dict[str, Any], field: str
) -> None:
    assert wrong_field_of(*pools, loop_interval_minutes=15, **fields) == field


def test_a_price_rule_alone_makes_braces_placeholders_in_all_texts_of_the_event() -> None:
    assert wrong_field_of({"name": "{x}"}, price_pool()) == "pools[0].name"
    assert draft_of({"name": "{{x}}, {number}"}, price_pool()).has_placeholders


@proves(
    "lifecycle: `{live_at}`, `{finish_at}`, `{opened_at}` (in an event's text the main pool's), `{price}` (the "
    "strike), `{low}`, `{high}` (an outcome's bounds).",
)
def test_all_texts_are_filled_in() -> None:
    draft = draft_of(
        {"name": "{number}: {opened_at:time}", "name_ru": "{opened_at:day}"},
        price_pool(
            THREE,
            names=NAMES,
            name="BTC {finish_at:time:Europe/Moscow}, now {price}",
            name_ru="BTC {price}, {finish_at:day}",
            rules="From {live_at:time} to {finish_at:time}: {{price}} is {price}.",
            live_at=LIVE,
        ),
        name="BTC at {finish_at}: {price}",
        name_ru="BTC {finish_at}: {price}",
        versus_names=["#{number}", "{price}"],
        main_pool_index=1,
    )
    first, second = draft.pools
    texts = fill_event_texts(draft.texts(), pool_facts(second), OPENING, strike=68_123.4)
    assert texts.name == "BTC at 20 November 2026, 15:00: 68,123.40"
    assert texts.name_ru == "BTC 20 ноября 2026, 15:00: 68\u00a0123,40"
    assert texts.versus_names == ("#3", "68,123.40")
    filled = fill_pool_texts(first.texts(), pool_facts(first), OPENING, strike=None)
    assert (filled.name, filled.name_ru, filled.market_names) == ("3: 14:45", "20 ноября", ("3: 14:45",))
    filled = fill_pool_texts(second.texts(), pool_facts(second), OPENING, strike=68_123.4)
    assert filled.name == "BTC 18:00, now 68,123.40"
    assert filled.name_ru == "BTC 68\u00a0123,40, 20 ноября"
    assert filled.rules == "From 14:45 to 15:00: {price} is 68,123.40."
    assert filled.market_names == ("Below 68,023.40", "68,023.40 – 68,223.40", "68,223.40 or above")


def test_a_pool_with_a_single_market_knows_its_outcomes_bounds_in_all_its_texts() -> None:
    (pool,) = draft_of(price_pool(name="BTC above {low}?", name_ru="BTC выше {low}?", rules="{low}")).pools
    filled = fill_pool_texts(pool.texts(), pool_facts(pool), OPENING, strike=None)
    assert (filled.name, filled.name_ru, filled.rules) == (
        "BTC above 68,000.00?",
        "BTC выше 68\u00a0000,00?",
        "68,000.00",
    )
    # Its market is named like the pool.
    assert filled.market_names == ("BTC above 68,000.00?",)
