"""The first call: a server that is not there, or is no Foreknow, is said with its address within seconds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from foreknow_client import AnswerNotUnderstood, AsyncClient, Client, ConnectionFailed, FateUnknown
from foreknow_client.steps import Lost, Reply
from tests.sdk.line import ADDRESS, BET, NEVER_SENT, NO_ANSWER, Line, answer
from tests.support.service import Service

HEALTH = b'{"status": "ok", "timestamp": "2026-03-01T18:00:00.000Z", "uptime_seconds": 1}'


class Other(BaseHTTPRequestHandler):
    """Another program: a page of HTML, an address elsewhere, or JSON that is none of ours."""

    def do_GET(self) -> None:
        self.send_response(302 if self.path.startswith("/moved") else 200)
        self.send_header("Location", "https://markets.example/")
        self.send_header("Content-Type", "application/json" if self.path.startswith("/json") else "text/html")
        self.end_headers()
        self.wfile.write(b"{}" if self.path.startswith("/json") else b"<html>")

    do_POST = do_GET  # noqa: N815 - as the base class calls it

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def other() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "no Foreknow at {url}: GET /api/v1/health is answered with 200, text/html"),
        ("/json", "no Foreknow at {url}: GET /api/v1/health is answered with 200, application/json"),
        ("/moved", "{url} redirects to 'https://markets.example/'"),
    ],
)
async def test_another_server_is_said_before_it_learns_who_calls(other: str, path: str, said: str) -> None:
    url = other + path
    with Client(url, login="ann", password="of ann") as client:
        for call in (lambda: client.send(BET), client.get_me, lambda: next(client.follow_trades())):
            with pytest.raises(AnswerNotUnderstood) as error:
                call()
            assert str(error.value).startswith(said.format(url=url))
    async with AsyncClient(url, key="fku_x") as client:
        with pytest.raises(AnswerNotUnderstood):
            await client.send(BET)
        with pytest.raises(AnswerNotUnderstood):
            await anext(client.watch_events([1]))


async def test_where_nothing_answers_the_address_is_said(sqlite_service: Service) -> None:
    tls = sqlite_service.url.replace("http:", "https:")
    for url in ("http://127.0.0.1:1", "http://nowhere.invalid", tls):
        with Client(url, retry_s=0.3) as client:
            for call in (
                lambda: client.send(BET),
                lambda: next(client.stream_chat()),
                lambda: next(client.follow_trades()),
            ):
                with pytest.raises(ConnectionFailed, match=f"^no service at {url}: ConnectError: ") as failed:
                    call()
                assert not isinstance(failed.value, FateUnknown)
                assert str(failed.value).endswith("(or is it http://?)") == (url == tls)


def first(*answers: Reply | Lost) -> Line:
    return Line(*answers, is_met=False)


def test_the_first_look_is_over_within_seconds_and_sends_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    for trouble in (NEVER_SENT, NO_ANSWER, Reply(502, {}, b"<html>")):
        line = first(*[trouble] * 20)
        caplog.clear()
        with pytest.raises(ConnectionFailed, match=f"no service at {ADDRESS}: "):
            line.run(BET)
        assert 2 < line.time_s <= 5
        assert {(send.method, send.path, send.timeout_s) for send in line.sent} == {("GET", "/api/v1/health", 5)}
        assert len(caplog.records) == len(line.pauses_s) == len(line.sent) - 1


def test_a_client_that_met_its_service_is_patient() -> None:
    line = first(NEVER_SENT, Reply(200, {}, HEALTH), *[NEVER_SENT] * 30, answer(201), NEVER_SENT, answer(201))

    assert line.run(BET).shares == line.run(BET).shares
    assert line.time_s > 100
    assert [send.path for send in line.sent].count("/api/v1/health") == 2


def test_a_wrong_path_below_a_service_is_said(sqlite_service: Service) -> None:
    client = Client(f"{sqlite_service.url}/elsewhere")
    with client, pytest.raises(AnswerNotUnderstood, match="is answered with 404, application/json"):
        client.get_me()
