"""Changes that another process makes, and a reconnect to another process."""

from __future__ import annotations

from collections.abc import Callable

from tests.site.live.watching import bet, market_of, viewing
from tests.support.service import Service, expect

Start = Callable[..., Service]


def test_what_another_process_changes_is_shown(start_service: Start) -> None:
    here, there = start_service(), start_service()
    event, ada = there.event(), there.user(balance_kopecks=100_000)
    pool_id = event["pools"][0]["id"]
    with viewing(here) as viewer:
        (now,) = viewer.watch(event["id"])
        made = bet(ada, market_of(event), 1_000)
        assert viewer.prices()["probabilities"] == [made["probability_after"]]
        expect(there.creator.client.post(f"/pools/{pool_id}/pause"), 200)
        assert viewer.state()["pools"][0]["paused"]
        expect(ada.client.post("/comments", json={"event_id": event["id"], "content": "Why?"}), 201)
        assert viewer.state()["comments"] == 1
        assert [one["trade"]["id"] for one in viewer.heard if one["type"] == "trade"] == [made["id"]]
        expect(there.creator.client.post(f"/pools/{pool_id}/resume"), 200)
        last = viewer.state()
    with viewing(there) as viewer:
        assert viewer.watch(event["id"]) == [last]
    assert last["event_id"] == now["event_id"]


def test_who_connects_to_a_restarted_process_watches_again(start_service: Start) -> None:
    service = start_service()
    event, ada = service.event(), service.user(balance_kopecks=100_000)
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        made = bet(ada, market_of(event), 1_000)
        shown = viewer.prices()
    service.restart()
    with viewing(service) as viewer:
        (now,) = viewer.watch(event["id"])
        assert now["pools"] == [shown]
        assert shown["probabilities"] == [made["probability_after"]]


def test_live_updates_go_on_after_the_database_was_away(start_service: Start) -> None:
    service = start_service()
    event, ada = service.event(), service.user(balance_kopecks=100_000)
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        with service.without("event_comments"):
            made = bet(ada, market_of(event), 1_000)
            viewer.ask(event["id"])
        (now,) = viewer.now()
        assert now["pools"][0]["probabilities"] == [made["probability_after"]]
