"""Rules and bounds of a new event's fields, and defaults."""

from __future__ import annotations

import math
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import to_type
from foreknow.market.events.drafts import EventDraft, event_draft
from foreknow.market.events.schemas import CreateEventBody
from foreknow.money.pricing import Lmsr


def draft_of(body: dict[str, Any]) -> EventDraft:
    return event_draft(to_type(body, CreateEventBody))


def event(**fields: Any) -> dict[str, Any]:
    return {"name": "Cup final", "pools": [{}]} | fields


def pool(**fields: Any) -> dict[str, Any]:
    return event(pools=[fields])


def metadata(**fields: Any) -> dict[str, Any]:
    return pool(metadata=fields)


def wrong_field_of(body: dict[str, Any]) -> str:
    with pytest.raises(BadRequest) as refused:
        draft_of(body)
    (field,) = refused.value.details["fields"]
    return str(field)


def prices(draft: EventDraft) -> tuple[float, ...]:
    made = draft.pools[0]
    nothing = [0] * len(made.market_names)
    return Lmsr.of(b=made.b, weights=made.weights, q_yes=nothing, q_no=nothing).probabilities()


def test_what_is_left_out_has_its_default() -> None:
    draft = draft_of({"name": "Cup final", "pools": [{"name": "Will it rain?"}]})
    assert (draft.name_ru, draft.tags, draft.versus_names, draft.versus_images) == ("", [], [], [])
    assert (draft.has_draw, draft.image_url, draft.external_event_url) == (False, "", "")
    assert (draft.main_pool_index, draft.loop_interval_minutes) == (0, 0)
    (made,) = draft.pools
    assert (made.name_ru, made.rules, made.margin, made.live_at_ms, made.finish_at_ms) == ("", "", 0.0, None, None)
    assert (made.b, made.market_names, made.metadata) == (100_000, ["Will it rain?"], {})
    assert prices(draft) == (0.5,)


def test_null_means_left_out() -> None:
    fields = ("name_ru", "tags", "versus_names", "versus_images", "has_draw", "image_url", "external_event_url")
    optional = dict.fromkeys([*fields, "main_pool_index", "loop_interval_minutes"])
    of_pool = dict.fromkeys(["name", "name_ru", "margin", "finish_at", "live_at", "rules", "metadata"])
    of_metadata = dict.fromkeys(["market_names", "market_probabilities", "lmsr_b_kopecks"])
    assert draft_of(event(**optional, pools=[of_pool])) == draft_of(event())
    assert draft_of(metadata(**of_metadata)).pools[0].b == 100_000


def test_metadata_is_kept_as_sent_whatever_else_it_holds() -> None:
    sent = {"lmsr_b_kopecks": None, "market_names": ["e\u0301"], "colour": {"of": ["sky", 1, 2.5, True, None]}}
    draft = draft_of(pool(metadata=sent))
    assert draft.pools[0].metadata == sent
    assert draft.pools[0].market_names == ["é"]


@pytest.mark.parametrize("given", [[0.5, 0.5], [0.1, 0.2, 0.7], [0.0001, 0.9999], [1 / 3, 1 / 3, 1 / 3]])
def test_an_untouched_market_shows_the_probability_given(given: list[float]) -> None:
    names = [f"No {i}" for i in range(len(given))]
    draft = draft_of(metadata(market_names=names, market_probabilities=given))
    assert prices(draft) == pytest.approx(given, abs=1e-9)


def test_a_single_market_has_its_own_probability() -> None:
    draft = draft_of(pool(name="Rain", metadata={"market_probabilities": [0.07]}))
    assert draft.pools[0].market_names == ["Rain"]
    assert draft.pools[0].weights == (7, 93)
    assert prices(draft) == pytest.approx((0.07,), abs=1e-9)


def test_several_markets_are_equally_likely_where_nothing_is_said() -> None:
    draft = draft_of(metadata(market_names=["a", "a", "b"]))
    assert prices(draft) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert draft.pools[0].weights == (1, 1, 1)


def test_probabilities_may_miss_one_by_a_billionth() -> None:
    names = ["a", "b"]
    off = [0.5, 0.5 + 1e-9]
    draft = draft_of(metadata(market_names=names, market_probabilities=off))
    assert prices(draft) == pytest.approx((0.5, 0.5), abs=1e-9)
    assert sum(prices(draft)) == pytest.approx(1, abs=1e-15)
    assert wrong_field_of(metadata(market_names=names, market_probabilities=[0.5, 0.5 + 2e-9])) == (
        "pools[0].metadata.market_probabilities"
    )


def test_the_house_sets_aside_what_it_can_lose() -> None:
    draft = draft_of(metadata(market_probabilities=[0.2], lmsr_b_kopecks=1_000))
    assert draft.pools[0].loss_bound_kopecks == math.ceil(1_000 * math.log(5))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (event(name=""), "name"),
        (event(name=" \t\u3000"), "name"),
        (event(name="x" * 201), "name"),
        (event(name_ru="я" * 201), "name_ru"),
        (event(tags=["x"] * 51), "tags"),
        (event(tags=["fine", ""]), "tags[1]"),
        (event(tags=["x" * 101]), "tags[0]"),
        (event(versus_names=["x"] * 101), "versus_names"),
        (event(versus_names=["x" * 201]), "versus_names[0]"),
        (event(versus_images=["", "ftp://example.org/x.png"]), "versus_images[1]"),
        (event(image_url="/relative.png"), "image_url"),
        (event(image_url="https://"), "image_url"),
        (event(image_url="https://example.org:port/"), "image_url"),
        (event(image_url="https://exa mple.org/"), "image_url"),
        (event(image_url="java\nscript://example.org/"), "image_url"),
        (event(image_url="javascript://example.org/%0aalert(1)"), "image_url"),
        (event(external_event_url="https://example.org/" + "x" * 2048), "external_event_url"),
        (event(main_pool_index=1), "main_pool_index"),
        (event(main_pool_index=-1), "main_pool_index"),
        (event(loop_interval_minutes=-1), "loop_interval_minutes"),
        (event(pools=[]), "pools"),
        (event(pools=[{}] * 101), "pools"),
        (event(pools=[{}, {"margin": 0.51}]), "pools[1].margin"),
        (pool(margin=-0.01), "pools[0].margin"),
        (pool(margin=0.5000000001), "pools[0].margin"),
        (pool(name="x" * 201), "pools[0].name"),
        (pool(name_ru="x" * 201), "pools[0].name_ru"),
        (pool(rules="x" * 20_001), "pools[0].rules"),
        (pool(live_at="2031-01-01T00:00:00Z", finish_at="2031-01-01T00:00:00Z"), "pools[0].finish_at"),
        (pool(finish_at="2031-01-01T00:00:00"), "pools[0].finish_at"),
        (pool(live_at="9999-12-31T23:00:00-23:00"), "pools[0].live_at"),
        (pool(live_at="0001-01-01T00:00:00+14:00"), "pools[0].live_at"),
        (pool(live_at=1_900_000_000), "pools[0].live_at"),
        (metadata(lmsr_b_kopecks=99), "pools[0].metadata.lmsr_b_kopecks"),
        (metadata(lmsr_b_kopecks=10**12 + 1), "pools[0].metadata.lmsr_b_kopecks"),
        (metadata(lmsr_b_kopecks=100.0), "pools[0].metadata.lmsr_b_kopecks"),
        (metadata(market_names=[]), "pools[0].metadata.market_names"),
        (metadata(market_names=["x"] * 101), "pools[0].metadata.market_names"),
        (metadata(market_names=["a", " "]), "pools[0].metadata.market_names[1]"),
        (metadata(market_names=["x" * 201]), "pools[0].metadata.market_names[0]"),
        (metadata(market_names=["a", 1]), "pools[0].metadata.market_names[1]"),
        (metadata(market_probabilities=[0.4, 0.6]), "pools[0].metadata.market_probabilities"),
        (metadata(market_probabilities=[]), "pools[0].metadata.market_probabilities"),
        (metadata(market_names=["a"], market_probabilities=[0.4, 0.6]), "pools[0].metadata.market_probabilities"),
        (metadata(market_names=["a", "b"], market_probabilities=[0.4, 0.5]), "pools[0].metadata.market_probabilities"),
        (
            metadata(market_names=["a", "b"], market_probabilities=[0.00009, 0.99991]),
            "pools[0].metadata.market_probabilities[0]",
        ),
        (metadata(market_probabilities=[0.00009]), "pools[0].metadata.market_probabilities[0]"),
        (metadata(market_probabilities=[0.99991]), "pools[0].metadata.market_probabilities[0]"),
        (metadata(market_probabilities=[True]), "pools[0].metadata.market_probabilities[0]"),
        (metadata(market_probabilities=["0.5"]), "pools[0].metadata.market_probabilities[0]"),
    ],
)
def test_an_error_names_the_field(body: dict[str, Any], field: str) -> None:
    assert wrong_field_of(body) == field


@pytest.mark.parametrize(
    "body",
    [
        event(name="x" * 200, name_ru="я" * 200, tags=["x" * 100] * 50, versus_names=["x" * 200] * 100),
        event(name="e\u0301" * 200),
        event(image_url="HTTPS://example.org", versus_images=["http://example.org/a?b#c", ""]),
        event(image_url="https://example.org/" + "x" * 2028),
        event(pools=[{}] * 100, main_pool_index=99),
        event(loop_interval_minutes=2**63 - 1),
        pool(margin=0.5),
        pool(margin=0),
        pool(name="", name_ru="", rules="x" * 20_000),
        pool(live_at="2020-01-01T00:00:00+03:00", finish_at="2020-01-01T00:00:00.001+03:00"),
        pool(finish_at="9999-12-31T23:59:59.999Z", live_at="0001-01-01T00:00:00Z"),
        metadata(lmsr_b_kopecks=100),
        metadata(lmsr_b_kopecks=10**12, market_names=["x"] * 100),
        metadata(market_probabilities=[0.0001]),
        metadata(market_probabilities=[0.9999]),
        metadata(market_names=["a", "b"], market_probabilities=[0.9999000005, 0.0001]),
    ],
)
def test_the_bounds_themselves_are_allowed(body: dict[str, Any]) -> None:
    assert draft_of(body).pools


def test_times_are_read_with_their_offset_to_the_millisecond() -> None:
    draft = draft_of(pool(live_at="2031-05-06T03:00:00.1239+03:00"))
    assert iso(draft.pools[0].live_at_ms or 0) == "2031-05-06T00:00:00.123Z"


def test_text_is_stored_in_nfc() -> None:
    draft = draft_of(event(name="Cafe\u0301", tags=["cafe\u0301"], versus_names=["E\u0301"]))
    assert (draft.name, draft.tags, draft.versus_names) == ("Café", ["café"], ["É"])
