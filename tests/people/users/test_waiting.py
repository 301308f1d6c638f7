"""A crowd that keeps the threads busy with passwords does not keep others waiting, in order of completion."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.service import PASSWORD, TIMEOUT_S, Service, Shot

CROWD, HONEST = "203.0.113.1", "203.0.113.2"
#: Fewer than one network may have waiting.
GUESSES = 40


def sign_up(at: str) -> Shot:
    body = {"email": f"{uuid.uuid4().hex}@example.org", "password": PASSWORD, "name": "A user"}
    return ("POST", "/auth/sign-up", {"json": body, "headers": {"X-Forwarded-For": at}})


def sign_in(at: str, login: str) -> Shot:
    body = {"login": login, "password": PASSWORD}
    return ("POST", "/auth/sign-in", {"json": body, "headers": {"X-Forwarded-For": at}})


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("crowds", ["sign-in", "sign-up"])
def test_an_honest_sign_in_does_not_wait_for_a_crowd_at_another_address(
    start_service: Callable[..., Service], crowds: str
) -> None:
    service = start_service(rate_limits="on", trusted_proxies="127.0.0.1", password_cost="normal")
    person = service.user()
    crowd = [
        sign_up(CROWD) if crowds == "sign-up" else sign_in(CROWD, f"{uuid.uuid4().hex}@example.org")
        for _ in range(GUESSES)
    ]
    answered: list[int] = []

    async def send(client: httpx.AsyncClient, shot: Shot) -> int:
        method, path, rest = shot
        fields: dict[str, Any] = dict(rest)
        answer = await client.request(method, path, **fields)
        answered.append(answer.status_code)
        return answer.status_code

    async def run() -> tuple[list[int], int]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with httpx.AsyncClient(
            base_url=service.api_url, timeout=TIMEOUT_S, limits=limits, trust_env=False, verify=NO_TLS
        ) as client:
            guessing = [asyncio.create_task(send(client, shot)) for shot in crowd]
            while service.app.services.passwords.waiting < GUESSES // 2:
                assert len(answered) < GUESSES // 2, "they were quicker than this test"
                await asyncio.sleep(0.001)
            honest = [await send(client, sign_in(HONEST, person.email)), await send(client, sign_up(HONEST))]
            before = len(answered) - len(honest)
            await asyncio.gather(*guessing)
            return honest, before

    with ThreadPoolExecutor(1) as thread:
        honest, before = thread.submit(asyncio.run, run()).result()

    assert honest == [200, 201]
    assert len(answered) == GUESSES + 2
    assert set(answered) - {200, 201} <= {401}
    # Those who waited before the two came were more than half, and most of them still do.
    assert before < GUESSES * 3 // 4
