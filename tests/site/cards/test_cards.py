"""GET /cards: what a card shows, which events are listed, and in which order."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel import pagination
from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from tests.site.cards.glance import card_of, shown
from tests.site.portfolio.orders import bet, sell
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

SPARK_MS = 6 * HOUR_MS


def unique(name: str = "Event") -> str:
    return f"{name} {secrets.token_hex(6)}"


def listed(service: Service, query: str, client: Any = None) -> list[int]:
    """Return the ids of all cards of a list, page by page."""
    ids: list[int] = []
    cursor = ""
    while True:
        page = expect((client or service.client()).get(f"/cards?limit=3&{query}{cursor}"), 200)
        ids += [card["event_id"] for card in page["cards"]]
        assert page["has_more"] == (page["next_cursor"] is not None)
        if not page["has_more"]:
            return ids
        cursor = f"&cursor={page['next_cursor']}"


@proves(
    "client: | 1 | GET /cards (Optional)",
    "client: `{event_id, name, name_ru, tags, image_url, status, published_at, "
    "finish_at, resolved_at, volume_kopecks, volume_24h_kopecks, traders, comments, pools, pool}`",
)
def test_a_card_shows_an_event_and_its_main_pool(service: Service) -> None:
    finish_at = "2090-05-01T12:00:00.000Z"
    pools = [pool(), pool(list("abcdef"), probabilities=[0.05, 0.3, 0.1, 0.25, 0.1, 0.2], finish_at=finish_at)]
    event = service.event(name=unique(), name_ru="Кубок", tags=["cup"], pools=pools, main_pool_index=1)
    main = event["pools"][1]
    ann, bob = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    market_id = main["markets"][1]["id"]
    bet(ann, market_id, 5_000)
    bet(bob, market_id, 3_000)
    sold = sell(bob, market_id)
    bet(ann, event["pools"][0]["markets"][0]["id"], 700)
    texts = ({"event_id": event["id"], "content": text} for text in ("One", "Two"))
    first, made = (expect(ann.client.post("/comments", json=text), 201) for text in texts)
    assert first["id"] != made["id"]
    expect(ann.client.post("/comments", json={"event_id": event["id"], "content": "R", "parent_id": made["id"]}), 201)
    expect(ann.client.delete(f"/comments/{made['id']}"), 200)

    volume = 8_700 + sold["payout_kopecks"]
    card = card_of(service, event, lambda card: card["volume_24h_kopecks"] == volume)

    now = expect(service.client().get(f"/pools/{main['id']}"), 200)
    prices = {market["id"]: market["yes_probability"] for market in now["markets"]}
    top = card["pool"].pop("top")
    spark = card["pool"].pop("spark")
    assert card["pool"].pop("quantiles") is None
    assert [(one["name"], one["outcome_index"], one["probability"]) for one in top] == [
        (market["name"], market["outcome_index"], prices[market["id"]])
        for market in sorted(now["markets"], key=lambda market: -prices[market["id"]])[:4]
    ]
    assert [one["probability_24h"] for one in top] == pytest.approx([0.3, 0.25, 0.2, 0.1])
    assert spark[-1] == top[0]["probability"]
    assert card == {
        "event_id": event["id"],
        "name": event["name"],
        "name_ru": "Кубок",
        "tags": ["cup"],
        "image_url": "",
        "status": "active",
        "published_at": card["published_at"],
        "finish_at": finish_at,
        "resolved_at": None,
        "volume_kopecks": volume,
        "volume_24h_kopecks": volume,
        "traders": 2,
        "comments": 2,
        "pools": 2,
        "pool": {
            "pool_id": main["id"],
            "name": "Will it?",
            "name_ru": "",
            "live_at": None,
            "finish_at": finish_at,
            "paused": False,
            "won_side": None,
            "outcomes": 6,
            "other": None,
        },
    }
    assert card["published_at"] >= event["created_at"]


def test_a_card_follows_its_pool_to_its_result(service: Service) -> None:
    event = service.event(name=unique())
    pool_id = event["pools"][0]["id"]
    creator = service.creator.client
    expect(creator.post(f"/pools/{pool_id}/pause"), 200)
    assert card_of(service, event)["pool"]["paused"] is True
    expect(creator.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    card = card_of(service, event)
    assert (card["status"], card["pool"]["won_side"]) == ("resolved", 1)
    assert card["resolved_at"] is not None
    assert listed(service, f"q={event['name']}") == []
    assert listed(service, f"q={event['name']}&status=resolved") == [event["id"]]


def test_drafts_are_shown_to_their_creator_and_admins_only(service: Service) -> None:
    creator = service.user(creator=True)
    draft = service.event(creator, name=unique("Draft"), publish=False)
    other = service.event(creator, name=unique("Published"))
    for query in (
        "status=all",
        "status=new",
        "status=all&sort=moved",
        "status=all&sort=volume",
        "status=all&sort=closing",
    ):
        mine = [draft["id"]] if "new" in query else sorted([draft["id"], other["id"]])
        everyones = [] if "new" in query else [other["id"]]
        for whose in ("me", str(creator.id)):
            assert sorted(listed(service, f"{query}&creator={whose}", creator.client)) == mine
        assert sorted(listed(service, f"{query}&creator={creator.id}", service.admin)) == mine
        assert listed(service, f"{query}&creator={creator.id}", service.user().client) == everyones
        assert listed(service, f"{query}&creator={creator.id}") == everyones
    card = expect(creator.client.get("/cards?creator=me&status=new"), 200)["cards"][0]
    assert (card["published_at"], card["pool"]["spark"], card["volume_kopecks"]) == (None, [], 0)
    assert card["pool"]["top"][0]["probability_24h"] == card["pool"]["top"][0]["probability"] == 0.5


@proves("client: `creator=me` signed out: 401")
@ONCE
def test_creator_me_needs_a_sign_in(service: Service) -> None:
    refused(service.client().get("/cards?creator=me"), 401, "unauthorized")


@ONCE
@pytest.mark.parametrize("query", ["status=gone", "sort=best", "creator=you", "creator=0", "creator=-1", "creator="])
def test_a_broken_query_is_400(service: Service, query: str) -> None:
    refused(service.client().get(f"/cards?{query}"), 400, "bad_request")


@ONCE
def test_a_cursor_is_bound_to_its_list(service: Service) -> None:
    tag = unique("tag")
    for _ in range(2):
        service.event(tags=[tag])
    page = expect(service.client().get(f"/cards?tag={tag}&limit=1"), 200)
    refused(service.client().get(f"/cards?tag={tag}&sort=new&cursor={page['next_cursor']}"), 400, "invalid_cursor")
    refused(service.client().get(f"/events?tag={tag}&cursor={page['next_cursor']}"), 400, "invalid_cursor")
    refused(service.client().get("/cards?limit=101"), 400, "invalid_limit")


@proves(
    "client: `?status=` (as /events, + all) `&tag=&q=&creator=` (`me` or id) "
    r"`&sort=trending\|new\|volume\|closing\|moved&limit=&cursor=` | page `cards`:",
    "client: `trending`: by volume_24h; `moved`: by the main pool's largest change; columns renewed by the minute.",
)
def test_cards_are_sorted_by_what_happens_in_them(service: Service) -> None:
    tag = unique("tag")
    trader = service.user(balance_kopecks=1_000_000)
    # Volume, and the liquidity that the price moves against.
    plan = [(0, 100_000), (900, 100_000), (5_000, 10_000_000), (2_000, 100_000), (0, 100_000), (3_000, 10_000_000)]
    events = [
        service.event(tags=[tag], name=unique(), pools=[pool(b=b, finish_at=f"209{9 - place}-01-01T00:00:00Z")])
        for place, (_, b) in enumerate(plan)
    ]
    ids = [event["id"] for event in events]
    for event, (volume, _) in zip(events, plan, strict=True):
        if volume:
            bet(trader, event["pools"][0]["markets"][0]["id"], volume)

    def order(*places: int) -> list[int]:
        return [ids[place] for place in places]

    shown(
        service.client(),
        f"/cards?tag={tag}&sort=trending&limit=4",
        lambda page: [card["event_id"] for card in page["cards"]] == order(2, 5, 3, 1),
    )
    shown(
        service.client(),
        f"/cards?tag={tag}&sort=moved&limit=4",
        lambda page: [card["event_id"] for card in page["cards"]] == order(3, 1, 2, 5),
    )
    for client in (service.client(), trader.client):
        assert listed(service, f"tag={tag}&sort=trending", client) == order(2, 5, 3, 1, 4, 0)
        assert listed(service, f"tag={tag}", client) == order(2, 5, 3, 1, 4, 0)
        assert listed(service, f"tag={tag}&status=all&sort=trending", client) == order(2, 5, 3, 1, 4, 0)
        assert listed(service, f"tag={tag}&sort=moved", client) == order(3, 1, 2, 5, 4, 0)
        assert listed(service, f"tag={tag}&sort=volume", client) == order(2, 5, 3, 1, 4, 0)
        assert listed(service, f"tag={tag}&sort=new", client) == order(5, 4, 3, 2, 1, 0)
        assert listed(service, f"tag={tag}&sort=closing", client) == order(5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize("shown_max", [1_000, 2], ids=["by rank", "by id after two"])
def test_each_event_is_shown_once_while_bets_change_the_ranks(
    service: Service, monkeypatch: pytest.MonkeyPatch, shown_max: int
) -> None:
    monkeypatch.setattr(pagination, "SHOWN_MAX", shown_max)
    tag = unique("tag")
    trader = service.user(balance_kopecks=10_000_000)
    events = [service.event(tags=[tag]) for _ in range(6)]
    ids = [event["id"] for event in events]

    def bet_on(place: int, amount_kopecks: int) -> None:
        bet(trader, events[place]["pools"][0]["markets"][0]["id"], amount_kopecks)

    def ranked(*places: int) -> None:
        wanted = [ids[place] for place in places]
        path = f"/cards?tag={tag}&sort=trending&limit={len(places)}"
        shown(service.client(), path, lambda page: [card["event_id"] for card in page["cards"]] == wanted)

    for place, amount_kopecks in ((3, 3_000), (2, 2_000), (1, 1_000)):
        bet_on(place, amount_kopecks)
    ranked(3, 2, 1)
    page = expect(service.client().get(f"/cards?tag={tag}&sort=trending&limit=2"), 200)
    found = [card["event_id"] for card in page["cards"]]
    # Between two pages: what was not shown passes what was, and what was shown falls behind it.
    for place, amount_kopecks in ((0, 20_000), (1, 15_000), (4, 10_000)):
        bet_on(place, amount_kopecks)
    ranked(0, 1, 4)
    while page["has_more"]:
        query = f"/cards?tag={tag}&sort=trending&limit=1&cursor={page['next_cursor']}"
        page = expect(service.client().get(query), 200)
        found += [card["event_id"] for card in page["cards"]]
    by_rank = [ids[place] for place in (3, 2, 0, 1, 4, 5)]
    assert found == (by_rank if shown_max > 2 else [ids[place] for place in (3, 2, 5, 4, 1, 0)])


def test_after_a_day_without_trades_an_event_trends_no_more(start_service: Callable[..., Service]) -> None:
    service = start_service()
    trader = service.user(balance_kopecks=100_000)
    event, newer = service.event(name="Old"), service.event(name="New")
    market_id = event["pools"][0]["markets"][0]["id"]
    bet(trader, market_id, 4_000)
    assert listed(service, "sort=new") == [newer["id"], event["id"]]
    before = card_of(service, event, lambda card: card["volume_24h_kopecks"] == 4_000)["pool"]["top"][0]
    assert before["probability_24h"] == 0.5 < before["probability"]

    service.clock.advance(DAY_MS - 10 * MINUTE_MS)
    assert card_of(service, event)["volume_24h_kopecks"] == 4_000
    service.clock.advance(HOUR_MS)
    card = card_of(service, event, lambda card: card["volume_24h_kopecks"] == 0)
    assert card["volume_kopecks"] == 4_000
    assert card["pool"]["top"][0]["probability_24h"] == card["pool"]["top"][0]["probability"]
    shown(
        service.client(),
        "/cards?sort=moved",
        lambda page: [card["event_id"] for card in page["cards"]] == [newer["id"], event["id"]],
    )
    assert listed(service, "sort=trending") == [newer["id"], event["id"]]


@proves(
    "client: `pool` (the main one): `{pool_id, name, name_ru, live_at, finish_at, paused, won_side, outcomes, top: "
    "[≤ 4: {market_id, outcome_index, name, probability, probability_24h}], spark: [≤ 28 probabilities of top[0], each "
    "6 h]}`.",
    "client: Probabilities are of YES; `_24h`: 24 h ago (the prior if younger).",
)
def test_a_week_is_a_line_of_28_probabilities(moving_service: Service) -> None:
    service = moving_service
    # In the middle of six hours: each day's bet is in the first of four.
    begin_ms = (service.clock() // SPARK_MS + 1) * SPARK_MS + SPARK_MS // 2
    service.clock.stop_at(begin_ms)
    event = service.event(name="Long")
    market_id = event["pools"][0]["markets"][0]["id"]
    trader = service.user(balance_kopecks=50_000)
    prices = []
    for day in range(10):
        service.clock.stop_at(begin_ms + day * DAY_MS)
        token = service.sign_in(trader.email, trader.password)
        trader.client.headers["Authorization"] = f"Bearer {token}"
        prices.append(bet(trader, market_id, 3_000)["probability_after"])
    service.clock.stop_at(begin_ms + 9 * DAY_MS + 20 * HOUR_MS)
    pool_card = card_of(service, event)["pool"]
    week = [price for price in prices[-7:] for _ in range(4)]
    assert pool_card["spark"] == week
    assert [one["probability_24h"] for one in pool_card["top"]] == [prices[-2]]
    assert [one["probability"] for one in pool_card["top"]] == [prices[-1]]


@ONCE
def test_a_young_pool_has_a_short_line_and_its_prior_24_h_ago(moving_service: Service) -> None:
    service = moving_service
    event = service.event(name="Young", pools=[pool(probabilities=[0.3])])
    pool_card = card_of(service, event)["pool"]
    assert pool_card["spark"] == [pytest.approx(0.3)]
    assert pool_card["top"][0]["probability_24h"] == pytest.approx(0.3)
