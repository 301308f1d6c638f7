"""No secret is ever logged: requests full of canaries go every way there is, and none of them sings."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Iterator

import httpx
import pytest
import structlog
from pydantic import SecretStr
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.logging import OUR_LOGGERS, Form
from foreknow.kernel.settings import Settings
from foreknow.service.app import App
from foreknow.trading.partner.routes import ExternalUserPath
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import AnyRequest, PathRequest, PlainRequest, post
from foreknow.web.responses import Empty
from tests.service.logs.conftest import Caught
from tests.support.http import NO_TLS
from tests.support.server import Server

CANARY = "canary" + secrets.token_hex(8)
PASSWORD = f"pass-{CANARY}"


class Failing:
    """Endpoints that fail unexpectedly, with secrets in hand."""

    def __init__(self, context: RouteContext) -> None:
        self._context = context

    @post("/test/fail", AuthLevel.OPTIONAL, raw_body_bytes=1_000)
    async def fail(self, call: PlainRequest) -> Empty:
        """Fail."""
        return await self._fail(call)

    @post("/test/partner-fail/{external_user_id}", AuthLevel.PARTNER, raw_body_bytes=1_000)
    async def fail_for_partner(self, call: PathRequest[ExternalUserPath]) -> Empty:
        """Fail."""
        return await self._fail(call)

    async def _fail(self, call: AnyRequest) -> Empty:
        kept = (call.headers, call.cookies, await call.raw(1_000).whole(), f"a local {CANARY}")
        structlog.get_logger("foreknow.test").info("about to fail")
        raise RuntimeError(f"unforeseen, {len(kept)} things in hand")

    @post("/test/database-fail", AuthLevel.OPTIONAL, raw_body_bytes=1_000)
    async def fail_in_database(self, call: PlainRequest) -> Empty:
        """Fail."""
        import sqlalchemy as sa

        value = (await call.raw(1_000).whole()).decode()
        query = sa.text("SELECT * FROM nowhere WHERE secret = :value")
        await self._context.db.write(lambda tx: tx.execute(query, {"value": value}))
        return Empty()


@pytest.fixture(params=["json", "console"])
def url(request: pytest.FixtureRequest, database_url: str, caught: Caught) -> Iterator[str]:
    """A service that logs all it can, with canaries for secrets of its own."""
    form: Form = request.param
    caught.configure(level="debug", form=form)
    settings = Settings(
        database_url=database_url,
        admin_email="admin@example.org",
        admin_password=SecretStr(PASSWORD),
        password_cost="low",
        token_secret=SecretStr(f"{CANARY}-{'x' * 32}"),
        metrics_token=SecretStr(CANARY),
        log_requests="info",
    )
    server = Server(App(settings, more=[Failing]))
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


def test_no_canary_sings(url: str, caught: Caught) -> None:
    known = [CANARY]
    with httpx.Client(base_url=url + "/api/v1", trust_env=False, verify=NO_TLS) as client:
        known += _live_a_life(client)
        _try_everything(client)
    _open_sockets(url, known)
    for headers in ({"Authorization": f"Bearer {CANARY}"}, {"Authorization": f"Bearer wrong-{CANARY}"}):
        httpx.get(f"{url}/metrics", params={"q": CANARY}, headers=headers, verify=NO_TLS)
    logging.getLogger("websockets.server").debug("< Cookie: %s", CANARY)
    logging.getLogger("some.library").info("a header: %s", CANARY)

    lines = caught.text
    assert "RuntimeError: unforeseen" in lines, "failures are logged"
    assert "nowhere" in lines, "and what the database refused"
    assert lines.count("request") > 20
    assert "completing handshake" not in lines, "a refused handshake is no error"
    for secret in known:
        assert secret not in lines


def test_what_fails_is_logged_under_the_request_s_id(url: str, caught: Caught, request: pytest.FixtureRequest) -> None:
    if "json" not in request.node.name:
        pytest.skip("one form is enough")
    answer = httpx.post(f"{url}/api/v1/test/fail", headers={"X-Request-ID": "failing-7"}, verify=NO_TLS)

    assert answer.status_code == 500
    assert answer.headers["x-request-id"] == "failing-7"
    lines = [json.loads(line) for line in caught.text.splitlines()]
    mine = [line for line in lines if line.get("request_id") == "failing-7"]
    assert [line["event"] for line in mine] == ["about to fail", "request failed", "request"]
    assert mine[1]["route"] == "/test/fail"
    assert "RuntimeError: unforeseen" in mine[1]["exception"]
    assert logging.getLogger(OUR_LOGGERS).level == logging.DEBUG


def _live_a_life(client: httpx.Client) -> list[str]:
    """Sign up, in and out, as a user, an admin and a partner; return every secret that came of it."""
    person = {"email": "someone@example.org", "password": PASSWORD, "name": "Someone", "nickname": "someone"}
    client.post("/auth/sign-up", json=person).raise_for_status()
    client.post("/auth/sign-in", json={"login": "someone", "password": PASSWORD}).raise_for_status()
    known = list(client.cookies.values())
    client.post("/auth/refresh").raise_for_status()
    client.post("/chat/session").raise_for_status()
    client.post("/chat/message", json={"text": CANARY}).raise_for_status()
    known += client.cookies.values()
    client.delete("/auth/logout").raise_for_status()
    # A token from before, sent in vain.
    client.get("/users/me", headers={"Authorization": f"Bearer {known[0]}"})
    client.cookies.clear()
    admin = client.post("/auth/sign-in", json={"login": "admin@example.org", "password": PASSWORD}).json()
    client.cookies.clear()
    as_admin = {"Authorization": f"Bearer {admin['access_token']}"}
    made = client.post("/admin/partners", json={"name": "acme"}, headers=as_admin).raise_for_status().json()
    as_partner = {"X-Partner-Key": made["key"]}
    client.get("/partner/balance", headers=as_partner).raise_for_status()
    client.post(f"/test/partner-fail/{CANARY}", headers=as_partner, content=CANARY)
    client.post("/chat/session").raise_for_status()
    known += client.cookies.values()
    client.cookies.clear()
    return [*known, admin["access_token"], made["key"]]


def _try_everything(client: httpx.Client) -> None:
    """Send canaries wherever a secret may stand, on requests that are refused, fail or succeed."""
    bearer = {"Authorization": f"Bearer {CANARY}"}
    cookies = {"Cookie": f"access_token={CANARY}; refresh_token={CANARY}; chat_session={CANARY}; other={CANARY}"}
    for headers in (bearer, {"Authorization": f"Basic {CANARY}"}, cookies, {"X-Partner-Key": CANARY}):
        marked = {**headers, "Idempotency-Key": CANARY, "X-Other": CANARY, "X-Request-ID": f"{CANARY} is not sane"}
        for method, path in (
            *(("GET", path) for path in ("/users/me", "/events", "/partner/balance", "/chat/messages", "/chat/stream")),
            *(("POST", path) for path in ("/auth/refresh", "/market/bets", "/partner/bets", "/chat/message")),
            *(("POST", path) for path in ("/auth/sign-in", "/auth/sign-up", "/admin/partners", "/auth/nowhere")),
            *(("POST", path) for path in ("/test/fail", "/test/database-fail")),
            ("DELETE", "/auth/logout"),
            ("GET", f"/auth/oauth/{CANARY}"),
            ("GET", f"/auth/oauth/example/callback?code={CANARY}&state={CANARY}"),
            ("GET", f"/nowhere/{CANARY}"),
            ("GET", f"/partner/users/{CANARY}/balance"),
        ):
            query = "" if "?" in path else f"?cursor={CANARY}&token={CANARY}&after={CANARY}"
            body = json.dumps({"login": CANARY, "password": CANARY, "text": CANARY}) if method == "POST" else ""
            for content in {body, f'{{"broken": "{CANARY}', CANARY} if method == "POST" else {""}:
                typed = {**marked, "Content-Type": "application/json"} if content else marked
                answer = client.request(method, path + query, headers=typed, content=content)
                assert answer.status_code >= 400 or path in {"/events", "/auth/nowhere"}, (method, path)


def _open_sockets(url: str, known: list[str]) -> None:
    async def run() -> None:
        headers = {"Cookie": f"access_token={CANARY}", "Authorization": f"Bearer {known[-1]}"}
        for path in (f"/ws/trades?token={CANARY}", f"/ws/trades?seq=1&seq={CANARY}", f"/ws/{CANARY}"):
            target = f"{url.replace('http', 'ws', 1)}/api/v1{path}"
            try:
                async with connect(target, additional_headers=headers, proxy=None) as socket:
                    await asyncio.wait_for(socket.recv(), 60)
                statuses.append(101)
            except InvalidStatus as error:
                statuses.append(error.response.status_code)

    statuses: list[int] = []
    asyncio.run(run())
    assert statuses == [101, 400, 404]
