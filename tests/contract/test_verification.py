"""What an account may do before its e-mail address is verified, where the settings ask for that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from pydantic import SecretStr

from foreknow.kernel.provider_settings import OidcProvider
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

#: A mail server that is not there: what waits for it is of no use here.
NOWHERE = SecretStr("smtp://127.0.0.1:9")
#: Never asked: it only lets people be verified.
PROVIDER = {"quiet": OidcProvider(issuer="http://127.0.0.1:9", client_id="foreknow")}


@pytest.fixture(scope="module")
def asking_service(module_database_url: str) -> Iterator[Service]:
    """A service that asks for verification."""
    running = Service(
        module_database_url,
        email_verification="on",
        smtp_url=NOWHERE,
        email_from="site@foreknow.test",
        public_url="http://foreknow.test",
    )
    yield running
    running.stop()


@proves(
    "site: `FOREKNOW_EMAIL_VERIFICATION=on` (needs SMTP or a provider; without SMTP: sign-up `password_off`): an "
    "unverified account reads, changes its own account, writes to support; any other write, making a key too, is 403 "
    "`email_not_verified`."
)
@ONCE
def test_the_unverified_change_their_own_account_and_write_to_support(asking_service: Service) -> None:
    ann = asking_service.user()

    expect(ann.client.get("/events"), 200)
    assert expect(ann.client.get("/users/me"), 200)["email_verified"] is False
    assert expect(ann.client.patch("/users/me", json={"name": "Ann"}), 200)["name"] == "Ann"
    expect(ann.client.put("/users/me/password", json={"old": ann.password, "new": "another long one"}), 200)
    refused(ann.client.post("/users/me/keys", json={"name": "Bot", "scope": "read"}), 403, "email_not_verified")
    expect(ann.client.post("/notifications/read"), 200)
    expect(ann.client.post("/chat/session"), 201)
    expect(ann.client.post("/chat/message", json={"text": "Hello"}), 200)


@ONCE
@pytest.mark.parametrize("creators", ["members", "suggest"])
def test_where_everyone_makes_events_the_unverified_are_refused_for_that(
    start_service: Callable[..., Service], creators: str
) -> None:
    site = start_service(
        creators=creators,
        creator_limit_kopecks=1_000_000,
        email_verification="on",
        smtp_url=NOWHERE,
        email_from="site@foreknow.test",
        public_url="http://foreknow.test",
    )
    ann = site.user()

    for path in ("/events/create-full", "/events/from-template"):
        refused(ann.client.post(path, json={}), 403, "email_not_verified")


@ONCE
def test_any_other_change_of_theirs_is_refused_before_what_it_says_is_looked_at(asking_service: Service) -> None:
    ann = asking_service.user()

    for method, path in (
        ("POST", "/market/bets"),
        ("POST", "/comments"),
        ("PUT", "/comments/x/reaction"),
        ("POST", "/pools/7/pause"),
    ):
        refused(ann.client.request(method, path, content=b"{"), 403, "email_not_verified")
    refused(ann.client.post("/events/create-full", json={}), 403, "forbidden")
    refused(asking_service.client().post("/market/bets", json={}), 401, "unauthorized")


@ONCE
def test_who_was_made_by_a_setting_is_verified(asking_service: Service) -> None:
    admin = expect(asking_service.admin.get("/users/me"), 200)

    assert admin["email_verified"] is True
    ann = asking_service.user()
    shown = expect(asking_service.admin.patch(f"/admin/users/{ann.id}", json={"is_operator": True}), 200)
    assert shown["email_verified"] is False
    refused(ann.client.post("/admin/chat/sessions/1/close"), 403, "email_not_verified")


def test_verification_is_required_only_where_it_can_be_given() -> None:
    command, environment = [sys.executable, "-m", "foreknow", "settings"], {"FOREKNOW_EMAIL_VERIFICATION": "on"}
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "FOREKNOW_EMAIL_VERIFICATION=on needs" in done.stderr


@ONCE
def test_who_could_never_verify_an_address_signs_up_through_a_provider(start_service: Callable[..., Service]) -> None:
    service = start_service(email_verification="on", oidc_providers=PROVIDER, public_url="http://foreknow.test")
    body = {"email": "ann@example.org", "password": "correct horse battery", "name": "Ann"}

    refused(service.client().post("/auth/sign-up", json=body), 403, "password_off")
