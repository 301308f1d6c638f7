"""What stands in for claims that a token lacks: its userinfo, and Entra's own claim."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from foreknow.people.oauth import provider
from tests.people.oauth.signing_in import sign_in
from tests.support.kinds import ON_SQLITE
from tests.support.oidc import Browser, new_identity
from tests.support.scripted_provider import ScriptedProvider
from tests.support.service import Service, refused

pytestmark = ON_SQLITE


def test_the_address_may_come_from_userinfo(new_service: Service, scripted: ScriptedProvider) -> None:
    sub, claims = new_identity()
    scripted.claims = {"sub": sub}
    scripted.user_info = {"sub": sub} | claims
    scripted.discovery = {"userinfo_endpoint": f"{scripted.issuer}/userinfo"}
    browser = Browser(new_service)
    assert browser.come_back(scripted.approve(browser.start("scripted"))).status_code == 303
    assert browser.me()["email"] == claims["email"]
    assert scripted.asked[-1][2]["authorization"] == "Bearer an-access-token"
    scripted.user_info = {"sub": "another-party"} | claims
    refused(sign_in(new_service, scripted), 401, "unauthorized")


@pytest.mark.parametrize(
    ("token", "info", "is_verified"),
    [
        # Okta's token has the address alone, Authelia's neither.
        ({"email": "own"}, {"email": "own", "email_verified": True}, True),
        ({}, {"email": "own", "email_verified": "true"}, True),
        ({"email": "own", "email_verified": None}, {"email": "own", "email_verified": True}, True),
        ({"email": "own", "email_verified": True}, {}, True),
        ({"email_verified": True}, {"email": "own", "email_verified": True}, True),
        ({"email": "own", "email_verified": False}, {"email": "own", "email_verified": True}, False),
        ({"email_verified": False}, {"email": "own", "email_verified": True}, False),
        ({"email": "own"}, {"email": "own", "email_verified": False}, False),
        ({"email": "own"}, {"email": "other", "email_verified": True}, False),
        ({"email_verified": True}, {"email": "own"}, False),
    ],
)
def test_userinfo_adds_what_the_token_lacks(
    new_service: Service, scripted: ScriptedProvider, token: dict[str, Any], info: dict[str, Any], is_verified: bool
) -> None:
    sub, claims = new_identity()
    named = {"own": claims["email"], "other": f"other.{claims['email']}"}

    def filled(of: dict[str, Any]) -> dict[str, Any]:
        return {"sub": sub} | {name: named.get(value, value) for name, value in of.items()}

    scripted.claims = filled(token)
    scripted.user_info = filled(info | {"name": "Ada"})
    scripted.discovery = {"userinfo_endpoint": f"{scripted.issuer}/userinfo"}
    browser = Browser(new_service)
    answer = browser.come_back(scripted.approve(browser.start("scripted")))
    if is_verified:
        assert answer.status_code == 303
        me = browser.me()
        assert (me["email"], me["name"]) == (claims["email"], "Ada")
    else:
        refused(answer, 403, "email_not_verified")


def sent(service: Service, scripted: ScriptedProvider, token: dict[str, Any]) -> tuple[httpx.Response, Browser]:
    """Sign in with a token that has an address and these claims, and a userinfo as Entra's: it adds nothing."""
    sub, claims = new_identity()
    scripted.claims = {"sub": sub, "email": claims["email"], "name": "Ada", **token}
    scripted.user_info = {"sub": sub, "email": claims["email"], "xms_edov": True}
    scripted.discovery = {"userinfo_endpoint": f"{scripted.issuer}/userinfo"}
    browser = Browser(service)
    return browser.come_back(scripted.approve(browser.start("scripted"))), browser


@pytest.mark.parametrize(
    ("token", "is_verified"),
    [
        ({"xms_edov": True}, True),
        ({"xms_edov": "1"}, True),
        ({"xms_edov": 1, "email_verified": None}, True),
        ({"xms_edov": False}, False),
        ({"xms_edov": "0"}, False),
        ({"xms_edov": ["1"]}, False),
        ({"xms_edov": True, "email_verified": False}, False),
        ({}, False),
    ],
)
def test_entra_says_by_its_own_claim_whether_an_address_is_verified(
    new_service: Service,
    scripted: ScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
    token: dict[str, Any],
    is_verified: bool,
) -> None:
    monkeypatch.setattr(provider, "ENTRA_HOSTS", {"127.0.0.1"})
    answer, browser = sent(new_service, scripted, token)
    if is_verified:
        assert answer.status_code == 303
        assert (browser.me()["email"], browser.me()["email_verified"]) == (scripted.claims["email"], True)
    else:
        refused(answer, 403, "email_not_verified")


def test_elsewhere_the_claim_may_be_anyones_and_counts_for_nothing(
    new_service: Service, scripted: ScriptedProvider
) -> None:
    answer, _ = sent(new_service, scripted, {"xms_edov": True})
    refused(answer, 403, "email_not_verified")
