"""How limit orders end without their owners: when, with which status, and what comes back (orders.md, "Ends")."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.money.holds.tables import limit_orders
from foreknow.money.ledger.tables import accounts
from foreknow.people.follows.tables import user_follows
from foreknow.platform.db.transactions import ReadTx
from tests.support.disputes import leap
from tests.support.limit_orders import (
    cancel,
    get_order,
    money,
    notices,
    orders_of,
    place,
    rest,
    work,
)
from tests.support.orders import bet, open_market
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

MINUTE_MS = 60_000
#: An access token lasts longer.
AHEAD_MS = 5 * MINUTE_MS


def end(order: dict[str, Any]) -> tuple[str, str | None]:
    """Return how an order ended."""
    return order["status"], order["reason"]


def open_pool(service: Service, names: list[str] | None = None, **fields: Any) -> tuple[int, list[int]]:
    """Make an event with one pool; return its id and its markets'."""
    (made,) = service.event(pools=[pool(names, **fields)])["pools"]
    return made["id"], [market["id"] for market in made["markets"]]


@proves(
    (
        "orders: Nothing fills from `expires_at`, `finish_at` (as it then stands; moved while ahead, orders stay), a "
        "verdict (with a dispute window: its opening) or the event's cancellation on"
    ),
    "orders: The status says so at that moment, in filters and counts too",
)
def test_an_order_expires_at_its_moment_and_its_money_follows(still_service: Service) -> None:
    service = still_service
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker, taker = service.user(balance_kopecks=10_000), service.user(balance_kopecks=200_000)
    expires_at_ms = service.clock() + AHEAD_MS
    order = rest(maker, market, "YES", "buy", shares=2_000, price=40, expires_at=iso(expires_at_ms))
    stays = rest(maker, market, "YES", "buy", shares=1_000, price=30)
    service.clock.stop_at(expires_at_ms - 1)
    assert get_order(maker, order["id"])["status"] == "open"

    service.clock.stop_at(expires_at_ms)

    shown = get_order(maker, order["id"])
    assert (end(shown), shown["held_kopecks"], shown["updated_at"]) == (("expired", None), 800, iso(expires_at_ms))
    assert orders_of(maker, status="expired") == [shown]
    assert [one["id"] for one in orders_of(maker, status="open")] == [stays["id"]]
    expect(bet(taker, market, "NO", 45_000), 201)
    assert get_order(maker, order["id"]) == shown
    assert money(maker) == (8_900, 1_100)
    work(service)
    assert money(maker) == (9_700, 300)
    assert get_order(maker, order["id"]) == shown | {"held_kopecks": 0}
    assert cancel(maker, order["id"]) == shown | {"held_kopecks": 0}
    assert notices(maker, "orders_ended") == []


@proves("orders: money and shares are back within 2 s")
def test_what_ended_is_back_soon(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker = service.user(balance_kopecks=10_000)
    shares = expect(bet(maker, market, "YES", 3_000), 201)["shares"] // 100 * 100
    expires_at = iso(service.clock() + 1_500)
    bought = rest(maker, market, "YES", "buy", shares=2_000, price=40, expires_at=expires_at)
    sold = rest(maker, market, "YES", "sell", shares=shares, price=95, expires_at=expires_at)

    wait_until(lambda: money(maker) == (7_000, 0))

    wait_until(lambda: [get_order(maker, one["id"])["status"] for one in (bought, sold)] == ["expired"] * 2)
    wait_until(lambda: expect(maker.client.get("/market/positions"), 200)["positions"][0]["reserved_shares"] == 0)


@proves("orders: The earliest end counts, at a tie the first named.")
@pytest.mark.parametrize(
    ("expires_ms", "expected"),
    [
        (-1, ("expired", None)),
        (0, ("expired", None)),
        (1, ("cancelled", "closed")),
        (None, ("cancelled", "closed")),
    ],
)
def test_the_earliest_end_counts(
    still_service: Service, expires_ms: int | None, expected: tuple[str, str | None]
) -> None:
    service = still_service
    finish_at_ms = service.clock() + AHEAD_MS
    pool_id, (market,) = open_pool(service, probabilities=[0.5], finish_at=iso(finish_at_ms))
    maker = service.user(balance_kopecks=10_000)
    more = {} if expires_ms is None else {"expires_at": iso(finish_at_ms + expires_ms)}
    order = rest(maker, market, "YES", "buy", shares=2_000, price=40, **more)
    service.clock.stop_at(finish_at_ms + 10)

    ended = get_order(maker, order["id"])

    assert end(ended) == expected
    assert ended["updated_at"] == iso(finish_at_ms + min(expires_ms or 0, 0))
    expect(service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    work(service)
    assert get_order(maker, order["id"]) == ended | {"held_kopecks": 0}
    assert money(maker) == (10_000, 0)


@proves(
    "orders: `orders_ended` (one a pool and person, at `finish_at`, a verdict or cancellation, and at each split).",
)
def test_the_end_of_trading_ends_all_and_notifies_once(still_service: Service) -> None:
    service = still_service
    finish_at_ms = service.clock() + AHEAD_MS
    _, markets = open_pool(service, ["a", "b"], finish_at=iso(finish_at_ms))
    makers = [service.user(balance_kopecks=100_000) for _ in range(3)]
    partner = service.partner(float_kopecks=10_000)
    of_partner = {"external_user_id": "u", "market_id": markets[0], "side": "yes", "action": "buy", "shares": 1_000}
    theirs = expect(partner.client.post("/partner/orders", json=of_partner | {"price_bps": 1_000}), 201)
    for maker in makers:
        for market in markets:
            for price in range(10, 17):
                rest(maker, market, "YES", "buy", shares=1_000, price=price)
    before = [sum(money(maker)) for maker in makers]

    service.clock.advance(AHEAD_MS + 1)

    assert orders_of(makers[0], status="open") == []
    work(service)
    assert [money(maker) for maker in makers] == [(kopecks, 0) for kopecks in before]
    for maker in makers:
        assert {end(order) for order in orders_of(maker, limit=100)} == {("cancelled", "closed")}
        (notice,) = notices(maker, "orders_ended")
        assert notice["params"]["order_count"] == 14
    refused(place(makers[0], markets[0], "YES", "buy", shares=1_000, price=10), 409, "market_closed")
    seen = expect(partner.client.get(f"/partner/orders/{theirs['order_id']}", params={"external_user_id": "u"}), 200)
    assert (end(seen), seen["held_kopecks"]) == (("cancelled", "closed"), 0)
    lines = expect(partner.client.get("/partner/transactions"), 200)["transactions"]
    assert [(line["type"], line["order_id"]) for line in lines[:2]] == [
        ("order_return", theirs["order_id"]),
        ("order", theirs["order_id"]),
    ]


def test_a_finish_that_is_moved_while_ahead_leaves_orders(still_service: Service) -> None:
    service = still_service
    finish_at_ms = service.clock() + AHEAD_MS
    pool_id, (market,) = open_pool(service, finish_at=iso(finish_at_ms))
    maker = service.user(balance_kopecks=10_000)
    order = rest(maker, market, "YES", "buy", shares=2_000, price=40)

    expect(service.admin.patch(f"/pools/{pool_id}", json={"finish_at": iso(finish_at_ms + AHEAD_MS)}), 200)
    service.clock.stop_at(finish_at_ms + 1)
    work(service)
    assert get_order(maker, order["id"])["status"] == "open"
    service.clock.stop_at(finish_at_ms + AHEAD_MS)

    assert end(get_order(maker, order["id"])) == ("cancelled", "closed")


@proves("orders: before any position is paid.")
def test_a_result_ends_orders_before_it_is_paid(still_service: Service) -> None:
    service = still_service
    pool_id, (market,) = open_pool(service, probabilities=[0.5])
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    shares = expect(bet(maker, market, "YES", 10_000), 201)["shares"] // 100 * 100
    sold = rest(maker, market, "YES", "sell", shares=shares, price=60)
    bought = rest(maker, market, "YES", "buy", shares=2_000, price=40)
    expect(bet(taker, market, "YES", 20_000), 201)
    met = get_order(maker, sold["id"])
    assert met["held_kopecks"] > 0
    total = sum(money(maker))

    # Nothing else works on orders: the payment itself ends and pays them first.
    expect(service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)

    assert end(get_order(maker, bought["id"])) == ("cancelled", "resolved")
    assert end(get_order(maker, sold["id"]))[0] in ("filled", "cancelled")
    assert money(maker) == (total, 0)
    (notice,) = notices(maker, "orders_ended")
    assert notice["params"]["order_count"] == (1 if met["status"] == "filled" else 2)
    assert expect(maker.client.get("/market/positions"), 200)["positions"] == []


@proves(
    (
        "orders: A correction, or a void, also at a moment, changes what shares are paid, never a fill; an ended order "
        "stays so."
    ),
)
def test_a_dispute_window_ends_orders_at_its_opening_and_a_correction_changes_none(still_service: Service) -> None:
    service = still_service
    described = pool(probabilities=[0.5])
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 10}
    (made,) = service.event(pools=[described])["pools"]
    market = made["markets"][0]["id"]
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    filled = rest(maker, market, "YES", "buy", shares=1_000, price=45)
    rests = rest(maker, market, "YES", "buy", shares=2_000, price=20)
    expect(bet(taker, market, "NO", 30_000), 201)
    work(service)
    assert money(maker)[1] == 400
    paid = get_order(maker, filled["id"])

    expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)

    ended = get_order(maker, rests["id"])
    assert end(ended) == ("cancelled", "resolved")
    work(service)
    assert money(maker) == (50_000 - paid["amount_kopecks"], 0)
    expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)
    assert get_order(maker, filled["id"]) == paid
    assert get_order(maker, rests["id"]) == ended | {"held_kopecks": 0}
    # A further verdict has an hour at least.
    leap(service, service.clock() + 60 * MINUTE_MS, maker)
    wait_until(lambda: expect(maker.client.get("/market/positions"), 200)["positions"] == [])
    assert money(maker) == (50_000 - paid["amount_kopecks"], 0)
    assert len(notices(maker, "orders_ended")) == 1


@pytest.mark.parametrize("is_corrected", [False, True])
def test_a_moved_end_an_expiry_and_a_dispute_end_what_they_find(still_service: Service, is_corrected: bool) -> None:
    """The end is moved from 5 to 9 minutes ahead; orders expire after 6, and are decided after 7."""
    service = still_service
    begin_ms = service.clock()
    described = pool(probabilities=[0.5], b=50_000, finish_at=iso(begin_ms + 5 * MINUTE_MS))
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 5}
    (made,) = service.event(pools=[described])["pools"]
    market = made["markets"][0]["id"]
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    expires_at = iso(begin_ms + 6 * MINUTE_MS)
    short = rest(maker, market, "YES", "buy", shares=1_000, price=40, expires_at=expires_at)
    met = rest(maker, market, "YES", "buy", shares=1_000, price=45)
    long = rest(maker, market, "YES", "buy", shares=1_000, price=10)

    expect(service.admin.patch(f"/pools/{made['id']}", json={"finish_at": iso(begin_ms + 9 * MINUTE_MS)}), 200)
    service.clock.stop_at(begin_ms + 6 * MINUTE_MS)
    assert [end(get_order(maker, one["id"])) for one in (short, met, long)] == [
        ("expired", None),
        ("open", None),
        ("open", None),
    ]
    # The one that has expired stands at the better price of those below, and is passed by.
    expect(bet(taker, market, "NO", 20_000), 201)
    assert get_order(maker, met["id"])["status"] == "filled"
    assert get_order(maker, short["id"])["filled_shares"] == 0
    service.clock.stop_at(begin_ms + 7 * MINUTE_MS)
    expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    ended = get_order(maker, long["id"])
    assert (end(ended), ended["updated_at"]) == (("cancelled", "resolved"), iso(begin_ms + 7 * MINUTE_MS))
    refused(place(maker, market, "YES", "buy", shares=1_000, price=10), 409, "market_closed")
    if is_corrected:
        expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)
    service.clock.stop_at(begin_ms + 9 * MINUTE_MS)
    assert end(get_order(maker, long["id"])) == ("cancelled", "resolved")
    work(service)
    paid = get_order(maker, met["id"])["amount_kopecks"]
    assert money(maker) == (50_000 - paid, 0)
    # A further verdict has an hour at least.
    leap(service, begin_ms + (68 if is_corrected else 13) * MINUTE_MS, maker)
    wait_until(lambda: expect(maker.client.get("/market/positions"), 200)["positions"] == [])
    assert money(maker) == (50_000 - paid + (0 if is_corrected else 1_000), 0)
    assert len(notices(maker, "orders_ended")) == 1


def test_a_cancelled_event_ends_orders(service: Service) -> None:
    event = service.event(pools=[pool(["a", "b"])])
    market = event["pools"][0]["markets"][0]["id"]
    maker = service.user(balance_kopecks=10_000)
    order = rest(maker, market, "YES", "buy", shares=2_000, price=20)

    expect(service.admin.post(f"/events/{event['id']}/cancel"), 200)

    assert end(get_order(maker, order["id"])) == ("cancelled", "resolved")
    wait_until(lambda: money(maker) == (10_000, 0))
    assert len(notices(maker, "orders_ended")) == 1


@proves(
    "orders: nor while the pool is paused, when cancelling works and new orders are 409 `market_paused`.",
)
def test_nothing_fills_in_a_paused_pool_and_cancelling_works(still_service: Service) -> None:
    service = still_service
    pool_id, (market,) = open_pool(service, probabilities=[0.5])
    maker = service.user(balance_kopecks=10_000)
    kept = rest(maker, market, "YES", "buy", shares=2_000, price=20)
    order = rest(maker, market, "YES", "buy", shares=2_000, price=30)
    expect(service.admin.post(f"/pools/{pool_id}/pause"), 200)

    refused(place(maker, market, "YES", "buy", shares=1_000, price=30), 409, "market_paused")
    refused(bet(maker, market, "YES", 100), 409, "market_paused")
    assert end(cancel(maker, order["id"])) == ("cancelled", "user")
    assert money(maker) == (9_600, 400)
    expect(service.admin.post(f"/pools/{pool_id}/resume"), 200)
    assert get_order(maker, kept["id"])["status"] == "open"


@proves("orders: A deactivated or deleted user's orders end within 2 s (`deactivated`)")
def test_the_orders_of_a_deactivated_user_end(service: Service) -> None:
    markets = [open_market(service, probabilities=[0.5])[0] for _ in range(3)]
    person = service.user(balance_kopecks=10_000)
    for market in markets:
        rest(person, market, "YES", "buy", shares=2_000, price=20)

    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": False}), 200)

    def ended() -> set[tuple[str, str | None, int]]:
        found: set[tuple[str, str | None, int]] = service.look(lambda tx: rows_of(tx, person))
        return found

    wait_until(lambda: ended() == {("cancelled", "deactivated", 0)})
    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": True}), 200)
    person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, person.password)}"
    assert money(person) == (10_000, 0)
    assert notices(person, "orders_ended") == []
    assert rest(person, markets[0], "YES", "buy", shares=2_000, price=20)["status"] == "open"


@proves("orders: and a deleted user's both go to the house.", "orders: `deactivated` (deleted too).")
def test_what_a_deleted_users_orders_hold_goes_to_the_house(fresh_service: Service) -> None:
    service = fresh_service
    (market,) = open_market(service, probabilities=[0.5])
    person = service.user(balance_kopecks=10_000)
    rest(person, market, "YES", "buy", shares=2_000, price=20)
    house = house_kopecks(service)

    expect(person.client.post("/users/me/delete", json={"password": person.password}), 200)

    assert service.look(lambda tx: rows_of(tx, person)) <= {("cancelled", "deactivated", 0), ("open", None, 400)}
    wait_until(lambda: house_kopecks(service) == house + 10_000)
    assert service.look(lambda tx: rows_of(tx, person)) == {("cancelled", "deactivated", 0)}


@proves("site: orders, follows,")
def test_orders_and_follows_end_with_their_account(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5])
    person, friend = service.user(balance_kopecks=10_000), service.user()
    rest(person, market, "YES", "buy", shares=2_000, price=20)
    for follower, followed in ((person, friend), (friend, person)):
        expect(follower.client.put(f"/users/{followed.id}/follow"), 200)

    expect(person.client.post("/users/me/delete", json={"password": person.password}), 200)

    def follows(tx: ReadTx) -> int:
        theirs = sa.or_(user_follows.c.user_id == person.id, user_follows.c.followed_id == person.id)
        return tx.execute(sa.select(sa.func.count()).where(theirs)).scalar_one()

    wait_until(lambda: service.look(follows) == 0)
    wait_until(lambda: service.look(lambda tx: rows_of(tx, person)) == {("cancelled", "deactivated", 0)})
    assert expect(friend.client.get("/users/me/following"), 200)["users"] == []


@proves("orders: a revoked key's, a partner's too, stay.")
def test_the_orders_of_a_revoked_key_stay(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5])
    person = service.user(balance_kopecks=10_000)
    key = expect(person.client.post("/users/me/keys", json={"name": "bot", "scope": "trade"}), 201)
    bot = service.client(key["key"])
    body = {"market_id": market, "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 2_000}
    order = expect(bot.post("/market/orders", json=body), 201)

    expect(person.client.delete(f"/users/me/keys/{key['id']}"), 200)
    work(service)

    assert get_order(person, order["id"])["status"] == "open"


def rows_of(tx: Any, person: Person) -> set[tuple[str, str | None, int]]:
    """Return the states of a person's orders, whom no one can ask any more."""
    query = sa.select(limit_orders.c.status, limit_orders.c.reason, limit_orders.c.held_kopecks)
    return set(map(tuple, tx.execute(query.where(limit_orders.c.user_id == person.id))))


def house_kopecks(service: Service) -> int:
    """Return what the house has."""
    query = sa.select(accounts.c.balance_kopecks).where(accounts.c.kind == "house")
    return int(service.look(lambda tx: tx.execute(query).scalar_one()))
