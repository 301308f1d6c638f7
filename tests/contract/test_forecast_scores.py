"""What forecasts earn: the definition over lives of pools, who takes no part, boards, records and notices."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, iso
from foreknow.people.users.tables import users
from foreknow.site.forecast_scores.tables import forecast_scorings
from foreknow.site.record.tables import source_records
from tests.support import forecasts as said
from tests.support.disputes import confirm, read_time
from tests.support.lists import add_outcome, list_pool
from tests.support.lived_pools import LivedPool, sign_in
from tests.support.orders import add_liquidity
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool, refused
from tests.support.waiting import let_work, wait_until

SCORES = ("forecast-scores",)
EXACT = 1e-6
T = (
    "forecasts: T: from publication to what `finish_at` was at publication (none: 90 days); nothing counts after it, "
    "nor after the first verdict's `decided_at`. `coverage`: the part of T that counted."
)
COPIED = "forecasts: To 1e-6; copying scores 0. A verdict replaced before it is final leaves no trace."
LISTS = (
    "forecasts: - **Lists**: at a split a standing forecast goes on with λ of Other's part for the new outcome, "
    "raised and divided anew as p is; before it f and p of what came of Other are the same parts of Other's, floors "
    "first. **Series**: each instance has its own."
)
UNSCORED = (
    "forecasts: No score (both null): coverage 0, T under 24 h, a void, several outcomes paid, the event's creator, "
    "who decided any verdict of its history or confirmed."
)
WITHOUT = "forecasts: Whether traders or forecasters count is as `trading` stands when it becomes final."
TRADING = "forecasts: prices stand at the priors, and `p` is theirs."
BOARD = (
    "forecasts: | GET /leaderboard `?by=profit\\|forecast` (profit); GET /users/me/forecast-board (Required) "
    "`?period=` | entries `{rank, user, score, pools, mean}` of pools that became final in the period, by the sum over "
    "events of (scores ÷ the event's pools as published), ties: more pools, lower user id; from 10 scored pools and 30 "
    "days of the account on; `mean` (score ÷ pools) is shown, never ranked; hidden profiles and inactive accounts left "
    "out. The second: among those one follows and oneself |"
)
PROFILE = (
    "forecasts: | GET /users/{id} | + `forecasts` (pools, of what the caller may see), `forecast_score` (as on the "
    "board of all time), `forecast_pools` (scored) |"
)
NOTICES = (
    "forecasts: - Notices: `forecast_scored` (app on; `params.result, score, coverage`), `forecast_old` (off: one "
    'stands for 30 days, the pool is open; once a forecast; "still so" renews it).'
)
RECORD = (
    "forecasts: | GET /record `?source=market\\|crowd`; GET /users/{id}/record (Optional) | the same figures of the "
    "crowd, of one person: what stood at that moment, markets without one left out; both + `market_brier` over the "
    "same markets (with trading off at least 5 forecasters for 5 traders); a hidden profile's 404 |"
)
SCORE = (
    "forecasts: - **Score**, once a pool is final with one winner w: (100 / T) · ∫ ln(f(t) / p(t)) dt over the moments "
    "that count: one of theirs stood, the pool could be traded (or could, but for `trading`), its fifth trader had "
    "traded (with trading off: its fifth forecaster had said one), they held no share there and had no trade or fill "
    "of their own there in the 24 h before."
)
AGAINST = (
    "forecasts: f: its probability of w (in a pool of one market of the side that won), p: the market's, raised and "
    "divided as above."
)


def earned(client: httpx.Client, user: int | str = "me") -> dict[int, tuple[float | None, float | None]]:
    """Return the scores and coverages of a person's forecasts by pool."""
    rows = said.of_person(client, user, limit=100)["forecasts"]
    return {row["pool_id"]: (row["score"], row["coverage"]) for row in rows}


def _is_scored(service: Service, pool_id: int) -> bool:
    """Return whether nothing of a pool is left to be scored."""
    due = sa.select(forecast_scorings.c.pool_id).where(forecast_scorings.c.due_at_ms.is_(None))
    return (pool_id,) in {tuple(row) for row in said.kept(service, due)}


def lived_event(service: Service, chance: random.Random, people: list[Person]) -> list[LivedPool]:
    """Let people trade and forecast for two weeks in an event of three pools, and resolve it."""
    clock, creator = service.clock, service.creator
    clock.stop_at(clock())
    finish_at = iso(clock() + 15 * DAY_MS)
    yes_no = pool(probabilities=[0.4], b=20_000, finish_at=finish_at)
    yes_no["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    three = pool(["Reds", "Blues", "Draw"], probabilities=[0.5, 0.3, 0.2], b=20_000, live_at=iso(clock() + HOUR_MS))
    described = [yes_no, three, list_pool(b=20_000, finish_at=finish_at)]
    event = service.event(pools=described, tags=["curling"])
    lived = [LivedPool.begun(service, one) for one in event["pools"]]
    for step in range(60):
        clock.advance(chance.randint(1, 7) * HOUR_MS + chance.randrange(HOUR_MS))
        service.sign_out_shared()
        _happen(service, lived, step, chance, people)
    sign_in(service, people)
    for one, (wrong, winner) in zip(lived, ((1, 0), (None, 2), (None, 3)), strict=True):
        one.life.winner, path = winner, f"/pools/{one.id}/resolve"
        one.life.decided_ms = [clock()]
        if wrong is not None:
            expect(creator.client.post(path, json={"won_side": wrong}), 200)
            clock.advance(30 * MINUTE_MS)
        expect(service.admin.post(path, json={"won_side": winner}), 200)
    clock.advance(3 * DAY_MS)
    sign_in(service, people)
    return lived


def _happen(service: Service, lived: list[LivedPool], step: int, chance: random.Random, people: list[Person]) -> None:
    creator, (yes_no, three, growing) = service.creator.client, lived
    if step in {25, 45}:
        answer = expect(add_outcome(creator, growing.id, f"New {step}", share=0.4), 201)
        growing.note(read_time(answer["splits"][-1]["at"]))
    elif step == 30:
        later_ms = service.clock() + 9 * DAY_MS
        expect(creator.patch(f"/pools/{yes_no.id}", json={"finish_at": iso(later_ms)}), 200)
        yes_no.life.finish_ms = later_ms
    elif step == 35:
        expect(add_liquidity(creator, three.id, 30_000), 200)
    elif step > 18 and step % 10 == 9:
        chance.choice(lived).pause()
    elif step < 18 or step % 5 == 0:
        one, person = lived[step % 3], people[step // 3 % 6]
        if not one.is_paused and (one.life.live_ms is None or service.clock() >= one.life.live_ms):
            one.trade(person, chance)
    else:
        chance.choice(lived).say(chance.choice(people[3:]), chance)


@proves(SCORE, AGAINST, T, COPIED, LISTS)
def test_scores_are_what_the_definition_gives(fresh_service: Service) -> None:
    service = fresh_service
    people = [service.user(balance_kopecks=1_000_000) for _ in range(9)]
    lived = lived_event(service, random.Random(3), people)
    wait_until(lambda: all(_is_scored(service, one.id) for one in lived))
    scored = 0
    for one in lived:
        life = one.finished()
        for person in people:
            score, coverage = life.earned(person.id)
            found = earned(person.client).get(one.id, (None, None))
            if score is None or coverage is None:
                assert found == (None, None)
                continue
            scored += 1
            assert found[0] is not None
            assert found[1] is not None
            assert abs(found[0] - score) < EXACT
            assert abs(found[1] - coverage) < EXACT
    assert scored >= 6


def forecast_site(start_service: Callable[..., Service], count: int = 6) -> tuple[Service, list[Person]]:
    """Start a site for forecasting alone, its clock standing, with people."""
    service = start_service(trading="off", begins_midweek=True)
    service.clock.stop_at(service.clock())
    return service, [service.user() for _ in range(count)]


def pass_(service: Service, ms: int, people: Sequence[Person]) -> None:
    """Let time pass, after which people sign in again."""
    service.clock.advance(ms)
    sign_in(service, people)


def final(service: Service, pools: Sequence[dict[str, Any]], **result: Any) -> None:
    """Resolve pools, and wait until what has a winner is scored."""
    for one in pools:
        expect(service.admin.post(f"/pools/{one['id']}/resolve", json=result or {"won_side": 0}), 200)
    if not result:
        wait_until(lambda: all(_is_scored(service, one["id"]) for one in pools))


def day_pools(count: int, service: Service, days: float = 2, **fields: Any) -> list[dict[str, Any]]:
    """Publish an event of pools at 0.5 that are to last some days."""
    finish_at = iso(service.clock() + round(days * DAY_MS))
    pools: list[dict[str, Any]] = service.event(
        pools=[pool(finish_at=finish_at, **fields) for _ in range(count)], tags=["class"]
    )["pools"]
    return pools


def board(client: httpx.Client, path: str = "/leaderboard?by=forecast", **query: Any) -> list[tuple[Any, ...]]:
    """Return a board as (rank, user, score, pools, mean)."""
    entries = expect(client.get(path, params=query or None), 200)["entries"]
    keys = ("score", "pools", "mean")
    assert all(entry.keys() == {"rank", "user", *keys} for entry in entries)
    return [(one["rank"], one["user"]["id"], *(one[key] for key in keys)) for one in entries]


@proves(WITHOUT, UNSCORED, TRADING)
def test_on_a_site_without_trading_the_fifth_forecaster_and_the_priors_count(
    start_service: Callable[..., Service],
) -> None:
    service, people = forecast_site(start_service)
    made, creator, decider = day_pools(5, service), service.creator, service.user(admin=True)
    short = day_pools(1, service, days=0.9)
    plain, void, shared, lonely, corrected = made
    manual = pool(finish_at=plain["finish_at"])
    manual["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    (confirmed,) = service.event(pools=[manual])["pools"]
    for one in (plain, void, shared, corrected, confirmed, *short):
        for number, person in enumerate([*people[:5], creator, decider]):
            said.said(person, one["id"], [0.5 + number / 20])
    said.said(people[0], lonely["id"], [0.9])
    pass_(service, 12 * HOUR_MS, people)
    said.said(people[5], plain["id"], [0.9])
    pass_(service, 12 * HOUR_MS, [*people, creator, decider])
    final(service, [void], void=True)
    final(service, [shared], payouts=[0.5, 0.5])
    expect(decider.client.post(f"/pools/{corrected['id']}/resolve", json={"won_side": 0}), 200)
    final(service, [plain, lonely, *short])
    for number, person in enumerate(people[:5]):
        found = earned(person.client)
        score, coverage = found[plain["id"]]
        assert coverage == 0.5
        assert score is not None
        assert abs(score - 50 * math.log((0.5 + number / 20) / 0.5)) < EXACT
        assert [found[one["id"]] for one in (void, shared, *short)] == [(None, None)] * 3
    assert earned(people[0].client)[plain["id"]][0] == 0
    score, coverage = earned(people[5].client)[plain["id"]]
    assert coverage == 0.25
    assert score == pytest.approx(25 * math.log(0.9 / 0.5), abs=EXACT)
    assert earned(people[0].client)[lonely["id"]] == (None, None)
    assert earned(creator.client)[plain["id"]] == (None, None)
    wait_until(lambda: _is_scored(service, corrected["id"]))
    assert earned(decider.client)[corrected["id"]] == (None, None)
    assert earned(decider.client)[plain["id"]][0] is not None

    expect(creator.client.post(f"/pools/{confirmed['id']}/resolve", json={"won_side": 0}), 200)
    expect(confirm(decider.client, confirmed["id"], seen=None), 200)
    pass_(service, HOUR_MS + MINUTE_MS, [*people, decider])
    wait_until(lambda: _is_scored(service, confirmed["id"]))
    assert earned(decider.client)[confirmed["id"]] == (None, None)
    assert earned(people[1].client)[confirmed["id"]][0] is not None


@proves(BOARD, PROFILE)
def test_the_board_ranks_by_what_events_gave(start_service: Callable[..., Service]) -> None:
    service, people = forecast_site(start_service, 7)
    best, same, less, twin, hidden, other, more = people
    pools = [one for count in (8, 2, 1) for one in day_pools(count, service)]
    for number, one in enumerate(pools):
        for person, probability in zip(people, (0.9, 0.9, 0.6, 0.6, 0.99, 0.5, 0.5), strict=True):
            if number < 10 or person.id not in {same.id, other.id}:
                said.said(person, one["id"], [probability])
    expect(hidden.client.patch("/users/me", json={"profile_hidden": True}), 200)
    pass_(service, 2 * DAY_MS, people)
    final(service, pools)
    # No account is thirty days old.
    assert board(service.client()) == []
    pass_(service, 28 * DAY_MS, people)
    gain = 100 * math.log(0.9 / 0.5)
    small = 100 * math.log(0.6 / 0.5)
    ranked = board(service.client())
    assert [(rank, user, pools) for rank, user, _, pools, _ in ranked] == [
        (1, best.id, 11),
        (2, same.id, 10),
        (3, less.id, 11),
        (4, twin.id, 11),
        (5, more.id, 11),
        (6, other.id, 10),
    ]
    for (_, _, score, scored, mean), wanted in zip(
        ranked, (3 * gain, 2 * gain, 3 * small, 3 * small, 0, 0), strict=True
    ):
        assert abs(score - wanted) < EXACT
        assert abs(mean - score / scored) < EXACT
    profile = expect(service.client().get(f"/users/{best.id}"), 200)
    assert abs(profile["forecast_score"] - 3 * gain) < EXACT
    assert (profile["forecasts"], profile["forecast_pools"]) == (11, 11)
    untold = expect(service.client().get(f"/users/{service.user().id}"), 200)
    assert (untold["forecasts"], untold["forecast_score"], untold["forecast_pools"]) == (0, None, 0)
    # Other weeks and months have boards of their own; the second page goes on after the first.
    assert board(service.client(), period="week", by="forecast") == []
    first = expect(service.client().get("/leaderboard", params={"by": "forecast", "limit": 3}), 200)
    rest = {"by": "forecast", "limit": 3, "cursor": first["next_cursor"]}
    assert board(service.client(), **rest) == ranked[3:]
    # Among those one follows, and oneself, hidden from others or not.
    own = "/users/me/forecast-board"
    expect(hidden.client.put(f"/users/{less.id}/follow"), 200)
    assert [row[:2] for row in board(hidden.client, own)] == [(1, hidden.id), (2, less.id)]
    assert [row[:2] for row in board(less.client, own)] == [(1, less.id)]
    refused(service.client().get(own), 401, "unauthorized")
    # A deleted account is gone from it.
    expect(best.client.post("/users/me/delete", json={"password": PASSWORD}), 200)
    left = [same.id, less.id, twin.id, more.id, other.id]
    wait_until(lambda: [row[1] for row in board(service.client())] == left)


@proves(NOTICES)
def test_people_are_notified_of_scores_and_asked_about_old_forecasts(start_service: Callable[..., Service]) -> None:
    service, people = forecast_site(start_service)
    informed, asked = people[:2]
    (open_pool,), (ending,) = day_pools(1, service, days=90), day_pools(1, service)
    expect(asked.client.put("/users/me/notification-settings", json={"forecast_old": {"app": True}}), 200)
    for person in people:
        said.said(person, ending["id"], [0.8])
        said.said(person, open_pool["id"], [0.4])
    pass_(service, 2 * DAY_MS, people)
    final(service, [ending])
    (note,) = of_type(informed, "forecast_scored")
    assert note["params"]["result"] == ending["markets"][0]["name"]
    assert abs(note["params"]["score"] - 100 * math.log(0.8 / 0.5)) < EXACT
    assert note["params"]["coverage"] == 1
    assert len(of_type(asked, "forecast_scored")) == 1
    pass_(service, 29 * DAY_MS, people)
    wait_until(lambda: of_type(asked, "forecast_old"))
    # Once a forecast, unless it is said again; no other pool, and no one who has not chosen it.
    said.said(asked, open_pool["id"], [0.4])
    pass_(service, 29 * DAY_MS, people)
    let_work(SCORES)
    assert len(of_type(asked, "forecast_old")) == 1
    pass_(service, DAY_MS, people)
    wait_until(lambda: len(of_type(asked, "forecast_old")) == 2)
    assert of_type(informed, "forecast_old") == []


def of_type(person: Person, kind: str) -> list[dict[str, Any]]:
    """Return a person's notifications of a kind."""
    notes = expect(person.client.get("/notifications", params={"limit": 100}), 200)["notifications"]
    return [note for note in notes if note["type"] == kind]


@proves(RECORD)
def test_records_compare_the_crowd_and_people_with_the_market(start_service: Callable[..., Service]) -> None:
    service, people = forecast_site(start_service)
    older = users.update().where(users.c.id.in_([person.id for person in people]))
    change = older.values(created_at_ms=users.c.created_at_ms - 2 * DAY_MS)
    service.server.run(service.app.db.write(lambda tx: tx.execute(change)))
    (one,), (few,) = day_pools(1, service), day_pools(1, service)
    said_of = (0.1, 0.6, 0.7, 0.75, 0.8, 0.9)
    for person, probability in zip(people, said_of, strict=True):
        said.said(person, one["id"], [probability])
    for person in people[:4]:
        said.said(person, few["id"], [0.9])
    crowd = said.crowd(service, one["id"])
    assert crowd is not None
    pass_(service, 36 * HOUR_MS, people)
    # Later than halfway: only a day before the end it stood.
    said.said(people[0], one["id"], [0.95])
    pass_(service, 12 * HOUR_MS, people)
    final(service, [one, few])
    found = expect(service.client().get("/record", params={"source": "crowd", "tag": "class"}), 200)
    assert (found["pools"], found["markets"]) == (1, 1)
    for name, wanted in (("brier", (1 - crowd[0]) ** 2), ("base_brier", 0.25), ("market_brier", 0.25)):
        assert abs(found[name] - wanted) < EXACT
    assert [(bin_["markets"], bin_["won"]) for bin_ in found["bins"] if bin_["markets"]] == [(1, 1)]
    market = expect(service.client().get("/record"), 200)
    assert (market["pools"], market["brier"], market["market_brier"]) == (0, None, None)
    for horizon, probability in (("mid", 0.1), ("1h", 0.95), ("1d", 0.1)):
        of_one = expect(service.client().get(f"/users/{people[0].id}/record", params={"horizon": horizon}), 200)
        assert of_one["pools"] == 1
        assert abs(of_one["brier"] - (1 - probability) ** 2) < EXACT
        assert of_one["market_brier"] == 0.25
    assert expect(service.client().get(f"/users/{people[0].id}/record", params={"horizon": "7d"}), 200)["brier"] is None
    expect(people[0].client.patch("/users/me", json={"profile_hidden": True}), 200)
    refused(service.client().get(f"/users/{people[0].id}/record"), 404, "user_not_found")
    assert expect(people[0].client.get(f"/users/{people[0].id}/record"), 200)["pools"] == 1
    # A deletion takes the person's record, and leaves the crowd's.
    expect(people[0].client.post("/users/me/delete", json={"password": PASSWORD}), 200)
    kept = sa.select(source_records.c.user_id)
    wait_until(lambda: people[0].id not in {row.user_id for row in said.kept(service, kept)})
    assert expect(service.client().get("/record", params={"source": "crowd"}), 200)["pools"] == 1
