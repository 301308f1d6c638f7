"""Replacing the secret that signs tokens: FOREKNOW_TOKEN_SECRET and its fallback."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from foreknow.kernel.settings import Settings
from foreknow.people.oauth.flows import Flows
from foreknow.people.users.admission import Admission
from foreknow.people.users.devices import DeviceCookies
from foreknow.people.users.tokens import AccessTokens, RefreshClaim, RefreshTokens, TokenKeys
from foreknow.platform.db.engine import Database
from tests.support.service import PASSWORD, Service, expect, refused

OLD, NEW = "the old secret, of 32 characters.", "the new secret, of 32 characters."
NOW_MS = 1_800_000_000_000
CLAIM = RefreshClaim(session_id=7, generation=3, session_created_at_ms=NOW_MS)


def restart(service: Service, *, secret: str, fallback: str) -> None:
    given = {"token_secret": SecretStr(secret), "token_secret_fallback": SecretStr(fallback)}
    service.settings = service.settings.model_copy(update=given)
    service.restart()


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_session_goes_on_while_its_secret_is_replaced_and_ends_without_a_fallback(
    start_service: Callable[..., Service],
) -> None:
    service = start_service()
    person = service.user()
    signed_in = service.client().post("/auth/sign-in", json={"login": person.email, "password": PASSWORD})
    token, cookies = expect(signed_in, 200)["access_token"], dict(signed_in.cookies)

    def refreshed() -> httpx.Response:
        answer = service.client(headers={"Cookie": f"refresh_token={cookies['refresh_token']}"}).post("/auth/refresh")
        cookies.update(answer.cookies)
        return answer

    # From the keys of the database to a secret, and on to another one.
    for secret, fallback in ((OLD, "database"), (NEW, OLD)):
        restart(service, secret=secret, fallback=fallback)
        expect(service.client(token=token).get("/users/me"), 200)
        token = expect(refreshed(), 200)["access_token"]
    restart(service, secret=NEW, fallback="")
    expect(service.client(token=token).get("/users/me"), 200)
    expect(refreshed(), 200)

    restart(service, secret=OLD, fallback="")
    refused(service.client(token=token).get("/users/me"), 401, "unauthorized")
    assert refreshed().status_code == 401


async def test_signatures_of_both_secrets_are_accepted_and_the_first_one_signs(db: Database) -> None:
    old = await db.write(lambda tx: TokenKeys.shared(tx, OLD))
    both = await db.write(lambda tx: TokenKeys.shared(tx, NEW, OLD))
    new = await db.write(lambda tx: TokenKeys.shared(tx, NEW))
    kept = await db.write(TokenKeys.shared)

    assert both.access == new.access + old.access
    assert (await db.write(lambda tx: TokenKeys.shared(tx, NEW, "database"))).access == new.access + kept.access
    token = AccessTokens(*both.access).issue(CLAIM, user_id=7, session_ends_at_ms=NOW_MS + 1000, now_ms=NOW_MS).text
    assert AccessTokens(*new.access).read(token) is not None
    assert AccessTokens(*old.access).read(token) is None
    assert RefreshTokens(*both.refresh).read(RefreshTokens(*old.refresh).issue(CLAIM)) == CLAIM
    assert RefreshTokens(*both.refresh).issue(CLAIM) == RefreshTokens(*new.refresh).issue(CLAIM)
    assert RefreshTokens(*new.refresh).read(RefreshTokens(*old.refresh).issue(CLAIM)) is None


def test_so_are_known_browsers_and_sign_ins_under_way() -> None:
    old, new = b"o" * 32, b"n" * 32
    cookie = DeviceCookies(old, secure=False).cookie(7, now_ms=NOW_MS)
    cookies = {cookie.name: [cookie.value]}
    assert DeviceCookies(new, old, secure=False).find(cookies, user_id=7, now_ms=NOW_MS) is not None
    assert DeviceCookies(new, old, secure=False).find(cookies, user_id=8, now_ms=NOW_MS) is None
    assert DeviceCookies(new, secure=False).find(cookies, user_id=7, now_ms=NOW_MS) is None

    flow = Flows(old, secure_cookies=False).begin(provider="one", return_to="/", admission=Admission(), now_ms=NOW_MS)
    cookies = {flow.cookie_name: [flow.cookie_value]}

    def found(*keys: bytes) -> str | None:
        again = Flows(*keys, secure_cookies=False).find(flow.state, provider="one", cookies=cookies, now_ms=NOW_MS)
        return None if again is None else again.verifier

    assert found(new, old) == flow.verifier
    assert found(new) is None


def test_a_fallback_is_as_long_as_a_secret_or_the_database() -> None:
    assert Settings(token_secret_fallback=SecretStr("database")).token_secret_fallback.get_secret_value() == "database"
    with pytest.raises(ValidationError, match="token_secret needs at least 32 characters"):
        Settings(token_secret=SecretStr("database"))
    with pytest.raises(ValidationError, match="token_secret_fallback needs at least 32 characters"):
        Settings(token_secret_fallback=SecretStr("short"))
