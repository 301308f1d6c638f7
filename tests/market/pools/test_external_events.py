"""The source and id that an event's address names."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreknow.market.pools.external_events import external_event
from tests.support.proofs import proves


@proves(
    "lifecycle: polymarket: polymarket.com/event/ID |",
    "lifecycle: manifold: manifold.markets/USER/ID |",
    "lifecycle: kalshi: kalshi.com/markets/…/ID |",
)
@pytest.mark.parametrize(
    ("url", "source", "event_id"),
    [
        ("https://polymarket.com/event/fed-decision-in-december", "polymarket", "fed-decision-in-december"),
        ("https://polymarket.com/event/fed-decision/no-change?tid=17#comments", "polymarket", "fed-decision"),
        ("http://www.polymarket.com/event/fed-decision/", "polymarket", "fed-decision"),
        ("HTTPS://Polymarket.COM/event/Fed.Decision_1", "polymarket", "Fed.Decision_1"),
        ("https://manifold.markets/Ann/will-it-rain", "manifold", "will-it-rain"),
        ("https://manifold.markets/ann.lee/will-it-rain/?r=QW5u", "manifold", "will-it-rain"),
        ("https://kalshi.com/markets/kxfed/fed-meeting/kxfed-26dec", "kalshi", "KXFED-26DEC"),
        ("https://kalshi.com/markets/kxfed/KXFED-26DEC", "kalshi", "KXFED-26DEC"),
        ("https://kalshi.com/markets/kxfed-26dec", "kalshi", "KXFED-26DEC"),
        (f"https://polymarket.com/event/{'a' * 200}", "polymarket", "a" * 200),
    ],
)
def test_the_address_of_an_event_page_names_its_source_and_id(url: str, source: str, event_id: str) -> None:
    assert external_event(url) == (source, event_id)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "polymarket.com/event/fed-decision",
        "ftp://polymarket.com/event/fed-decision",
        "https://example.org/event/fed-decision",
        "https://polymarket.com.example.org/event/fed-decision",
        "https://example.org/polymarket.com/event/fed-decision",
        "https://polymarket.com@example.org/event/fed-decision",
        "https://ann@polymarket.com/event/fed-decision",
        "https://polymarket.com:8443/event/fed-decision",
        "https://polymarket.com:no/event/fed-decision",
        "https://polymarket.com./event/fed-decision",
        "https://[polymarket.com/event/fed-decision",
        "https://www.www.polymarket.com/event/fed-decision",
        "https://polymarket.com/event",
        "https://polymarket.com/event/",
        "https://polymarket.com/event//",
        "https://polymarket.com/event/a/b/c",
        "https://polymarket.com/markets/fed-decision",
        "https://polymarket.com/event/..",
        "https://polymarket.com/event/.",
        "https://polymarket.com/event/%2e%2e",
        "https://polymarket.com/event/fed%2Fdecision",
        "https://polymarket.com/event/fed decision",
        "https://polymarket.com/event/решение",
        "https://polymarket.com/event/a\\b",
        f"https://polymarket.com/event/{'a' * 201}",
        "https://manifold.markets/will-it-rain",
        "https://manifold.markets//will-it-rain",
        "https://manifold.markets/ann/will-it-rain/more",
        "https://manifold.markets/ann/..",
        "https://kalshi.com/markets",
        "https://kalshi.com/markets/",
        "https://kalshi.com/events/kxfed-26dec",
        "https://kalshi.com/markets/kxfed/ſ",
    ],
)
def test_any_other_address_names_none(url: str) -> None:
    assert external_event(url) is None


_HOSTS = st.sampled_from(["polymarket.com", "manifold.markets", "kalshi.com", "www.kalshi.com"])
_SEGMENTS = st.lists(st.one_of(st.sampled_from(["event", "markets", "..", "ID-1"]), st.text(max_size=8)), max_size=5)


@proves("lifecycle: An event's URL picks source and id (`[A-Za-z0-9._-]{1,200}`), never a host.")
@given(host=_HOSTS, segments=_SEGMENTS)
@example(host="kalshi.com", segments=["markets", "ß"])
def test_no_address_yields_an_id_that_could_leave_its_path(host: str, segments: list[str]) -> None:
    named = external_event(f"https://{host}/{'/'.join(segments)}")
    if named is not None:
        assert named.source in {"polymarket", "manifold", "kalshi"}
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,200}", named.id)
        assert named.id not in {".", ".."}
