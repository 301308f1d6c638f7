"""An unexpected failure: what the client gets, and what the log. Interface, section 4, "500 internal_error"."""

from __future__ import annotations

import json

import httpx

from foreknow.kernel.logging import LINES_OF_A_KIND_MAX
from tests.service.logs.conftest import Caught
from tests.support.kinds import ON_SQLITE
from tests.support.proofs import proves
from tests.support.service import Service, Shot, expect, refused

pytestmark = ON_SQLITE

TABLES = ("pools", "comments", "assets", "currency_rates", "chat_messages", "notifications")


@proves(
    "interface: 500 internal_error for unexpected failures.",
    "interface: Errors: 400 invalid_pool_id, 404 pool_not_found, 500 internal_error.",
    "interface: Errors: 400 invalid_market_id, 404 market_not_found, 500 internal_error.",
    "interface: Errors: 400 invalid_ids (ids missing or a non-integer value), 500 internal_error.",
    "interface: Errors: 404 not_found (parent missing), 500 internal_error.",
    "interface: Errors: 404 not_found (unknown symbol), 500 internal_error.",
    "interface: Errors: 400 bad_request (missing or empty message field), 404 not_found (no active chat session), 500 "
    "internal_error.",
    "interface: - Errors: 404 not_found (no active chat session), 500 internal_error.",
    "interface: Errors: 400 bad_request (from or to missing), 404 not_found (unsupported pair), 500 internal_error.",
    "interface: Errors: 401 unauthorized, 500 internal_error.",
    "decisions: 500, 503 with `Retry-After`",
    "decisions: `internal_error`",
)
def test_an_unexpected_failure_is_500_and_tells_nothing_of_what_is_inside(
    fresh_service: Service, caught: Caught
) -> None:
    """The tables lose their names while the service runs: a failure that no code foresees."""
    service = fresh_service
    event = service.event()
    first = event["pools"][0]
    market = first["markets"][0]["id"]
    said = {"event_id": event["id"], "content": "First!"}
    comment = expect(service.creator.client.post("/comments", json=said), 201)["id"]
    person = service.user().client
    expect(person.post("/chat/session"), 201)
    with service.without(*TABLES):
        answers: list[httpx.Response] = [
            *(service.client().get(f"/pools/{path}") for path in (f"batch?ids={first['id']}", f"{first['id']}/charts")),
            service.client().get(f"/markets/{market}/chart"),
            service.client().get(f"/market/orderbook/{market}"),
            service.client().get(f"/comments/{comment}/replies"),
            service.client().get("/assets/btc/price"),
            service.client().get("/currency/rate?from=usd&to=rub"),
            person.post("/chat/message", json={"text": "Hello?"}),
            person.post("/chat/session/call-operator"),
            person.get("/notifications/unread/count"),
        ]

    bodies = [refused(answer, 500, "internal_error") for answer in answers]
    assert all(body.keys() == {"error", "message"} for body in bodies)
    assert len({body["message"] for body in bodies}) == 1
    assert caught.text.count('"request failed"') == len(bodies)
    expect(person.get("/notifications/unread/count"), 200)


def test_a_client_that_makes_it_fail_often_makes_it_write_a_bounded_number_of_lines_a_second(
    fresh_service: Service, caught: Caught
) -> None:
    caught.configure(level="info")
    with fresh_service.without("assets"):
        shots: list[Shot] = [("GET", "/assets/btc/price", {})] * (5 * LINES_OF_A_KIND_MAX)
        for answer in fresh_service.together(shots):
            refused(answer, 500, "internal_error")

    # The seconds in which the handler counts begin at other moments than those of the day.
    seconds = {json.loads(line)["at"][:19] for line in caught.text.splitlines()}
    assert caught.text.count('"request failed"') <= LINES_OF_A_KIND_MAX * (len(seconds) + 1)
