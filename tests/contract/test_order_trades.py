"""The trades of limit orders, the quotes beside them and the order book (orders.md, "Trades")."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import iso
from tests.site.feed.listening import listening
from tests.site.live.watching import viewing
from tests.support.books import Auditor
from tests.support.kinds import ON_SQLITE
from tests.support.limit_orders import get_order, place, rest, work
from tests.support.orders import bet, open_market
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.twin import Twin, lots
from tests.support.waiting import wait_until


def trades_of(person: Person) -> list[dict[str, Any]]:
    """Return a person's trades, newest first."""
    found: list[dict[str, Any]] = expect(person.client.get("/users/me/trades", params={"limit": 100}), 200)["trades"]
    return found


@proves(
    "orders: One trade for what an order took on arrival, then one for each resting order it met (as met; of a set by "
    "`outcome_index`), then one for each order that the sweep filled (by its first piece): in this order they enter "
    "positions.",
    "orders: `probability_before` of the first, of answers and quotes is their market's before, all else its market's "
    "after the sweep;",
    'orders: `/users/me/trades` + `order_id`, `role: "taker"` (on arrival) or `"maker"` (while resting), null of '
    "other trades.",
)
def test_the_trades_of_an_order_are_the_takers_then_the_makers_then_the_swept(service: Service) -> None:
    """Who bets against the second outcome makes all others dear, and those who wait for that follow in turn."""
    twin = Twin(service, probabilities=[0.2, 0.3, 0.3, 0.2], b=20_000, people=4)
    twin.limit(1, 1, "buy YES", 10, 29)
    twin.limit(2, 0, "buy NO", 10, 75)
    twin.limit(3, 2, "buy NO", 10, 63)
    before = expect(service.client().get(f"/pools/{twin.pool_id}"), 200)["markets"]

    found = twin.bet(0, 1, "NO", 25_000)

    after = expect(service.client().get(f"/pools/{twin.pool_id}"), 200)["markets"]
    assert (lots(found.met), lots(found.swept)) == ([(1, 10)], [(3, 10), (2, 10)])
    shown = expect(service.client().get(f"/events/{twin.event_id}/trades"), 200)["trades"][::-1]
    assert [one["market_id"] for one in shown] == [twin.markets[outcome] for outcome in (1, 1, 2, 0)]
    assert [one["user"]["id"] for one in shown] == [twin.people[who].id for who in (0, 1, 3, 2)]
    assert [one["id"] for one in shown] == sorted(one["id"] for one in shown)
    prices = {one["id"]: one["yes_probability"] for one in after}
    for number, one in enumerate(shown):
        first = before[1]["yes_probability"] if number == 0 else prices[one["market_id"]]
        assert (one["probability_before"], one["probability_after"]) == (first, prices[one["market_id"]])
    (own,) = trades_of(twin.people[0])
    assert (own["order_id"], own["role"]) == (None, None)
    (met,) = trades_of(twin.people[1])
    assert (met["order_id"], met["role"], met["amount_kopecks"]) == (twin.ids[1], "maker", 290)


@proves(
    "orders: Each is a trade like any, final: feed, tape, volume (both sides of a match), charts, counts, leaders, "
    "holders, position, PnL.",
)
def test_a_fill_counts_wherever_trades_do(service: Service) -> None:
    event = service.event(pools=[pool(probabilities=[0.5], b=50_000)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    order = rest(maker, market, "NO", "buy", shares=3_000, price=45)
    with listening(service) as feed:
        feed.message()
        taken = expect(place(taker, market, "YES", "buy", shares=20_000, price=55), 201)
        said = [(one["trade"]["token"], one["trade"]["amount"]) for one in feed.messages(2)]

    assert taken["filled_shares"] > 3_000
    filled = get_order(maker, order["id"])
    assert (filled["status"], filled["amount_kopecks"]) == ("filled", 1_350)
    assert said == [("YES", taken["amount_kopecks"]), ("NO", 1_350)]
    page = expect(service.client().get(f"/events/{event['id']}/page"), 200)["pools"][0]
    assert (page["volume_kopecks"], page["trades"]) == (taken["amount_kopecks"] + 1_350, 2)
    assert expect(service.client().get(f"/markets/{market}"), 200)["volume"] == page["volume_kopecks"]
    chart = expect(service.client().get(f"/markets/{market}/chart"), 200)
    assert chart[-1]["probability"] == pytest.approx(taken["probability_after"])
    (position,) = expect(maker.client.get("/market/positions"), 200)["positions"]
    assert (position["token_type"], position["amount"]) == ("NO", 3_000)
    wait_until(lambda: _holders(service, pool_id) == ({taker.id}, {maker.id}))
    shown = f"/events/{event['id']}/page"
    wait_until(lambda: expect(service.client().get(shown), 200)["pools"][0]["traders"] == 2)
    Auditor(service).audit()


def _holders(service: Service, pool_id: int) -> tuple[set[int], set[int]]:
    (market,) = expect(service.client().get(f"/pools/{pool_id}/holders"), 200)["markets"]
    yes, no = ({one["user"]["id"] for one in market[side]} for side in ("yes", "no"))
    return yes, no


@proves(
    "orders: A quote is what the order would do and how it would be refused, own orders as in rule 6 (a partner's: "
    "with `external_user_id?`).",
)
def test_a_quote_is_what_the_order_would_do(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=5_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    rest(maker, market, "NO", "buy", shares=3_000, price=45)
    rest(taker, market, "NO", "buy", shares=3_000, price=47)
    partner = service.partner(float_kopecks=50_000)
    theirs = {"external_user_id": "ann", "market_id": market, "side": "no", "action": "buy", "shares": 1_000}
    expect(partner.client.post("/partner/orders", json=theirs | {"price_bps": 4_600}), 201)
    query: dict[str, Any] = {"market_id": market, "token_type": "YES", "amount_kopecks": 4_000}
    of_partner: dict[str, Any] = {"market_id": market, "side": "yes", "stake_kopecks": 4_000}

    def quoted(**who: Any) -> tuple[int, float, float]:
        client = who.get("person", taker).client if "user" not in who else partner.client
        if "user" in who:
            params = of_partner | ({"external_user_id": who["user"]} if who["user"] else {})
            said = expect(client.get("/partner/quote", params=params), 200)
        else:
            said = expect(client.get("/market/quote", params=query), 200)
        return said["shares"], said["probability_before"], said["probability_after"]

    # Each meets all orders but their own; the partner meets all while no user is named.
    everyone, ann = quoted(user=None), quoted(user="ann")
    mine = quoted(person=taker)
    assert len({everyone[0], ann[0], mine[0], quoted(person=maker)[0]}) == 4

    refused(taker.client.get("/market/quote", params=query | {"amount_kopecks": 10**16}), 400, "bad_request")
    placed = expect(bet(taker, market, "YES", 4_000), 201)
    assert (placed["shares"], placed["probability_before"], placed["probability_after"]) == mine


@proves(
    "orders: Order book: the ladder, and added at each whole percent the shares that resting orders of this market, "
    "and sets taken one after the other while there are any, offer there; it may overlap the curve.",
)
def test_the_order_book_has_the_ladder_orders_and_sets_of_ten_outcomes(service: Service) -> None:
    twin = Twin(service, probabilities=[0.1] * 10, b=5_000, people=2)

    def book(outcome: int) -> tuple[dict[int, int], dict[int, int]]:
        shown = expect(service.client().get(f"/market/orderbook/{twin.markets[outcome]}"), 200)
        bids, asks = ({level["price"]: level["amount"] for level in shown[side]} for side in ("bids", "asks"))
        return bids, asks

    ladder = book(0)
    for outcome in range(1, 10):
        twin.limit(0, outcome, "buy YES", 10 + outcome, 7 if outcome % 2 else 8)
        twin.limit(1, outcome, "buy NO", 20 - outcome, 88)
    twin.limit(1, 0, "buy NO", 12, 85)
    twin.limit(1, 0, "buy NO", 15, 85)

    def added(now: dict[int, int], before: dict[int, int]) -> dict[int, int]:
        return {price: lots for price in now if (lots := now[price] - before.get(price, 0))}

    bids, asks = book(0)
    # Nine who bid 7 or 8 % offer the first at 33 %, and, as each of them is used up, at more.
    sets = {100 * (100 - sum(7 if one % 2 else 8 for one in range(start, 10))): 100 for start in range(2, 10)}
    assert added(asks, ladder[1]) == {1_500: 2_700, 3_300: 1_100} | {
        price: 100 for price in sets if price not in (1_500, 3_300)
    }
    # The others' sellers are a buyer of the first only where all nine are there: 100 − 9 · 12 is no price.
    assert added(bids, ladder[0]) == {}


@ON_SQLITE
def test_the_book_reads_levels_and_what_expires_and_no_queue(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=50_000)
    rest(service.user(balance_kopecks=50_000), market, "NO", "buy", shares=1_000, price=40)
    seen: list[str] = []

    def explain(connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM order_levels" in statement or "FROM limit_orders" in statement:
            cursor = connection.connection.cursor()
            seen.extend(row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", explain)
    try:
        expect(service.client().get(f"/market/orderbook/{market}"), 200)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", explain)

    reads = [step for step in seen if "order_levels" in step or "limit_orders" in step]
    assert any("ix_limit_orders_expiring" in step for step in reads), seen
    assert not any(step.startswith("SCAN") or "queue" in step for step in reads), seen


def test_an_order_leaves_the_book_at_the_moment_it_expires(still_service: Service) -> None:
    """Not when its end is written, nor with the pool's next trade."""
    service = still_service
    (market,) = open_market(service, probabilities=[0.5], b=50_000)
    person = service.user(balance_kopecks=50_000)
    expires_at_ms = service.clock() + 60_000

    def asks() -> dict[int, int]:
        shown = expect(service.client().get(f"/market/orderbook/{market}"), 200)["asks"]
        return {level["price"]: level["amount"] for level in shown}

    ladder = asks()
    rest(person, market, "NO", "buy", shares=1_000, price=40)
    for ahead_ms in (0, 1):
        expires_at = iso(expires_at_ms + ahead_ms)
        rest(person, market, "NO", "buy", shares=2_000, price=40, expires_at=expires_at)
    service.clock.stop_at(expires_at_ms - 1)
    assert asks()[6_000] == ladder[6_000] + 5_000
    for at_ms, shares in ((expires_at_ms, 3_000), (expires_at_ms + 1, 1_000)):
        service.clock.stop_at(at_ms)
        assert asks()[6_000] == ladder[6_000] + shares
    work(service)
    assert asks()[6_000] == ladder[6_000] + 1_000


@proves(
    "orders: `/ws/live` and `/ws/trades` tell nothing of it or of orders; the event page's `house` + `held_kopecks`."
)
def test_an_order_that_rests_is_no_live_update_and_the_events_page_says_what_is_held(service: Service) -> None:
    event = service.event(pools=[pool(probabilities=[0.5], b=50_000)])
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=50_000)
    with listening(service) as feed, viewing(service) as viewer:
        feed.message()
        viewer.watch(event["id"])
        rest(person, market, "YES", "buy", shares=2_000, price=40)
        taken = expect(bet(person, market, "YES", 300), 201)
        # The first message after the order is the bet's.
        assert feed.message()["trade"]["amount"] == taken["amount_kopecks"] == 300
        shown = viewer.trade()
        assert (shown["amount_kopecks"], {one["type"] for one in viewer.heard} - {"prices"}) == (300, {"trade"})

    house = expect(service.creator.client.get(f"/events/{event['id']}/page"), 200)["pools"][0]["house"]
    assert house["held_kopecks"] == 800
    assert expect(person.client.get(f"/events/{event['id']}/page"), 200)["pools"][0]["house"] is None
