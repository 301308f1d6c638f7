"""GET /users/{id} and GET /leaderboard: what people did, and who earned most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.rankings import Ranked, ranking
from foreknow.site.activity.tables import trader_sums
from tests.site.cards.glance import shown
from tests.site.portfolio.orders import bet, sell
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused

RECORD = (
    "client: + `settled` (positions settled), `earned` (of them with `pnl` over 0), `traders` (different ones, of all "
    "their events)"
)
#: A Wednesday in the middle of a month.
WEDNESDAY_MS = 1_797_422_400_000
DID_NOTHING = {
    "realized_kopecks": 0,
    "volume_kopecks": 0,
    "trades": 0,
    "events": 0,
    "settled": 0,
    "earned": 0,
    "traders": 0,
    **dict.fromkeys(("resolved_pools", "corrected_pools", "overdue_pools"), 0),
}
FORECAST_NOTHING = {"forecasts": 0, "forecast_score": None, "forecast_pools": 0}


def sums_of(service: Service, person: Person, trades: int, *, settled: int = 0) -> dict[str, Any]:
    """Return what a person did, as soon as this number of trades and of settled positions is counted."""
    found: dict[str, Any] = shown(
        service.client(), f"/users/{person.id}", lambda found: (found["trades"], found["settled"]) == (trades, settled)
    )
    return {name: found[name] for name in DID_NOTHING if not name.endswith("_pools")}


def earn(service: Service, person: Person, stake_kopecks: int, *, wins: bool = True) -> None:
    """Let a person bet in an event of its own, and be paid or lose the stake."""
    event = service.event()
    bet(person, event["pools"][0]["markets"][0]["id"], stake_kopecks)
    body = {"won_side": 0 if wins else 1}
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=body), 200)


@proves(
    "client: | 12 | GET /users/{id} (Optional); GET /leaderboard",
    "client: `{user, created_at, realized_kopecks, volume_kopecks, trades, events}`, [12a]",
)
def test_a_profile_sums_up_what_a_person_did(service: Service) -> None:
    ann = service.user(balance_kopecks=90_000)
    own = expect(ann.client.get("/users/me"), 200)
    profile = expect(service.client().get(f"/users/{ann.id}"), 200)
    public = {name: own[name] for name in ("id", "name", "nickname", "profile_hidden", "avatar_url")}
    assert profile == {"user": public, "created_at": own["created_at"], **DID_NOTHING, **FORECAST_NOTHING}
    # Signed out it is the same for all: a browser asks whether it has changed.
    visitor = service.client()
    known = {"If-None-Match": visitor.get(f"/users/{ann.id}").headers["etag"]}
    assert visitor.get(f"/users/{ann.id}", headers=known).status_code == 304
    assert "etag" not in ann.client.get(f"/users/{ann.id}").headers

    event = service.event()
    market_id = event["pools"][0]["markets"][0]["id"]
    bet(ann, market_id, 5_000)
    sold = sell(ann, market_id, 1_000)
    earn(service, ann, 3_000)
    chart = expect(service.client().get(f"/users/{ann.id}/pnl/chart"), 200)
    realized = expect(ann.client.get("/users/me/portfolio"), 200)["realized_kopecks"]
    assert chart
    assert visitor.get(f"/users/{ann.id}", headers=known).status_code == 200
    assert sums_of(service, ann, 3, settled=1) == {
        "realized_kopecks": realized,
        "volume_kopecks": 8_000 + sold["payout_kopecks"],
        "trades": 3,
        "events": 2,
        "settled": 1,
        "earned": 1,
        "traders": 0,
    }


@proves(RECORD)
def test_a_profile_says_how_many_positions_earned_and_who_trades_in_ones_events(service: Service) -> None:
    ann, bob, cid = (service.user(balance_kopecks=90_000, creator=True) for _ in range(3))
    for maker in (ann, ann, bob):
        found = service.event(maker)["pools"][0]
        market_id = found["markets"][0]["id"]
        bet(cid, market_id, 2_000)
        if maker is ann:
            bet(bob, market_id, 1_000)
        else:
            sell(cid, market_id, bet(cid, market_id, 500)["shares"])
        won_side = 0 if maker is ann else 1
        expect(maker.client.post(f"/pools/{found['id']}/resolve", json={"won_side": won_side}), 200)

    of_cid, of_bob = sums_of(service, cid, 5, settled=3), sums_of(service, bob, 2, settled=2)
    assert [of_cid[name] for name in ("settled", "earned", "traders")] == [3, 2, 0]
    assert [of_bob[name] for name in ("settled", "earned", "traders")] == [2, 2, 1]
    assert sums_of(service, ann, 0)["traders"] == 2


@proves("client: 404 as PnL.")
def test_a_hidden_profile_is_its_owners_and_admins(service: Service) -> None:
    ann = service.user()
    expect(ann.client.patch("/users/me", json={"profile_hidden": True}), 200)
    for client in (service.client(), service.user().client):
        refused(client.get(f"/users/{ann.id}"), 404, "user_not_found")
    for client in (ann.client, service.admin):
        user = expect(client.get(f"/users/{ann.id}"), 200)["user"]
        assert (user["nickname"], user["profile_hidden"]) == (ann.nickname, True)


@ONCE
def test_others_have_no_profile(service: Service) -> None:
    partner = service.partner(float_kopecks=10_000)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    body = {"external_user_id": "ann", "market_id": market_id, "side": "yes", "stake_kopecks": 900}
    user_id = expect(partner.client.post("/partner/bets", json=body), 201)["user_id"]
    for wrong in (user_id, 999_999_999):
        refused(service.admin.get(f"/users/{wrong}"), 404, "user_not_found")
    refused(service.client().get("/users/x"), 400, "invalid_user_id")


@proves(
    r"client: `?period=week\|month\|all` (None) |",
    "client: Page `entries`: `{rank, user, realized_kopecks, volume_kopecks, trades}`,",
    "client: no hidden profiles; sums by trader and period, written with the trade |",
)
def test_the_leaders_of_each_period_come_first(start_service: Callable[..., Service]) -> None:
    service = start_service()
    service.clock.advance(WEDNESDAY_MS - service.clock())
    people = {name: service.user(balance_kopecks=90_000) for name in ("ann", "bob", "cat", "dan")}
    names = {person.id: name for name, person in people.items()}

    def again() -> None:
        """Sign in again, as tokens have ended."""
        service.sign_out_shared()
        for person in people.values():
            person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, person.password)}"

    def profit(name: str) -> int:
        found: int = expect(people[name].client.get(f"/users/{people[name].id}"), 200)["realized_kopecks"]
        return found

    def leaders(period: str, *right: tuple[str, int]) -> list[dict[str, Any]]:
        def is_right(page: dict[str, Any]) -> bool:
            found = [(names[entry["user"]["id"]], entry["realized_kopecks"]) for entry in page["entries"]]
            return found == list(right)

        entries: list[dict[str, Any]] = shown(service.client(), f"/leaderboard?period={period}", is_right)["entries"]
        assert [entry["rank"] for entry in entries] == list(range(1, len(entries) + 1))
        return entries

    leaders("all")
    earn(service, people["ann"], 9_000)
    earn(service, people["bob"], 3_000)
    earn(service, people["dan"], 20_000)
    earn(service, people["cat"], 500, wins=False)
    expect(people["dan"].client.patch("/users/me", json={"profile_hidden": True}), 200)
    ann, bob, cat, dan = (("ann", profit("ann")), ("bob", profit("bob")), ("cat", -500), ("dan", profit("dan")))
    for period in ("week", "month", "all"):
        entries = leaders(period, ann, bob, cat)
        assert [(entry["volume_kopecks"], entry["trades"]) for entry in entries] == [(9_000, 1), (3_000, 1), (500, 1)]

    # The next week begins on Monday, and it is the same month.
    service.clock.advance(5 * DAY_MS)
    again()
    leaders("week")
    earn(service, people["bob"], 20_000)
    richer = ("bob", profit("bob"))
    leaders("week", ("bob", richer[1] - bob[1]))
    leaders("month", richer, ann, cat)
    service.clock.advance(30 * DAY_MS)
    again()
    leaders("month")
    leaders("all", richer, ann, cat)
    expect(people["dan"].client.patch("/users/me", json={"profile_hidden": False}), 200)
    leaders("all", richer, dan, ann, cat)
    listed, cursor = [], ""
    while True:
        page = expect(service.client().get(f"/leaderboard?limit=1{cursor}"), 200)
        listed += [(entry["rank"], names[entry["user"]["id"]]) for entry in page["entries"]]
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert listed == [(1, "bob"), (2, "dan"), (3, "ann"), (4, "cat")]


@ONCE
def test_a_cursor_is_bound_to_its_period(service: Service) -> None:
    for stake in (900, 800):
        earn(service, service.user(balance_kopecks=1_000), stake)
    page = shown(service.client(), "/leaderboard?period=week&limit=1", lambda page: page["has_more"])
    cursor = page["next_cursor"]
    refused(service.client().get(f"/leaderboard?period=all&limit=1&cursor={cursor}"), 400, "invalid_cursor")
    refused(service.client().get("/leaderboard?period=day"), 400, "bad_request")
    refused(service.client().get("/leaderboard?limit=0"), 400, "invalid_limit")


@proves("client: realized_kopecks, volume_kopecks, trades}`, ≤ 1,000,")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("hidden", "listed"), [(0, 1_000), (700, 1_000), (4_400, 600), (5_100, 0)])
async def test_a_ranking_ends_after_1000_or_after_looking_at_5000(db: Database, hidden: int, listed: int) -> None:
    ids = range(1_000, 1_000 + hidden + 1_100)
    first_shown = ids[hidden]

    def fill(tx: WriteTx) -> None:
        people = [
            {"id": one, "name": f"P{one}", "profile_hidden": one < first_shown, "created_at_ms": 1} for one in ids
        ]
        tx.execute(users.insert(), people)
        # Two have the same profit each time.
        sums = [
            {"period": "all", "number": 0, "user_id": one, "realized_kopecks": -((one - ids[0]) // 2)} for one in ids
        ]
        tx.execute(trader_sums.insert(), sums)

    def pages(tx: ReadTx) -> list[Ranked]:
        found: list[Ranked] = []
        while page := ranking(tx, "all", 0, shown=[row.user_id for row in found], limit=100):
            found += page
        return found

    await db.write(fill)
    found = await db.read(pages)
    assert [row.rank for row in found] == list(range(1, listed + 1))
    keys = [(-row.realized_kopecks, -row.user_id) for row in found]
    assert keys == sorted(set(keys))
    assert all(row.user_id >= first_shown for row in found)
