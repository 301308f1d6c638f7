"""A server killed at work loses nothing it responded to, and executes nothing twice."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from tests.commands.cli.conftest import serving_url
from tests.support.books import audit_database
from tests.support.forks import FOREKNOW
from tests.support.http import NO_TLS
from tests.support.proofs import proves
from tests.support.service import ADMIN_EMAIL, PASSWORD, Service, expect, pool

STAKE_KOPECKS = 100
BETS = 120
THREADS = 8
KILLED_AFTER = 60
RICH_KOPECKS = 10_000_000


@contextlib.contextmanager
def server(database_url: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run `foreknow serve` on a free port; yield the process and its URL."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "FOREKNOW_DATABASE_URL": database_url,
            "FOREKNOW_ADMIN_EMAIL": ADMIN_EMAIL,
            "FOREKNOW_ADMIN_PASSWORD": PASSWORD,
            "FOREKNOW_PASSWORD_COST": "low",
            "FOREKNOW_RATE_LIMITS": "off",
        }
        log = Path(folder, "log")
        with log.open("w") as out:
            process = subprocess.Popen([FOREKNOW, "serve", "--port", "0"], env=environment, stdout=out)
        try:
            yield process, f"{serving_url(process, log)}/api/v1"
        finally:
            process.kill()
            process.wait()


@proves("decisions: a 201 means committed to disk.")
def test_every_answered_bet_survives_kill_9_and_every_key_bets_once(
    database_url: str, start_service: Callable[..., Service]
) -> None:
    answered: dict[str, int] = {}
    with server(database_url) as (process, url):
        market_id = _open_market(url)
        token = _trader(url)
        _bet_all(url, token, market_id, answered, kill=process)
    assert KILLED_AFTER <= len(answered) < BETS
    audit_database(database_url)

    service = start_service()
    again: dict[str, int] = {}
    _bet_all(service.api_url, token, market_id, again, kill=None)
    balance = expect(service.client(token=token).get("/users/me"), 200)["balance_kopecks"]

    assert len(again) == len(set(again.values())) == BETS
    assert {key: again[key] for key in answered} == answered
    assert balance == RICH_KOPECKS - BETS * STAKE_KOPECKS


def _bet_all(
    url: str, token: str, market_id: int, answered: dict[str, int], *, kill: subprocess.Popen[bytes] | None
) -> None:
    """Send every bet under a key of its own from several threads; kill the server once enough were answered."""

    def send(first: int) -> None:
        with httpx.Client(headers=_bearer(token), verify=NO_TLS) as client:
            for number in range(first, BETS, THREADS):
                key = f"bet-{number}"
                order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
                try:
                    answer = client.post(f"{url}/market/bets", json=order, headers={"Idempotency-Key": key})
                except httpx.TransportError:
                    return
                answered[key] = expect(answer, 201)["id"]
                if kill is not None and len(answered) >= KILLED_AFTER:
                    # The other threads' bets are under way.
                    os.kill(kill.pid, signal.SIGKILL)

    threads = [threading.Thread(target=send, args=(first,)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _open_market(url: str) -> int:
    login = {"login": ADMIN_EMAIL, "password": PASSWORD}
    with httpx.Client(base_url=url, verify=NO_TLS) as client:
        token = expect(client.post("/auth/sign-in", json=login), 200)["access_token"]
        client.cookies.clear()
        client.headers.update(_bearer(token))
        me = expect(client.get("/users/me"), 200)
        expect(client.patch(f"/admin/users/{me['id']}", json={"is_creator": True}), 200)
        event = expect(client.post("/events/create-full", json={"name": "Crash", "pools": [pool()]}), 201)
        published = expect(client.post(f"/events/{event['id']}/publish"), 200)
    return int(published["pools"][0]["markets"][0]["id"])


def _trader(url: str) -> str:
    person = {"email": "trader@example.org", "password": PASSWORD, "name": "Trader"}
    signed_up = expect(httpx.post(f"{url}/auth/sign-up", json=person, verify=NO_TLS), 201)
    login = {"login": ADMIN_EMAIL, "password": PASSWORD}
    admin = expect(httpx.post(f"{url}/auth/sign-in", json=login, verify=NO_TLS), 200)["access_token"]
    credit = {"amount_kopecks": RICH_KOPECKS, "note": "for a test"}
    expect(
        httpx.post(
            f"{url}/admin/users/{signed_up['user']['id']}/credit", json=credit, headers=_bearer(admin), verify=NO_TLS
        ),
        201,
    )
    return str(signed_up["access_token"])


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
