"""Interface, section 2: every field of every resource, with the type and the unit that its table gives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.site.feed.listening import listening
from tests.support.fields import array, flag, in_array, integer, mapping, number, or_null, shaped, text, time
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool

MARKET = shaped(
    {
        **dict.fromkeys(("id", "pool_id", "b", "outcome_index"), integer),
        **dict.fromkeys(("yes_probability", "volume", "q_yes", "q_no"), number),
        **dict.fromkeys(("paused", "resolved"), flag),
        **dict.fromkeys(("name", "name_ru"), text),
        "market_type": in_array("lmsr"),
    }
)
LIQUIDITY = shaped(
    {
        **dict.fromkeys(("b", "subsidy_kopecks"), integer),
        **dict.fromkeys(("q_yes", "q_no"), array(integer)),
        "at": time,
        "probabilities": array(number),
    }
)
SPLIT = shaped(
    {
        **dict.fromkeys(("outcome_index", "b", "subsidy_kopecks", "q_yes"), integer),
        **dict.fromkeys(("share", "probability"), number),
        "at": time,
        "turned": flag,
    }
)
VERDICT = shaped(
    {
        **dict.fromkeys(("note", "note_ru", "source_url"), text),
        "number": integer,
        "won_side": integer,
        "payouts": or_null(array(number)),
        "decided_by": or_null(text),
        "void_at": or_null(time),
        "decided_at": time,
        "decider_trades": or_null(flag),
    }
)
RESOLUTION = shaped(
    {
        **dict.fromkeys(("kind", "state", "note", "note_ru", "source_url"), text),
        "dispute_minutes": integer,
        "objections": integer,
        "history": array(VERDICT),
        **dict.fromkeys(("symbol", "source", "decided_by", "reason", "value"), or_null(text)),
        **dict.fromkeys(("decided_at", "void_at", "disputable_until", "held_until"), or_null(time)),
        **dict.fromkeys(("strike", "evidence"), or_null(mapping)),
        **{name: or_null(array(kind)) for name, kind in (("outcomes", mapping), ("payouts", number), ("values", text))},
        "won_side": or_null(integer),
    }
)
POOL = shaped(
    {
        **dict.fromkeys(("name", "name_ru", "rules"), text),
        **dict.fromkeys(("finish_at", "live_at"), or_null(time)),
        "id": integer,
        "won_side": or_null(integer),
        "margin": number,
        "markets": array(MARKET),
        "metadata": mapping,
        "liquidity": array(LIQUIDITY),
        "shape": or_null(mapping),
        "other": or_null(integer),
        "splits": array(SPLIT),
        "resolution": RESOLUTION,
        "clarifications": integer,
    }
)
INSTANCE = shaped(
    {
        **dict.fromkeys(("id", "index"), integer),
        **dict.fromkeys(("previous_event_id", "next_event_id"), or_null(integer)),
    }
)
EVENT = shaped(
    {
        **dict.fromkeys(("name", "name_ru", "image_url", "external_event_url"), text),
        **dict.fromkeys(("tags", "versus_names", "versus_images"), array(text)),
        **dict.fromkeys(("is_active", "has_draw"), flag),
        **dict.fromkeys(("id", "main_pool_index", "loop_interval_minutes"), integer),
        "series": or_null(INSTANCE),
        "status": in_array("new", "active", "closed", "resolved", "cancelled"),
        "created_at": time,
        "pools": array(POOL),
    }
)
PUBLIC_USER = shaped({**dict.fromkeys(("name", "nickname", "avatar_url"), text), "id": integer, "profile_hidden": flag})
COMMENT = shaped(
    {
        **dict.fromkeys(("id", "event_id", "user_id"), integer),
        **dict.fromkeys(("likes_count", "dislikes_count", "replies_count"), integer),
        "parent_id": or_null(integer),
        "content": text,
        "created_at": time,
        "user": PUBLIC_USER,
        "user_reaction": or_null(in_array("like", "dislike")),
        "hidden": flag,
        "mentions": array(shaped({"nickname": text, "user": PUBLIC_USER})),
        "holds": or_null(shaped({"market_id": integer, "token_type": in_array("YES", "NO"), "shares": integer})),
        "forecast": or_null(shaped({"pool_id": integer, "outcome_index": integer, "probability": number})),
    }
)
POSITION = {
    **dict.fromkeys(("id", "user_id", "market_id", "amount", "avg_price", "pnl", "event_id", "pool_id"), integer),
    **dict.fromkeys(("event_name", "pool_name", "market_name"), text),
    "token_type": in_array("YES", "NO"),
}
CLOSED = shaped({**POSITION, "won_side": or_null(in_array(0, 1)), "closed_at": time})
OPEN = shaped(
    {
        **POSITION,
        **dict.fromkeys(("value_kopecks", "reserved_shares"), integer),
        "decided_kopecks": or_null(integer),
    }
)
PARTNER_POSITION = shaped(
    {
        **dict.fromkeys(("market_id", "shares", "reserved_shares", "avg_price_bps", "value_kopecks"), integer),
        "side": in_array("yes", "no"),
        "decided_kopecks": or_null(integer),
    }
)
PARTNER_USER = shaped(
    {
        **dict.fromkeys(("balance_kopecks", "held_kopecks", "open_positions_kopecks"), integer),
        "external_user_id": text,
        "exists": flag,
        "user_id": or_null(integer),
        "positions": array(PARTNER_POSITION),
    }
)


@pytest.fixture(scope="module")
def event(service: Service) -> dict[str, Any]:
    """A published event with a traded pool of two and an untouched question."""
    fields = {"finish_at": "2099-05-01T00:00:00Z", "live_at": "2020-01-01T00:00:00Z", "margin": 0.02}
    return service.event(tags=["shapes"], pools=[pool(["A", "B"]) | fields, pool()])


@pytest.fixture(scope="module")
def trader(service: Service, event: dict[str, Any]) -> Person:
    """Someone with an open position and a closed one."""
    person = service.user(balance_kopecks=10_000)
    for market in event["pools"][0]["markets"]:
        order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 1_000}
        expect(person.client.post("/market/bets", json=order), 201)
    sale = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES"}
    expect(person.client.post("/market/positions/sell", json=sale), 201)
    return person


@proves(
    "interface: - Hosts prediction events. An event contains pools; a pool contains markets (one per outcome). A "
    "market has a YES probability.",
    "interface: | id | integer | pool id |",
    "interface: | name | string | English name |",
    "interface: | name_ru | string | Russian name |",
    "interface: | rules | string | resolution rules text |",
    "interface: | won_side | null or value | null while unresolved.",
    "interface: | margin | number | pool margin (fee fraction, for example 0.02 means 2 percent).",
    "interface: | finish_at | string ISO 8601 | deadline |",
    "interface: | live_at | string ISO 8601 | go-live time |",
    "interface: | markets | array of Market | markets of the pool |",
    "interface: | metadata | object | pool metadata |",
    "interface: | id | integer | market id |",
    "interface: | pool_id | integer | owning pool |",
    "interface: | name | string | outcome name |",
    "interface: | yes_probability | number | YES probability, 0-1 |",
    "interface: | market_type | string | market kind; lmsr for created markets |",
    "interface: | volume | number | traded volume |",
    "interface: | b | integer | LMSR liquidity parameter (kopecks) |",
    "interface: | q_yes | number | LMSR YES quantity |",
    "interface: | q_no | number | LMSR NO quantity |",
    "interface: | paused | bool | paused flag |",
    "interface: | resolved | bool | resolved flag |",
    "interface: | outcome_index | integer | 0-based outcome position in the pool |",
    "interface: Fields: id (integer), name (string), name_ru (string), tags (string[]), image_url (string), status "
    "(string), is_active (bool), created_at (string ISO 8601), versus_names (string[]), versus_images (string[]), "
    "has_draw (bool), pools (array of Pool with markets).",
    "interface: Pool won_side is null until resolution.",
    "client: What interface.md gives an answer stays as it is; an answer of it gains a field only where one of these "
    "pages names it.",
    "interface: | Timestamps | ISO 8601 strings, except chat message created_at (Unix milliseconds, integer) |",
)
def test_events_pools_and_markets_have_the_fields_of_the_interface(
    service: Service, event: dict[str, Any], trader: Person
) -> None:
    shown = expect(service.client().get(f"/events/{event['id']}"), 200)
    assert EVENT(shown)
    assert EVENT(service.event(publish=False))
    assert EVENT(service.event(loop_interval_minutes=60))
    for each in shown["pools"]:
        assert POOL(expect(service.client().get(f"/pools/{each['id']}"), 200))
        for index, market in enumerate(each["markets"]):
            assert MARKET(expect(service.client().get(f"/markets/{market['id']}"), 200))
            assert market["outcome_index"] == index
            assert market["pool_id"] == each["id"]
            assert 0 < market["yes_probability"] < 1
    batch = expect(service.client().get(f"/pools/batch?ids={shown['pools'][0]['id']}"), 200)
    assert array(POOL)(batch)
    assert batch[0]["won_side"] is None
    assert batch[0]["margin"] == 0.02


@proves(
    "interface: | id | integer | comment id |",
    "interface: | event_id | integer | event commented on |",
    "interface: | user_id | integer | author id |",
    "interface: | parent_id | integer | parent comment id (for a reply) |",
    "interface: | content | string | text |",
    "interface: | likes_count | integer | likes |",
    "interface: | dislikes_count | integer | dislikes |",
    "interface: | replies_count | integer | replies |",
    "interface: | created_at | string ISO 8601 | creation time |",
    "interface: | user | object | author summary: id (integer), name (string), nickname (string), profile_hidden "
    "(bool), avatar_url (string URL) |",
    "interface: - 200: object with comments, an array of Comment objects that are replies.",
)
def test_comments_have_the_fields_of_the_interface(service: Service, event: dict[str, Any], trader: Person) -> None:
    written = expect(trader.client.post("/comments", json={"event_id": event["id"], "content": "First!"}), 201)
    answer = {"event_id": event["id"], "content": "Second.", "parent_id": written["id"]}
    reply = expect(trader.client.post("/comments", json=answer), 201)
    expect(trader.client.put(f"/comments/{reply['id']}/reaction", json={"type": "like"}), 200)
    expect(service.creator.client.put(f"/comments/{reply['id']}/reaction", json={"type": "dislike"}), 200)
    found = expect(service.client().get(f"/comments/{written['id']}/replies"), 200)

    assert shaped({"comments": array(COMMENT)})(found)
    assert COMMENT(written)
    (shown,) = found["comments"]
    assert shown == reply | {"likes_count": 1, "dislikes_count": 1}
    assert (shown["event_id"], shown["user_id"], shown["parent_id"]) == (event["id"], trader.id, written["id"])
    assert (shown["user"]["id"], shown["user"]["nickname"]) == (trader.id, trader.nickname)
    top_level = expect(service.client().get(f"/events/{event['id']}/comments"), 200)["comments"]
    assert (top_level[0]["id"], top_level[0]["replies_count"]) == (written["id"], 1)


@proves(
    "interface: - Pool chart point: timestamp (string ISO 8601), values (number[], one probability per market "
    "outcome).",
    "interface: - Market chart point: timestamp (string ISO 8601), probability (number, YES probability).",
    "interface: - PnL chart point: timestamp (string ISO 8601), pnl (float64, cumulative profit/loss).",
    "interface: - 200: object with points, an array of PnL chart points (cumulative pnl, float64).",
)
def test_chart_points_have_the_fields_of_the_interface(service: Service, event: dict[str, Any], trader: Person) -> None:
    first = event["pools"][0]
    charts = expect(service.client().get(f"/pools/{first['id']}/charts"), 200)
    assert shaped(dict.fromkeys(("1h", "1d", "1w", "1m"), array(shaped({"timestamp": time, "values": array(number)}))))(
        charts
    )
    chart = expect(service.client().get(f"/markets/{first['markets'][0]['id']}/chart"), 200)
    assert len(chart) > 1
    assert array(shaped({"timestamp": time, "probability": number}))(chart)
    profit = expect(trader.client.get("/users/me/pnl/chart"), 200)
    assert shaped({"points": array(shaped({"timestamp": time, "pnl": number}))})(profit)
    assert len(profit["points"]) == 1


@proves(
    "interface: | Orderbook amount | integer, in share cents |",
    "interface: | Orderbook price | integer 0-10000; 5500 means 55.00 percent probability |",
    "interface: market_id (integer); bids and asks: arrays of objects with price (integer, 0-10000) and amount "
    "(integer, share cents).",
)
def test_an_orderbook_has_the_fields_of_the_interface(service: Service, event: dict[str, Any]) -> None:
    market = event["pools"][1]["markets"][0]["id"]
    levels = array(shaped({"price": integer, "amount": integer}))
    book = expect(service.client().get(f"/market/orderbook/{market}"), 200)

    assert shaped({"market_id": integer, "bids": levels, "asks": levels})(book)
    assert {level["price"] % 100 for level in book["bids"] + book["asks"]} == {0}


@proves(
    "interface: | id | int64 | position id |",
    "interface: | user_id | int64 | owner |",
    "interface: | market_id | int64 | market |",
    "interface: | token_type | string | YES or NO |",
    "interface: | amount | int | shares held |",
    "interface: | avg_price | int | average entry price, basis points |",
    "interface: | pnl | int | realized profit/loss in cents |",
    "interface: | event_id | int64 | parent event |",
    "interface: | event_name | string | parent event name |",
    "interface: | pool_id | int64 | parent pool |",
    "interface: | pool_name | string | parent pool name |",
    "interface: | market_name | string | market name |",
    "interface: | Basis points (avg_price_bps, avg_price) | integer; 10000 = 1 RUB |",
)
def test_positions_have_the_fields_of_the_interface(event: dict[str, Any], trader: Person) -> None:
    (closed,) = expect(trader.client.get("/market/positions/completed"), 200)["positions"]
    (held,) = expect(trader.client.get("/market/positions"), 200)["positions"]

    assert CLOSED(closed)
    assert OPEN(held)
    first = event["pools"][0]
    for row, market in zip((closed, held), first["markets"], strict=True):
        assert (row["event_id"], row["event_name"]) == (event["id"], event["name"])
        assert (row["pool_id"], row["pool_name"]) == (first["id"], first["name"])
        assert (row["market_id"], row["market_name"]) == (market["id"], market["name"])
        assert row["user_id"] == trader.id


@proves(
    "interface: | external_user_id | string | partner's own user identifier, echoed from the path |",
    "interface: | exists | bool | whether a sub-account exists |",
    "interface: | user_id | int64 | sub-account id mapped to external_user_id |",
    "interface: | positions | array | open positions |",
    "interface: | positions[].market_id | int64 | market |",
    "interface: | positions[].shares | int | shares held |",
    "interface: - Offers a partner integration: a partner, authenticated by an API key, holds a float account and "
    "per-user sub-accounts and reads balances and user state. Money there is in kopecks.",
    "interface: | Kopecks | integer; 100 kopecks = 1 RUB |",
    "interface: | Shares (partner API) | integer; 100 shares = 1 token |",
)
def test_a_partners_views_have_the_fields_of_the_interface(service: Service, event: dict[str, Any]) -> None:
    partner = service.partner(float_kopecks=1_000)
    market = event["pools"][1]["markets"][0]["id"]
    assert PARTNER_USER(expect(partner.client.get("/partner/users/a"), 200))
    order = {"external_user_id": "a", "market_id": market, "side": "yes", "stake_kopecks": 500}
    expect(partner.client.post("/partner/bets", json=order), 201)
    shown = expect(partner.client.get("/partner/users/a"), 200)

    assert PARTNER_USER(shown)
    assert len(shown["positions"]) == 1
    money = dict.fromkeys(("float_balance_kopecks", "users_balance_kopecks", "total_kopecks", "held_kopecks"), integer)
    assert shaped({"partner": text, **money})(expect(partner.client.get("/partner/balance"), 200))


@proves(
    "interface: - Streams live trades over a WebSocket.",
    "interface: The service pushes one kind of stream: live trades over WebSocket at /api/v1/ws/trades (no "
    "authentication).",
    "interface: 4. No client-to-server messages are expected.",
)
def test_a_feed_item_has_the_fields_of_the_interface(service: Service, trader: Person) -> None:
    texts = dict.fromkeys(("name", "event", "market", "avatar"), text)
    item = shaped({"amount": integer, "token": in_array("YES", "NO"), **texts})
    with listening(service) as feed:
        initial = feed.message()

    assert shaped({"type": in_array("initial"), "trades": array(item)})(initial)
    assert initial["trades"]


@proves(
    "decisions: User object (own view): `id, email, name, nickname, avatar_url, profile_hidden, is_creator, is_admin, "
    "is_stats_viewer, is_operator, balance_kopecks, created_at`.",
)
def test_a_user_has_the_fields_of_the_contract(trader: Person) -> None:
    roles = ("is_creator", "is_admin", "is_stats_viewer", "is_operator")
    own_view = shaped(
        {
            **dict.fromkeys(("id", "balance_kopecks", "held_kopecks"), integer),
            **dict.fromkeys(("email", "name", "nickname", "avatar_url"), text),
            **dict.fromkeys(
                (*roles, "profile_hidden", "email_verified", "email_refused", "show_holds", "show_forecast"), flag
            ),
            "email_pending": or_null(text),
            "language": text,
            "time_zone": text,
            "muted_until": or_null(time),
            "created_at": time,
        }
    )

    assert own_view(expect(trader.client.get("/users/me"), 200))
