"""While as many orders wait as may, further ones are turned away unread; everything else is served as ever."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator

import pytest

from foreknow.service.serving.http_protocol import HttpProtocol
from foreknow.trading.desk.queue_bound import WAITING_MAX
from tests.support.proofs import proves
from tests.support.raw_connection import RawConnection
from tests.support.service import Person, Service, expect

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

BOUND = "decisions: more orders wait than are decided in a quarter of a second (256 at least, 10,000 at most)."
BETS = "POST /api/v1/market/bets"
PAGE = "https://bots.example"


@pytest.fixture
def service(start_service: Callable[..., Service]) -> Service:
    return start_service(cors_origins=PAGE)


@contextlib.contextmanager
def full(service: Service) -> Iterator[None]:
    """Let no further order wait."""
    bound = service.app.services.desk._queue._bound
    bound.waiting_max = 0
    try:
        yield
    finally:
        bound.waiting_max = WAITING_MAX


@pytest.fixture
def ann(service: Service) -> Person:
    return service.user(balance_kopecks=10_000)


@pytest.fixture
def body(service: Service) -> bytes:
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    return json.dumps({"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000}).encode()


def order(wire: RawConnection, person: Person, body: bytes, *lines: str, request: str = BETS) -> bytes:
    token = f"Authorization: {person.client.headers['Authorization']}"
    length = f"Content-Length: {len(body)}"
    return wire.head(request, token, "Content-Type: application/json", length, "Idempotency-Key: one", *lines) + body


def turned_away(service: Service, route: str = "/market/bets") -> int:
    metrics = service.app.ingress.request_log.routes.get(("POST", route))
    return 0 if metrics is None else metrics.statuses.get(503, 0)


@proves(BOUND)
def test_an_order_is_turned_away_as_the_desk_would_and_made_once_when_it_is_sent_again(
    service: Service, ann: Person, body: bytes
) -> None:
    with RawConnection(service) as wire, full(service):
        wire.send(order(wire, ann, body))
        answer, unread = wire.answer()
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        # One that is read is refused by the desk.
        wire.send(order(wire, ann, body[:10]))
        wire.send(order(wire, ann, body).partition(b"\r\n\r\n")[2][10:])
        with RawConnection(service) as other:
            other.send(order(other, ann, body, "Connection: close"))
            refused, read = other.answer()
            assert (refused.status, read) == (503, unread)
            assert refused.headers["content-type"] == answer.headers["content-type"]
        assert turned_away(service) >= 1
        expect(ann.client.get("/market/positions"), 200)
    with RawConnection(service) as wire:
        for _ in range(2):
            wire.send(order(wire, ann, body))
            assert wire.answer()[0].status == 201
    assert expect(ann.client.get("/users/me"), 200)["balance_kopecks"] == 9_000


@pytest.mark.parametrize("path", ["market/positions/sell", "market/orders", "market/baskets"])
def test_every_kind_of_order_is_turned_away(service: Service, ann: Person, path: str) -> None:
    before = turned_away(service, f"/{path}")
    with RawConnection(service) as wire, full(service):
        for count in (1, 2):
            wire.send(order(wire, ann, b"{", request=f"POST /api/v1/{path}"))
            answer, said = wire.answer()
            assert (answer.status, said["error"]) == (503, "unavailable")
            assert turned_away(service, f"/{path}") == before + count


def test_a_partner_reads_its_own_codes(service: Service, ann: Person) -> None:
    with RawConnection(service) as wire, full(service):
        wire.send(order(wire, ann, b"{}", request="POST /api/v1/partner/bets"))
        assert wire.answer()[1]["error"] == "UNAVAILABLE"


def test_a_page_of_another_site_may_read_it(service: Service, ann: Person, body: bytes) -> None:
    with RawConnection(service) as wire, full(service):
        for origin, allowed in ((PAGE, PAGE), ("https://evil.example", None)):
            wire.send(order(wire, ann, body, f"Origin: {origin}"))
            answer, _ = wire.answer()
            assert (answer.status, answer.headers["access-control-allow-origin"]) == (503, allowed)


def test_what_is_no_whole_order_is_read_as_ever(service: Service, ann: Person, body: bytes) -> None:
    door = service.app.order_door
    assert door is not None
    with RawConnection(service) as wire:
        sent = order(wire, ann, body)
    changed = [
        sent.replace(b"POST", b"PUT"),
        sent.replace(b"/bets", b"/bets/"),
        sent.replace(b"HTTP/1.1", b"HTTP/1.0"),
        sent.replace(b"Content-Type:", b"Expect: 100-continue\r\nContent-Type:"),
        sent.replace(b"Content-Type:", b"Connection: keep-alive, close\r\nContent-Type:"),
        sent[:-1],
        sent + b"GET",
        sent.replace(b"Content-Length:", b"X-Length:"),
        sent.replace(b"Content-Length: ", b"Content-Length: 9999999"),
        sent.replace(b"Content-Length: ", b"Content-Length: 1\r\nContent-Length: "),
    ]

    async def look() -> list[bytes | None]:
        return [door.turn_away(one, b"") for one in (sent, *changed)]

    whole, *others = service.server.run(look())
    assert whole is not None
    assert others == [None] * len(changed)


def test_the_door_stays_open_while_one_caller_holds_over_half(service: Service, ann: Person, body: bytes) -> None:
    desk = service.app.services.desk
    with full(service):
        assert desk.refuses_all()
        desk._queue._counts["user:7"], desk._queue._largest = 1, "user:7"
        try:
            assert not desk.refuses_all()
        finally:
            del desk._queue._counts["user:7"]


def test_an_order_that_was_put_off_is_made_where_there_is_space_when_its_turn_comes(
    service: Service, ann: Person, body: bytes
) -> None:
    door, connections = service.app.order_door, service.server._server.server_state.connections
    assert door is not None
    with RawConnection(service) as wire, RawConnection(service) as gone:
        for one in (wire, gone):
            one.send(one.head("GET /api/v1/health"))
            assert one.answer()[0].status == 200

        async def put_off() -> None:
            """In one turn of the loop, the desk is full, then no more, and one of them hangs up."""
            found = {one.client[1]: one for one in connections if isinstance(one, HttpProtocol) and one.client}
            with full(service):
                for one in (wire, gone):
                    door._left = 0
                    found[one.socket.getsockname()[1]].data_received(order(one, ann, body))
            found[gone.socket.getsockname()[1]].transport.abort()

        service.server.run(put_off())
        assert wire.answer()[0].status == 201
        wire.send(order(wire, ann, body))
        assert wire.answer()[0].headers["idempotency-replayed"] == "true"
    assert expect(ann.client.get("/users/me"), 200)["balance_kopecks"] == 9_000
