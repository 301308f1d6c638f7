"""The track record: what counts, recomputed from public answers alone, and nothing where nothing counts."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, iso
from tests.site.record import recompute
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

RECORD = (
    "site: GET /record `?tag=&horizon=mid|1h|1d|7d|30d` (mid) (None): of pools finally resolved with one winner and at "
    "least 5 traders (not the house), each market: its YES halfway from publication to the end of trading "
    "(`finish_at` or an earlier decision), or so long before that end (younger pools left out): `{pools, markets, "
    "brier (mean (p − w)²), base_brier (of first prices), bins: [10 of {from, to, markets, mean_probability, won}]}`, "
    "null over nothing, bins [0, 0.1) … [0.9, 1]."
)
BEFORE_MS = {"1h": HOUR_MS, "1d": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS}
EXACT = 1e-12


def record(service: Service, **params: str) -> dict[str, Any]:
    found: dict[str, Any] = expect(service.client().get("/record", params=params), 200)
    return found


def sign_in(service: Service, people: Sequence[Person]) -> None:
    """Sign people in again, whose tokens have ended."""
    service.sign_out_shared()
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Term:
    """A market of the record, as its public chart has it."""

    probability: float
    first: float
    won: bool


def terms(service: Service, event: dict[str, Any], horizon: str) -> list[Term]:
    """Return what a resolved event adds to the record, from its public page and charts."""
    client = service.client()
    page = expect(client.get(f"/events/{event['id']}/page"), 200)
    begin_ms = ms(page["published_at"])
    found: list[Term] = []
    for shown, details in zip(page["event"]["pools"], page["pools"], strict=True):
        if shown["won_side"] in {None, -1} or details["traders"] < 5:
            continue
        end_ms = min(ms(one) for one in (shown["finish_at"], shown["resolution"]["decided_at"]) if one)
        at_ms = (begin_ms + end_ms) // 2 if horizon == "mid" else end_ms - BEFORE_MS[horizon]
        if at_ms < begin_ms:
            continue
        for index, market in enumerate(shown["markets"]):
            chart = expect(client.get(f"/markets/{market['id']}/chart"), 200)
            past = [one["probability"] for one in chart if ms(one["timestamp"]) <= at_ms]
            found.append(Term(past[-1], chart[0]["probability"], shown["won_side"] == index))
    return found


def check(shown: dict[str, Any], found: list[Term]) -> None:
    """Compare the record with scores that are computed here."""
    assert shown["markets"] == len(found)
    brier = math.fsum((one.probability - one.won) ** 2 for one in found) / len(found)
    base = math.fsum((one.first - one.won) ** 2 for one in found) / len(found)
    assert abs(shown["brier"] - brier) < EXACT
    assert abs(shown["base_brier"] - base) < EXACT
    assert [(one["from"], one["to"]) for one in shown["bins"]] == [(n / 10, (n + 1) / 10) for n in range(10)]
    for number, one in enumerate(shown["bins"]):
        last = number == 9
        own = [t for t in found if one["from"] <= t.probability and (last or t.probability < one["to"])]
        assert (one["markets"], one["won"]) == (len(own), sum(t.won for t in own))
        if own:
            assert abs(one["mean_probability"] - math.fsum(t.probability for t in own) / len(own)) < EXACT
        else:
            assert one["mean_probability"] is None


@proves("site: null over nothing, bins [0, 0.1) … [0.9, 1].")
def test_there_is_no_score_over_nothing(fresh_service: Service) -> None:
    shown = record(fresh_service)
    assert (shown["pools"], shown["markets"], shown["brier"], shown["base_brier"]) == (0, 0, None, None)
    assert [(one["markets"], one["mean_probability"], one["won"]) for one in shown["bins"]] == [(0, None, 0)] * 10
    assert record(fresh_service, tag="x" * 1_000) == record(fresh_service, tag="") == shown
    refused(fresh_service.client().get("/record", params={"horizon": "2d"}), 400, "bad_request")


@proves(RECORD)
def test_scores_are_those_that_a_stranger_computes_from_public_answers(fresh_service: Service) -> None:
    service, chance = fresh_service, random.Random(7)
    people = [service.user(balance_kopecks=10_000_000) for _ in range(6)]
    finish_at = iso(service.clock() + 9 * DAY_MS)
    made = [
        service.event(pools=[pool(probabilities=[0.3], finish_at=finish_at)], tags=["curling"]),
        service.event(pools=[pool(), pool(["Reds", "Blues", "Draw"], probabilities=[0.5, 0.3, 0.2])], tags=["bandy"]),
        service.event(pools=[pool()], tags=["curling", "bandy"]),
    ]
    lonely = service.event(tags=["curling"])
    for _ in range(9):
        service.clock.advance(DAY_MS - HOUR_MS)
        sign_in(service, people)
        for event in made:
            for person in people:
                one = chance.choice(event["pools"])
                order = {
                    "market_id": chance.choice(one["markets"])["id"],
                    "token_type": chance.choice(["YES", "NO"]),
                    "amount_kopecks": chance.randint(1_000, 30_000),
                }
                expect(person.client.post("/market/bets", json=order), 201)
        market = lonely["pools"][0]["markets"][0]["id"]
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
        for person in people[:4]:
            expect(person.client.post("/market/bets", json=order), 201)
    service.clock.advance(30 * MINUTE_MS)
    service.sign_out_shared()
    for event in [*made, lonely]:
        for number, one in enumerate(event["pools"]):
            winner = {"won_side": number + 1}
            expect(service.creator.client.post(f"/pools/{one['id']}/resolve", json=winner), 200)
    wait_until(lambda: record(service)["pools"] == 4)
    for horizon in ("mid", *BEFORE_MS):
        of_tags = {
            "": made,
            "curling": [made[0], made[2]],
            "bandy": made[1:],
        }
        for tag, events in of_tags.items():
            shown = record(service, horizon=horizon, **({"tag": tag} if tag else {}))
            found = [term for event in events for term in terms(service, event, horizon)]
            if horizon == "30d":
                assert (shown["pools"], found) == (0, [])
            else:
                check(shown, found)
    # By what a stranger runs, from trades instead of charts.
    of_horizons = recompute.differences(service.url)
    assert [of_horizons[horizon][0] > 0 for horizon in recompute.HORIZONS] == [True, True, True, True, False]
    assert max(difference for _, difference in of_horizons.values()) < EXACT
    # A second process, and the next start, count nothing twice.
    before = record(service)
    service.restart()
    service.server.run(service.app.services.record.follow())
    assert record(service) == before


def test_a_correction_does_not_move_the_end_of_trading(fresh_service: Service) -> None:
    service, tag = fresh_service, "corrected"
    made = pool()
    made["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 120}
    event = service.event(pools=[made], tags=[tag])
    people = [service.user(balance_kopecks=100_000) for _ in range(5)]
    market_id = event["pools"][0]["markets"][0]["id"]
    probabilities = [0.5]
    for person in people:
        service.clock.advance(10 * MINUTE_MS)
        sign_in(service, [person])
        order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 10_000}
        expect(person.client.post("/market/bets", json=order), 201)
        probabilities.append(expect(service.client().get(f"/markets/{market_id}"), 200)["yes_probability"])
    service.clock.advance(35 * MINUTE_MS)
    service.sign_out_shared()
    path = f"/pools/{event['pools'][0]['id']}/resolve"
    expect(service.creator.client.post(path, json={"won_side": 1}), 200)
    service.clock.advance(60 * MINUTE_MS)
    service.sign_out_shared()
    expect(service.admin.post(path, json={"won_side": 0}), 200)
    service.clock.advance(120 * MINUTE_MS)
    wait_until(lambda: record(service, tag=tag)["pools"])
    # Halfway from 0 to 85 minutes is before the fifth trade; halfway to the correction, 145 minutes, is after it.
    assert abs(record(service, tag=tag)["brier"] - (1 - probabilities[4]) ** 2) < EXACT


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("result", [{"void": True}, {"payouts": [0.5, 0.5]}])
def test_pools_without_a_winner_do_not_count(service: Service, result: dict[str, Any]) -> None:
    people = [service.user(balance_kopecks=10_000) for _ in range(5)]
    tag = f"no winner {len(result)} {next(iter(result))}"
    events = [service.event(tags=[tag]) for _ in range(2)]
    for event in events:
        order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}
        for person in people:
            expect(person.client.post("/market/bets", json=order), 201)
    for event, body in zip(events, (result, {"won_side": 0}), strict=True):
        expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=body), 200)
    wait_until(lambda: record(service, tag=tag)["pools"])
    assert record(service, tag=tag)["pools"] == 1
