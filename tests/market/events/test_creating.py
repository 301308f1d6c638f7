"""POST /events/create-full over HTTP, and the visibility of new events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

FULL = {
    "name": "Cup final",
    "name_ru": "Финал кубка",
    "tags": ["football", "cup"],
    "versus_names": ["Reds", "Blues"],
    "versus_images": ["https://example.org/reds.png", ""],
    "has_draw": True,
    "image_url": "https://example.org/cover.png",
    "external_event_url": "https://example.org/event",
    "main_pool_index": 1,
    "loop_interval_minutes": 60,
    "pools": [
        {
            "name": "Who wins?",
            "name_ru": "Кто победит?",
            "margin": 0.02,
            "live_at": "2031-01-01T15:00:00+03:00",
            "finish_at": "2031-01-01T14:00:00.5Z",
            "rules": "After extra time.",
            "metadata": {
                "market_names": ["Reds", "Draw", "Blues"],
                "market_probabilities": [0.5, 0.2, 0.3],
                "lmsr_b_kopecks": 250_000,
                "colours": {"reds": "#f00", "goals": [1, 2.5, None]},
            },
        },
        {"name": "Penalties?"},
    ],
}


@proves(
    "interface: 201: Event object with pools and markets (section 2).",
    "decisions: Created pools answer with `margin` as sent.",
)
def test_a_created_event_shows_all_that_was_sent(service: Service) -> None:
    event = expect(service.creator.client.post("/events/create-full", json=FULL), 201)
    winner, penalties = event["pools"]
    assert {name: value for name, value in event.items() if name not in {"id", "created_at", "pools"}} == {
        "name": "Cup final",
        "name_ru": "Финал кубка",
        "tags": ["football", "cup"],
        "image_url": "https://example.org/cover.png",
        "status": "new",
        "is_active": False,
        "versus_names": ["Reds", "Blues"],
        "versus_images": ["https://example.org/reds.png", ""],
        "has_draw": True,
        "main_pool_index": 1,
        "loop_interval_minutes": 60,
        "external_event_url": "https://example.org/event",
        "series": None,
    }
    assert event["created_at"].endswith("Z")
    assert {name: value for name, value in winner.items() if name not in {"id", "markets", "resolution"}} == {
        "name": "Who wins?",
        "name_ru": "Кто победит?",
        "rules": "After extra time.",
        "won_side": None,
        "margin": 0.02,
        "live_at": "2031-01-01T12:00:00.000Z",
        "finish_at": "2031-01-01T14:00:00.500Z",
        "metadata": FULL["pools"][0]["metadata"],  # type: ignore[index] # a literal of this file
        "liquidity": [],
        "shape": None,
        "other": None,
        "splits": [],
        "clarifications": 0,
    }
    known = {name: value for name, value in winner["resolution"].items() if value is not None}
    reasons = dict.fromkeys(("note", "note_ru", "source_url"), "")
    assert known == {"kind": "manual", "state": "open", "dispute_minutes": 0, "objections": 0, "history": [], **reasons}
    for index, (market, name, probability) in enumerate(
        zip(winner["markets"], ["Reds", "Draw", "Blues"], [0.5, 0.2, 0.3], strict=True)
    ):
        assert market["yes_probability"] == pytest.approx(probability, abs=1e-9)
        assert {key: value for key, value in market.items() if key not in {"id", "yes_probability"}} == {
            "pool_id": winner["id"],
            "name": name,
            "name_ru": "",
            "market_type": "lmsr",
            "volume": 0,
            "b": 250_000,
            "q_yes": 0,
            "q_no": 0,
            "paused": False,
            "resolved": False,
            "outcome_index": index,
        }
    (market,) = penalties["markets"]
    assert (market["name"], market["yes_probability"], market["b"]) == ("Penalties?", 0.5, 100_000)
    assert (penalties["rules"], penalties["name_ru"], penalties["margin"], penalties["metadata"]) == ("", "", 0, {})
    assert (penalties["live_at"], penalties["finish_at"]) == (None, None)
    assert expect(service.creator.client.get(f"/events/{event['id']}"), 200) == event


@ONCE
def test_who_is_no_creator_is_refused_with_the_error_alone(service: Service) -> None:
    for client in (service.user().client, service.admin):
        answer = client.post("/events/create-full", json=FULL)
        assert expect(answer, 403) == {"error": "forbidden"}
    refused(service.client().post("/events/create-full", json=FULL), 401, "unauthorized")


@ONCE
@pytest.mark.parametrize(
    ("body", "field", "what"),
    [
        ({"name": "x", "pools": [{"margin": 0.6}]}, "pools[0].margin", "must be between 0 and 0.5"),
        ({"name": "x", "pools": [{"metadata": {"market_names": [1]}}]}, "pools[0].metadata.market_names[0]", None),
        ({"name": "x", "pools": [{"prize": 1}]}, "pools[0].prize", "is no field of this body"),
        ({"name": "x", "pools": [{"margin": "0.1"}]}, "pools[0].margin", None),
        ({"name": "x"}, "pools", "is required"),
        ([], "body", None),
    ],
)
def test_a_wrong_field_is_named(service: Service, body: dict[str, Any], field: str, what: str | None) -> None:
    answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
    (named,) = answer["details"]["fields"]
    assert named == field
    assert what is None or answer["details"]["fields"][field] == what


def test_a_new_event_is_its_creators_and_the_admins_own(service: Service) -> None:
    event = service.event(publish=False)
    (made,) = event["pools"]
    market_id = made["markets"][0]["id"]
    paths = {
        f"/events/{event['id']}": "event_not_found",
        f"/pools/{made['id']}": "pool_not_found",
        f"/markets/{market_id}": "market_not_found",
    }
    stranger = service.user(creator=True).client
    for path, code in paths.items():
        for client in (service.creator.client, service.admin):
            expect(client.get(path), 200)
        for client in (stranger, service.client()):
            refused(client.get(path), 404, code)
    # Endpoints of level None ignore credentials: the creator does not see it there either.
    owner = service.creator.client
    assert expect(owner.get("/pools/batch", params={"ids": made["id"]}), 200) == []
    refused(owner.get(f"/market/orderbook/{market_id}"), 404, "market_not_found")
    for path, code in (
        (f"/events/{event['id']}/publish", "event_not_found"),
        (f"/events/{event['id']}/cancel", "event_not_found"),
        (f"/pools/{made['id']}/pause", "pool_not_found"),
        (f"/pools/{made['id']}/resume", "pool_not_found"),
    ):
        refused(stranger.post(path), 404, code)
        refused(service.client().post(path), 401, "unauthorized")
    refused(stranger.post(f"/pools/{made['id']}/resolve", json={"void": True}), 404, "pool_not_found")


def test_a_large_event_is_created_and_read(service: Service) -> None:
    names = [f"Outcome {index}" for index in range(100)]
    event = service.event(pools=[pool(names), *({} for _ in range(99))])
    first = event["pools"][0]
    assert [market["name"] for market in first["markets"]] == names
    assert sum(market["yes_probability"] for market in first["markets"]) == pytest.approx(1, abs=1e-12)
    assert len(event["pools"]) == 100
