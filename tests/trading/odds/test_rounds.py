"""Rounds ask each event's source on a schedule; whatever a source answers, only prices that make sense move a pool."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.market.events.odds_events import LEASE_MS, rounds_of
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.fetching import Fetcher, PublicTransport
from foreknow.platform.fetching.fetcher import ANSWER_BYTES_MAX
from foreknow.trading.odds import OddsRounds, open_sources
from foreknow.trading.odds.rounds import ROUNDS_ALERTED
from tests.support.books import audit_database
from tests.support.following import STALE_MS, STEP_KOPECKS, Follower, following
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.odds import (
    encoded,
    kalshi,
    kalshi_market,
    manifold_answers,
    manifold_binary,
    polymarket,
    polymarket_group,
    polymarket_market,
    polymarket_resolved,
)
from tests.support.proofs import proves
from tests.support.providers import Reply, provider
from tests.support.service import Service, expect, pool, refused
from tests.support.waiting import wait_until

GOOD = polymarket_group(Reds="0.6", Blues="0.4")
WIDE = polymarket_market("0.6", title="Reds", bid=0.5, ask=0.7)
#: Over every pause after failures.
PAUSE_MS = 301_000


def money(tx: ReadTx) -> Any:
    return tx.execute(sa.text("SELECT COUNT(*), MAX(id) FROM transfers")).one()


BAD: dict[str, Any] = {
    "an error": Reply(encoded(GOOD), 500),
    "no such event": Reply(b"", 404),
    "a redirect": Reply(b"", 302, {"Location": "/events/slug/other"}),
    "nothing": b"",
    "a page": b"<html>Just a moment...</html>",
    "half of it": encoded(GOOD)[:400],
    "less than announced": Reply(encoded(GOOD), announced=len(encoded(GOOD)) + 10),
    "too much": b" " * (ANSWER_BYTES_MAX + 1),
    "something compressed": Reply(gzip.compress(encoded(GOOD)), headers={"Content-Encoding": "gzip"}),
    "prices over 1": polymarket(polymarket_market(prices=["1.6", "-0.6"], title="Reds")),
    "another site's event": manifold_answers({"Reds": 0.6, "Blues": 0.4}),
}


@proves("lifecycle: Nothing follows what is older than `FOREKNOW_ODDS_STALE_S` (120),")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("what", BAD)
def test_an_answer_that_is_none_changes_nothing(follower: Follower, what: str) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    assert follower.round(event)
    prices, row, before = follower.prices(event), follower.row(event), follower.service.look(money)
    assert row is not None
    follower.answer(event, BAD[what])
    asked = len(follower.site.asked)
    assert not follower.round(event)
    assert len(follower.site.asked) == asked + 1, "asked once, and nothing else"
    after = follower.row(event)
    assert after is not None
    assert (after.checked_at_ms, after.round) == (row.checked_at_ms, row.round)
    assert (follower.prices(event), follower.service.look(money)) == (prices, before)
    follower.wait(STALE_MS)
    assert follower.status(event) == "stale"
    assert not follower.odds(event)["pools"][0]["follows"]
    follower.answer(event, GOOD)
    assert follower.round(event, after_ms=PAUSE_MS)
    assert follower.status(event) == "ok"


@ONCE
@pytest.mark.parametrize("reply", [Reply(encoded(GOOD), pause_s=60), Reply(encoded(GOOD), trickle_s=0.05)])
def test_an_answer_that_does_not_come_in_time_changes_nothing(follower: Follower, reply: Reply) -> None:
    event = follower.event(answer=reply, pools=[pool(["Reds", "Blues"])])
    fetcher = Fetcher(answer_s=0.1, transport=PublicTransport())
    sources = open_sources({"polymarket": follower.site.url})
    rounds = OddsRounds(follower.service.app.db, sources, follower.rounds._rules, fetcher=fetcher)
    assert not follower.round(event, rounds=rounds)
    assert follower.prices(event) == [0.5, 0.5]
    follower.service.server.run(rounds.stop())


@proves(
    "lifecycle: A pool follows if all its outcomes match and their prices",
    "lifecycle: Nothing follows",
    "lifecycle: a closed source, a spread over 0.1,",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (polymarket_group(Reds="0.6", Greens="0.4"), "unmatched"),
        (polymarket_group(Reds="0.6", Blues="0.2"), "absurd"),
        (
            polymarket(
                polymarket_market("0.6", title="Reds", bid=0.5, ask=0.7), polymarket_market("0.4", title="Blues")
            ),
            "absurd",
        ),
        (polymarket_group(Reds="0.6", Blues="0.4") | {"closed": True}, "closed"),
        (
            polymarket(polymarket_resolved(["1", "0"], title="Reds"), polymarket_resolved(["0", "1"], title="Blues")),
            "closed",
        ),
        (polymarket(), "unsupported"),
    ],
)
def test_what_cannot_be_followed_moves_nothing(follower: Follower, answer: Any, status: str) -> None:
    event = follower.event(answer=answer, pools=[pool(["Reds", "Blues"])])
    before = follower.service.look(money)
    assert follower.round(event)
    assert follower.status(event) == status
    assert not follower.odds(event)["pools"][0]["follows"]
    assert follower.prices(event) == [0.5, 0.5]
    assert follower.service.look(money) == before


@proves("lifecycle: from the last used until three rounds say so.")
@ONCE
def test_a_jump_is_followed_in_the_third_round_that_says_so(follower: Follower) -> None:
    event = follower.event({"Reds": "0.5", "Blues": "0.5"})
    assert follower.round(event)
    follower.answer(event, polymarket_group(Reds="0.8", Blues="0.2"))
    for _ in range(2):
        assert follower.round(event)
        assert (follower.status(event), follower.prices(event)) == ("absurd", [0.5, 0.5])
    assert follower.round(event)
    assert follower.status(event) == "ok"
    assert follower.prices(event) == pytest.approx([0.8, 0.2], abs=1e-9)


@ONCE
def test_an_event_with_closed_outcomes_is_followed(follower: Follower) -> None:
    out = polymarket_resolved(["0", "1"], title="Greens")
    left = [polymarket_market("0.6", title="Reds"), polymarket_market("0.4", title="Blues")]
    event = follower.event(answer=polymarket(out, *left), pools=[pool(["Reds", "Blues", "Greens"])])
    assert follower.round(event)
    assert follower.status(event) == "ok"
    assert follower.prices(event) == pytest.approx([0.6 / 1.001, 0.4 / 1.001, 0.001 / 1.001], abs=1e-9)


@proves(
    "lifecycle: pools: [{pool_id, follows, outcomes: [{outcome_index, name, external_name, price}], unmatched "
    "(theirs), spent_kopecks}]}`.",
)
def test_the_odds_show_which_outcomes_match(follower: Follower) -> None:
    described = pool(["Scarlets", "Blues"])
    described["metadata"]["odds"] = {"names": {"Scarlets": "REDS"}}
    event = follower.event(
        answer=polymarket_group(Reds="0.5", Blues="0.25", Greens="0.25"),
        pools=[described, pool(["Reds", "Blues", "greens"])],
    )
    before = follower.odds(event)
    assert (before["source"], before["status"], before["checked_at"]) == ("polymarket", "stale", None)
    assert [one["follows"] for one in before["pools"]] == [False, False]
    assert follower.round(event)
    odds = follower.odds(event)
    assert odds["status"] == "absurd", "the prices of the first pool's outcomes sum to 0.75"
    assert odds["checked_at"] is not None
    first, second = odds["pools"]
    assert first == {
        "pool_id": event["pools"][0]["id"],
        "follows": False,
        "outcomes": [
            {"outcome_index": 0, "name": "Scarlets", "external_name": "Reds", "price": 0.5},
            {"outcome_index": 1, "name": "Blues", "external_name": "Blues", "price": 0.25},
        ],
        "unmatched": ["Greens"],
        "spent_kopecks": 0,
    }
    assert second["follows"]
    assert [one["price"] for one in second["outcomes"]] == [0.5, 0.25, 0.25]
    assert second["unmatched"] == []


@ONCE
def test_each_source_has_rounds_of_its_own(follower: Follower) -> None:
    kalshi_event = kalshi(kalshi_market("Reds", "0.59", "0.61"), kalshi_market("Blues", "0.39", "0.41"))
    for source, url, path, answer, names in (
        ("manifold", "https://manifold.markets/someone/wet-day", "/v0/slug/wet-day", manifold_binary(0.6), ["Wet"]),
        (
            "kalshi",
            "https://kalshi.com/markets/kxwin/winner/kxwin-26",
            "/events/KXWIN-26?with_nested_markets=true",
            kalshi_event,
            ["Reds", "Blues"],
        ),
    ):
        follower.site.replies[path] = Reply(encoded(answer))
        event = follower.service.event(external_event_url=url, pools=[pool(names)])
        follower.wait(31_000)
        assert follower.service.server.run(follower.rounds._runners[source].run_due(only=[event["id"]])) == [True]
        assert follower.odds(event)["source"] == source
        assert follower.prices(event)[0] == pytest.approx(0.6, abs=1e-9)


@ONCE
@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("", "off"),
        ("https://example.org/derby", "unsupported"),
        ("https://polymarket.com.evil.org/event/a", "unsupported"),
        ("https://polymarket.com/event/..", "unsupported"),
        ("https://polymarket.com/event/%2e%2e", "unsupported"),
    ],
)
def test_an_address_that_is_no_page_of_a_source_is_never_asked(follower: Follower, url: str, status: str) -> None:
    event = follower.service.event(external_event_url=url)
    assert follower.row(event) is None
    odds = follower.odds(event)
    assert (odds["source"], odds["status"], odds["checked_at"]) == (None, status, None)


@proves("lifecycle: GET /events/{id}/odds (its creator, admin):")
def test_only_the_creator_and_admins_see_the_odds(follower: Follower) -> None:
    creator, other = follower.service.user(creator=True), follower.service.user(creator=True)
    event = follower.event({"Reds": "0.5", "Blues": "0.5"}, creator=creator)
    hidden = follower.event({"Reds": "0.5", "Blues": "0.5"}, creator=creator, publish=False)
    expect(creator.client.get(f"/events/{event['id']}/odds"), 200)
    expect(creator.client.get(f"/events/{hidden['id']}/odds"), 200)
    refused(other.client.get(f"/events/{event['id']}/odds"), 403, "forbidden")
    refused(other.client.get(f"/events/{hidden['id']}/odds"), 404, "event_not_found")
    refused(follower.service.client().get(f"/events/{event['id']}/odds"), 401, "unauthorized")
    refused(creator.client.get("/events/0/odds"), 400, "invalid_event_id")
    refused(creator.client.get("/events/999999999/odds"), 404, "event_not_found")


@proves("lifecycle: A round every `FOREKNOW_ODDS_EVERY_S` (30).")
def test_rounds_come_at_their_interval_and_not_before(follower: Follower) -> None:
    event = follower.event({"Reds": "0.5", "Blues": "0.5"})
    assert follower.round(event)
    asked = len(follower.site.asked)
    assert not follower.round(event, after_ms=25_000)
    assert len(follower.site.asked) == asked
    assert follower.round(event, after_ms=6_000)
    assert len(follower.site.asked) == asked + 1


def test_an_event_that_has_ended_has_no_rounds(follower: Follower) -> None:
    event = follower.event({"Reds": "0.5", "Blues": "0.5"})
    assert follower.round(event)
    expect(follower.service.admin.post(f"/events/{event['id']}/cancel"), 200)
    asked = len(follower.site.asked)
    assert follower.round(event)
    assert len(follower.site.asked) == asked
    assert follower.status(event) == "off"
    assert not follower.round(event)


def test_a_round_whose_process_died_is_due_again(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.wait(31_000)
    app = follower.service.app
    jobs = rounds_of("polymarket")
    claimed = follower.service.server.run(
        app.db.write(lambda tx: jobs.claim(tx, now_ms=now_ms(tx), limit=1, only=[event["id"]]))
    )
    assert len(claimed) == 1
    assert not follower.round(event, after_ms=1_000)
    assert follower.round(event, after_ms=LEASE_MS)
    assert follower.prices(event) == pytest.approx([0.6, 0.4], abs=1e-9)


def test_a_person_is_needed_where_names_do_not_match(follower: Follower) -> None:
    event = follower.event(answer=polymarket_group(Cats="0.6", Dogs="0.4"), pools=[pool(["Reds", "Blues"])])
    assert follower.round(event)
    assert follower.attention(event) == ["unmatched"]
    assert follower.round(event)
    assert follower.attention(event) == ["unmatched"]
    follower.answer(event, GOOD)
    assert follower.round(event)
    assert follower.attention(event) == []


@ONCE
def test_a_person_is_needed_where_a_source_fails_for_long(follower: Follower) -> None:
    event = follower.event(answer=Reply(b"", 404), pools=[pool(["Reds", "Blues"])])
    for _ in range(ROUNDS_ALERTED - 1):
        assert not follower.round(event, after_ms=PAUSE_MS)
    assert follower.attention(event) == []
    assert not follower.round(event, after_ms=PAUSE_MS)
    assert follower.attention(event) == ["stale"]
    follower.answer(event, GOOD)
    assert follower.round(event, after_ms=PAUSE_MS)
    assert follower.attention(event) == []


@ONCE
def test_a_person_is_needed_where_prices_make_no_sense_for_long(follower: Follower) -> None:
    event = follower.event(answer=polymarket_group(Reds="0.6", Blues="0.1"), pools=[pool(["Reds", "Blues"])])
    for _ in range(ROUNDS_ALERTED - 1):
        assert follower.round(event)
    assert follower.attention(event) == []
    assert follower.round(event)
    assert follower.attention(event) == ["absurd"]
    expect(follower.service.admin.post(f"/events/{event['id']}/cancel"), 200)
    assert follower.round(event)
    assert follower.attention(event) == [], "nothing can be done any more"


@ONCE
def test_names_of_a_source_are_shown_within_bounds(follower: Follower) -> None:
    many = {f"{'a' * 300}{number}": 0.001 for number in range(500)}
    event = follower.event(
        answer=polymarket(*(polymarket_market(str(price), title=name) for name, price in many.items())),
        pools=[pool(["Reds", "Blues"])],
    )
    assert follower.round(event)
    unmatched = follower.odds(event)["pools"][0]["unmatched"]
    assert len(unmatched) == 100
    assert {len(name) for name in unmatched} == {200}


@proves("lifecycle: unset: nothing is asked.")
@ONCE
def test_without_sources_nothing_is_asked(database_url: str) -> None:
    with following(database_url, odds_sources={}) as follower:
        event = follower.event({"Reds": "0.6", "Blues": "0.4"})
        follower.wait(31_000)
        assert follower.rounds._runners == {}
        assert follower.status(event) == "off"
        assert follower.site.asked == []


def test_the_workers_run_rounds_by_themselves(database_url: str) -> None:
    with provider() as site:
        site.replies["/events/slug/a"] = Reply(encoded(GOOD))
        service = Service(database_url, odds_sources={"polymarket": site.url}, odds_every_s=1)
        try:
            event = service.event(external_event_url="https://polymarket.com/event/a", pools=[pool(["Reds", "Blues"])])
            odds = f"/events/{event['id']}/odds"
            wait_until(lambda: expect(service.admin.get(odds), 200)["status"] == "ok")
            site.replies["/events/slug/a"] = Reply(encoded(polymarket_group(Reds="0.7", Blues="0.3")))
            shown = f"/pools/{event['pools'][0]['id']}"
            wait_until(
                lambda: abs(expect(service.client().get(shown), 200)["markets"][0]["yes_probability"] - 0.7) < 1e-9
            )
        finally:
            service.stop()


def test_one_of_two_servers_asks(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.bet(event)
    others = [follower.with_rules() for _ in range(4)]
    follower.wait(31_000)
    asked = len(follower.site.asked)

    async def together() -> list[list[bool]]:
        runners = [rounds._runners["polymarket"] for rounds in others]
        return list(await asyncio.gather(*(runner.run_due(only=[event["id"]]) for runner in runners)))

    done = follower.service.server.run(together())
    assert sorted(done) == [[], [], [], [True]]
    assert len(follower.site.asked) == asked + 1
    assert follower.sum("SELECT COUNT(*) FROM trades WHERE event_id = :id", id=event["id"]) == 2


def test_a_process_that_dies_after_it_moved_prices_leaves_right_books(follower: Follower) -> None:
    class Dying(OddsRounds):
        def _note(self, *_: Any, **__: Any) -> bool:
            raise SystemError("killed")

    event = follower.event({"Reds": "0.8", "Blues": "0.2"})
    follower.bet(event)
    rounds = Dying(follower.service.app.db, follower.rounds._sources, follower.rounds._rules)
    with pytest.raises(SystemError):
        follower.round(event, rounds=rounds)
    spent = follower.spent(event)
    assert 0 < spent <= STEP_KOPECKS
    row = follower.row(event)
    assert row is not None
    assert row.checked_at_ms is None
    assert follower.round(event, after_ms=LEASE_MS)
    assert spent < follower.spent(event) <= 2 * STEP_KOPECKS
    audit_database(follower.service.database_url)
