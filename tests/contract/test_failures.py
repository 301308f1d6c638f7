"""Decisions, "Statuses": what is answered while the database is away. Interface, section 6: pings."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import DomainError
from foreknow.money.pricing import Side
from foreknow.service import server
from foreknow.trading.desk.kinds import Buy
from foreknow.trading.entry.bet_routes import bet_receipt
from tests.site.feed.listening import listening
from tests.support.kinds import ONCE
from tests.support.postgres import Postgres
from tests.support.proofs import proves
from tests.support.schema import prepare
from tests.support.service import PASSWORD, Service, expect, refused

PING, CLOSE = 9, 8


@pytest.mark.postgres
@proves(
    "decisions: 503 only where the database cannot be reached",
    "decisions: `unavailable`; `invalid_<thing>_id`",
    "decisions: 503 with `Retry-After`",
    "decisions: /health answers 200 from the first moment orders can be accepted until shutdown.",
    "interface: - The health endpoint returns no error body.",
    "decisions: after a 500, a 503 or no answer it may have been: send the same key again to find out.",
)
def test_while_the_database_is_away_nothing_is_known_and_then_all_goes_on(postgres: Postgres) -> None:
    url = postgres.fresh_database(prepare)
    name = urlsplit(url).path[1:]
    service = Service(url)
    try:
        market = service.event()["pools"][0]["markets"][0]["id"]
        person = service.user(balance_kopecks=1_000)
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
        key = {"Idempotency-Key": "through the storm".replace(" ", "-")}
        first = person.client.post("/market/bets", json=order, headers=key)
        expect(first, 201)
        postgres.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        postgres.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

        for answer in (
            service.client().get("/ready"),
            service.client().get("/events"),
            service.client().post("/auth/sign-in", json={"login": person.email, "password": PASSWORD}),
            person.client.post("/market/bets", json=order, headers=key),
        ):
            refused(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
            # Of a key only where one may be sent.
            assert ("Idempotency-Key" in answer.json()["message"]) == (answer.request.url.path.endswith("/bets"))
        expect(service.client().get("/health"), 200)
        postgres.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        expect(service.client().get("/ready"), 200)
        again = person.client.post("/market/bets", json=order, headers=key)
        assert (again.status_code, again.content) == (201, first.content)
        assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 900
    finally:
        service.stop()
        postgres.drop(url)


#: Ends PostgreSQL's side of the connection in the middle of COMMIT: its client learns nothing of its fate.
DYING_COMMIT = """
CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER dying AFTER INSERT ON trades DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION die();
"""


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
@proves(
    "decisions: the fate of a commit is unknown",
    "decisions: after a 500, a 503 or no answer it may have been: send the same key again to find out.",
)
def test_a_commit_whose_fate_is_unknown_is_found_out_with_its_key(
    fresh_service: Service, database_url: str, postgres: Postgres
) -> None:
    service, name = fresh_service, urlsplit(database_url).path[1:]
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    key = {"Idempotency-Key": "who-knows"}
    postgres.sql(DYING_COMMIT, database=name)
    for _ in range(2):
        answer = person.client.post("/market/bets", json=order, headers=key)
        refused(answer, 503, "unavailable")
        assert int(answer.headers["Retry-After"]) >= 1
    postgres.sql("DROP TRIGGER dying ON trades", database=name)

    expect(person.client.post("/market/bets", json=order, headers=key), 201)
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 900


@proves(
    "decisions: or more orders wait than are decided in a quarter of a second (256 at least, 10,000 at most).",
)
def test_beside_ten_thousand_waiting_orders_more_are_refused(sqlite_service: Service) -> None:
    service = sqlite_service
    person = service.user()

    async def flood() -> tuple[list[str], str]:
        desk, caller = service.app.services.desk, await service.app.services.authenticator.user(person.token)
        assert isinstance(caller, UserCaller)
        order = Buy(
            caller=caller,
            market_id=2**62,
            side=Side.YES,
            stake_kopecks=100,
            idempotency_key=None,
            receipt=bet_receipt,
        )
        # No other request gets a turn before they all wait.
        waiting = [asyncio.ensure_future(desk.place(order)) for _ in range(10_000)]
        await asyncio.sleep(0)
        with pytest.raises(DomainError) as error:
            await desk.place(order)
        assert (error.value.status, error.value.code) == (503, "unavailable")
        met = await asyncio.gather(*waiting, return_exceptions=True)
        return [one.code if isinstance(one, DomainError) else repr(one) for one in met], str(error.value)

    codes, message = service.server.run(flood())
    assert codes == ["market_not_found"] * 10_000
    assert "many orders wait" in message


@proves("interface: - No error bodies; an unreachable server fails at network level.")
@ONCE
def test_a_stopped_service_answers_nothing(start_service: Callable[..., Service]) -> None:
    service = start_service()
    port = service.server.port
    service.stop()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def read_exactly(connection: socket.socket, count: int) -> bytes:
    """Read `count` bytes, or fewer where the connection ends before."""
    read = b""
    while len(read) < count and (more := connection.recv(count - len(read))):
        read += more
    return read


def next_frame(connection: socket.socket) -> tuple[int, bytes]:
    """Read one unmasked WebSocket frame; opcode 8 (close) where the connection ends."""
    head = read_exactly(connection, 2)
    if len(head) < 2:
        return CLOSE, b""
    size = head[1] & 0x7F
    if size >= 126:
        size = int.from_bytes(read_exactly(connection, 2 if size == 126 else 8))
    return head[0] & 0x0F, read_exactly(connection, size)


# Pings know no database.
@proves(
    "decisions: Ping every 20 s; a peer silent for 20 s more is closed.",
    "interface: 3. The server sends ping frames periodically; clients answer with pong to keep the connection.",
)
@ONCE
@pytest.mark.real_time("uvicorn pings")
def test_who_does_not_answer_a_ping_is_closed(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.PING_S == 20
    monkeypatch.setattr(server, "PING_S", 0.4)
    service = start_service()
    # A socket by hand: every WebSocket client answers pings by itself.
    with socket.create_connection(("127.0.0.1", service.server.port), timeout=60) as connection:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /api/v1/ws/trades HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        began = time.monotonic()
        connection.sendall("\r\n".join(lines).encode())
        while read_exactly(connection, 1) != b"\n" or connection.recv(2, socket.MSG_PEEK) != b"\r\n":
            pass
        read_exactly(connection, 2)
        pinged = closed = 0.0
        while not closed:
            kind, _ = next_frame(connection)
            if kind == PING and not pinged:
                pinged = time.monotonic()
            closed = time.monotonic() if kind == CLOSE else 0.0
        assert pinged - began > 0.35
        assert closed - began > 0.75
    # Who answers in time stays, as on a busy machine only the one or the other does.
    assert any(stays_for(service, seconds=1.2) for _ in range(20))


def stays_for(service: Service, *, seconds: float) -> bool:
    """Tell whether a client that answers pings is still connected after a while."""
    with listening(service) as polite:
        assert polite.message()["type"] == "initial"
        try:
            return polite.silent_for(seconds) and polite.connection.ping().wait(60)
        except ConnectionClosed:
            return False
