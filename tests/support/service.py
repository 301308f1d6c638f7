"""What tests know of a running service: its address, and people, partners and events made through its interface.

`service.client()` speaks to `/api/v1` and keeps its own cookies; `service.user()`, `.partner()` and `.event()` make
what a test needs over HTTP, as any client could. No name or address is used twice, so that tests share one service.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import secrets
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import jwt
import sqlalchemy as sa
from pydantic import SecretStr

from foreknow.kernel.settings import Settings
from foreknow.platform.db.postgres import database as postgres
from foreknow.service.app import App
from foreknow.site.client import files
from tests.support.clock import ShiftableClock
from tests.support.server import Server
from tests.support.wire import Wire, send_together

PASSWORD = "correct horse battery"
ADMIN_EMAIL = "admin@example.org"
TIMEOUT_S = 60
# Files of the client stay as they are while tests run: one reading of them serves every service of this process.
files._read = functools.cache(files._read)
files._read_all = functools.cache(files._read_all)
# To connect, and to know the tables again, costs PostgreSQL 10 ms each time, and a service that starts looks for
# everything that is due at once: with twenty connections, most of what a short test costs goes there.
postgres.CONNECTIONS = 5
#: Age at which shared users sign in again: their tokens end, and a slow machine's tests may go on.
SIGNED_IN_S = 300
#: One request of `Service.together`: method, path below /api/v1, and what httpx takes besides.
Shot = tuple[str, str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Person:
    """A user who signed up, and a client that sends their token as a Bearer header."""

    id: int
    email: str
    nickname: str
    password: str
    token: str
    client: httpx.Client


@dataclass(frozen=True, slots=True)
class PartnerAccount:
    """A partner, and a client that sends its key."""

    name: str
    key: str
    client: httpx.Client


class Service:
    """A running service on its own database."""

    def __init__(
        self,
        database_url: str,
        *,
        server_off_ms: int = 0,
        has_real_database_clock: bool = False,
        begins_midweek: bool = False,
        **settings: Any,
    ) -> None:
        """Start it; `settings` are fields of `Settings` that differ from the tests' usual ones.

        `clock` is the clock of its database and its server; the server's is `server_off_ms` fast, or slow where that is
        negative. `has_real_database_clock`: the database tells its own time. `begins_midweek`: what a test does in a
        moment is done on one day and in one week.
        """
        usual: dict[str, Any] = {
            "admin_email": ADMIN_EMAIL,
            "admin_password": SecretStr(PASSWORD),
            "password_cost": "low",
            "rate_limits": "off",
            "log_level": "warning",
            # Tests' webhooks are on this machine.
            "webhook_internal_hosts": "127.0.0.1",
            "data_dir": Path(tempfile.mkdtemp(prefix="foreknow-")),
        }
        # Restarts find in it what was there before.
        weakref.finalize(self, shutil.rmtree, usual["data_dir"], ignore_errors=True)
        self.database_url = database_url
        self.settings = Settings(database_url=database_url, **(usual | settings))
        self.clock = ShiftableClock()
        if begins_midweek:
            self.clock.to_midweek()
        self._server_off_ms = server_off_ms
        self._has_real_database_clock = has_real_database_clock
        self._clients: list[httpx.Client] = []
        self._connections = Wire()
        self._numbers = itertools.count(1)
        self._admin: httpx.Client | None = None
        self._creator: Person | None = None
        self._signed_in_s: dict[str, float] = {}
        self.server = self._serve()

    @property
    def url(self) -> str:
        """The service's origin, such as http://127.0.0.1:40123."""
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def api_url(self) -> str:
        """Where the interface's paths begin."""
        return f"{self.url}/api/v1"

    @property
    def app(self) -> App:
        """The running application, for tests that look inside."""
        return self.server.app

    def stop(self) -> None:
        """Close all clients and shut the server down."""
        for client in self._clients:
            client.close()
        self._clients.clear()
        self._connections.close_all()
        self.server.stop()

    def restart(self) -> None:
        """Shut down and start again on the same database, on another port; clients made before are closed."""
        self.stop()
        self.start_again()

    def start_again(self, *, port: int = 0) -> None:
        """Start on the same database after `stop`; a browser's page needs the port that it came from."""
        self._admin = self._creator = None
        self._signed_in_s.clear()
        self.server = self._serve(port)

    def client(
        self, token: str | None = None, partner_key: str | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Client:
        """Return a client of `/api/v1` with cookies of its own, which the service closes when it stops."""
        given = dict(headers or {})
        if token is not None:
            given["Authorization"] = f"Bearer {token}"
        if partner_key is not None:
            given["X-Partner-Key"] = partner_key
        client = self._client(given)
        self._clients.append(client)
        return client

    def _client(self, headers: Mapping[str, str]) -> httpx.Client:
        client = httpx.Client(
            base_url=self.api_url, headers=headers, timeout=TIMEOUT_S, transport=self._connections, trust_env=False
        )
        client._cookies = _Cookies()
        return client

    @property
    def admin(self) -> httpx.Client:
        """The first admin's client."""
        if self._admin is None:
            self._admin = self.client()
        self._keep_signed_in(self._admin, ADMIN_EMAIL)
        return self._admin

    @property
    def creator(self) -> Person:
        """The creator of events whose test does not care who made them."""
        if self._creator is None:
            self._creator = self.user(creator=True)
            self._signed_in_s[self._creator.email] = time.monotonic()
        token = self._keep_signed_in(self._creator.client, self._creator.email)
        return replace(self._creator, token=token)

    def sign_in(self, login: str, password: str) -> str:
        """Sign in and return the access token."""
        with self._client({}) as client:
            answer = client.post("/auth/sign-in", json={"login": login, "password": password})
        return str(expect(answer, 200)["access_token"])

    def user(
        self,
        *,
        creator: bool = False,
        admin: bool = False,
        stats_viewer: bool = False,
        operator: bool = False,
        balance_kopecks: int = 0,
        **sign_up: Any,
    ) -> Person:
        """Sign a user up, give them roles and money; `sign_up` overrides fields of the sign-up."""
        unique = f"{next(self._numbers)}_{secrets.token_hex(4)}"
        body = {
            "email": f"person_{unique}@example.org",
            "password": PASSWORD,
            "name": f"Person {unique}",
            "nickname": f"nick_{unique}",
        } | sign_up
        client = self.client()
        answer = expect(client.post("/auth/sign-up", json=body), 201)
        # The token alone, so that no test rides on a cookie unawares.
        client.cookies.clear()
        client.headers["Authorization"] = f"Bearer {answer['access_token']}"
        user_id = answer["user"]["id"]
        roles = {"is_creator": creator, "is_admin": admin, "is_stats_viewer": stats_viewer, "is_operator": operator}
        if any(roles.values()):
            expect(self.admin.patch(f"/admin/users/{user_id}", json=roles), 200)
        if balance_kopecks:
            self.credit(user_id, balance_kopecks)
        nickname = str(body["nickname"] or "")
        return Person(user_id, str(body["email"]), nickname, str(body["password"]), answer["access_token"], client)

    def credit(self, user_id: int, amount_kopecks: int) -> None:
        """Give a user money."""
        body = {"amount_kopecks": amount_kopecks, "note": "for a test"}
        expect(self.admin.post(f"/admin/users/{user_id}/credit", json=body), 201)

    def partner(self, float_kopecks: int = 0) -> PartnerAccount:
        """Make a partner with a key and money on its float."""
        name = f"partner-{next(self._numbers)}-{secrets.token_hex(4)}"
        key = str(expect(self.admin.post("/admin/partners", json={"name": name}), 201)["key"])
        if float_kopecks:
            body = {"amount_kopecks": float_kopecks}
            expect(self.admin.post(f"/admin/partners/{name}/deposit", json=body), 201)
        return PartnerAccount(name, key, self.client(partner_key=key))

    def event(self, creator: Person | None = None, *, publish: bool = True, **overrides: Any) -> dict[str, Any]:
        """Create an event (by default one pool with one market at 0.5, b 100,000, no margin) and publish it.

        `overrides` are fields of POST /events/create-full; `pools` replaces the pool as a whole.
        """
        client = (creator or self.creator).client
        body = {"name": f"Event {next(self._numbers)}", "pools": [pool()]} | overrides
        event: dict[str, Any] = expect(client.post("/events/create-full", json=body), 201)
        if publish:
            event = expect(client.post(f"/events/{event['id']}/publish"), 200)
        return event

    def together(self, shots: Sequence[Shot], *, tokens: Sequence[str | None] = (None,)) -> list[httpx.Response]:
        """Send all requests at the same moment and return their answers in order.

        `tokens` are given out in turn: one for all, or one each.
        """
        requests = []
        with self._client({}) as client:
            for (method, path, rest), token in zip(shots, itertools.cycle(tokens), strict=False):
                given = {"Authorization": f"Bearer {token}"} if token else {}
                fields = {**rest, "headers": {**given, **rest.get("headers", {})}}
                # Where there are several servers, on another one each time.
                requests.append(client.build_request(method, self.api_url + path, **fields))
        return send_together(requests, timeout_s=TIMEOUT_S)

    def look(self, work: Callable[[Any], Any]) -> Any:
        """Run `work(tx)` on a snapshot of the service's database, for tests of what no interface shows."""
        return self.server.run(self.app.db.read(work))

    @contextlib.contextmanager
    def without(self, *tables: str) -> Iterator[None]:
        """Take tables away from the running service for a while."""

        def rename(names: Iterable[tuple[str, str]]) -> None:
            statements = [sa.text(f"ALTER TABLE {name} RENAME TO {other}") for name, other in names]
            self.server.run(self.app.db.write(lambda tx: [tx.execute(statement) for statement in statements]))

        rename((name, f"lost_{name}") for name in tables)
        try:
            yield
        finally:
            rename((f"lost_{name}", name) for name in tables)

    def sign_out_shared(self) -> None:
        """Let the first admin and the creator sign in again before they are used: their tokens may have ended."""
        self._signed_in_s.clear()

    def _keep_signed_in(self, client: httpx.Client, email: str) -> str:
        """Give a client that tests share a token that is good for a while, and return it."""
        if time.monotonic() - self._signed_in_s.get(email, -math.inf) > SIGNED_IN_S:
            client.headers["Authorization"] = f"Bearer {self.sign_in(email, PASSWORD)}"
            self._signed_in_s[email] = time.monotonic()
        return str(client.headers["Authorization"]).removeprefix("Bearer ")

    def _serve(self, port: int = 0) -> Server:
        database_clock = None if self._has_real_database_clock else self.clock
        clock = (lambda: self.clock() + self._server_off_ms) if self._server_off_ms else self.clock
        return Server(App(self.settings, clock=clock, database_clock=database_clock), port=port)


class _Cookies(httpx.Cookies):
    """Cookies that look only at responses which set some: to find that out takes httpx longer than the rest of them."""

    def extract_cookies(self, response: httpx.Response) -> None:
        """Take what a response sets."""
        if "set-cookie" in response.headers:
            super().extract_cookies(response)


def end_of(access_token: str) -> int:
    """When a token ends, in Unix seconds, as it says itself."""
    return int(jwt.decode(access_token, options={"verify_signature": False})["exp"])


def expect(answer: httpx.Response, status: int) -> Any:
    """Return the JSON body of an answer that must have this status; say what came instead."""
    request = answer.request
    assert answer.status_code == status, f"{request.method} {request.url}: {answer.status_code} {answer.text}"
    return answer.json()


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that an answer refuses with this status and code in the contract's error body, and return the body."""
    request = answer.request
    assert answer.status_code == status, f"{request.method} {request.url}: {answer.status_code} {answer.text}"
    body: dict[str, Any] = answer.json()
    assert body["error"] == code, body
    assert set(body) <= {"error", "message", "details"}, body
    return body


def pool(names: Iterable[str] | None = None, *, b: int = 100_000, **fields: Any) -> dict[str, Any]:
    """Describe a pool for POST /events/create-full: a yes/no question, or one with the outcomes `names`.

    `probabilities` (one per market) goes into the metadata, everything else into the pool.
    """
    metadata: dict[str, Any] = {"lmsr_b_kopecks": b}
    probabilities = fields.pop("probabilities", None)
    if names is not None:
        metadata["market_names"] = list(names)
    if probabilities is not None:
        metadata["market_probabilities"] = list(probabilities)
    return {"name": "Will it?", "metadata": metadata} | fields
