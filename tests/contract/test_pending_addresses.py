"""A new address that waits to be verified: what it may be, and what takes it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import MINUTE_MS
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.mailbox import Mailbox, link_of, mail_server
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.sign_in import try_sign_in

VERIFY, RESET = "/verify/", "/reset/"
CHANGE = (
    "site: PUT /users/me/email (Required) | `{email, password}` → 200 `{}`; the newest counts, once verified; 403 "
    "`domain_not_allowed`, 409 `email_taken`, 429 |"
)


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the service's mail server has taken."""
    with mail_server() as box:
        yield box


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("way", ["changed", "forgotten"])
def test_a_new_password_takes_back_an_address_that_waits(
    start_service: Callable[..., Service], mailbox: Mailbox, way: str
) -> None:
    """Who knew the old password may have requested it: with it they would set the next one."""
    site = start_service(
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="site@foreknow.test",
        public_url="https://foreknow.test",
    )
    ann = site.user()
    mailbox.wait(ann.email)
    site.clock.advance(MINUTE_MS)
    others = f"others.{ann.email}"
    expect(ann.client.put("/users/me/email", json={"email": others, "password": ann.password}), 200)
    token = link_of(mailbox.wait(others), VERIFY)
    if way == "changed":
        expect(ann.client.put("/users/me/password", json={"old": ann.password, "new": "quite another one"}), 200)
    else:
        expect(site.client().post("/auth/forgot", json={"email": ann.email}), 200)
        new = {"token": link_of(mailbox.wait(ann.email, 2), RESET), "password": "quite another one"}
        expect(site.client().post("/auth/reset", json=new), 200)

    refused(site.client().post("/auth/verify", json={"token": token}), 400, "invalid_token")
    signed_in = expect(try_sign_in(site, ann.email, "quite another one"), 200)
    assert (signed_in["user"]["email"], signed_in["user"]["email_pending"]) == (ann.email, "")


@proves(CHANGE)
@ONCE
def test_an_address_is_changed_within_the_sites_domains_and_not_too_often(
    start_service: Callable[..., Service], mailbox: Mailbox
) -> None:
    service = start_service(
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="site@foreknow.test",
        public_url="https://foreknow.test",
        sign_up_domains="example.org",
    )
    ann = service.user()
    change = {"password": ann.password}
    for address in ("ann@example.net", "ann@mail.example.org"):
        body = change | {"email": address}
        refused(ann.client.put("/users/me/email", json=body), 403, "domain_not_allowed")
    body = change | {"email": "new@example.org"}
    assert expect(ann.client.put("/users/me/email", json=body), 200) == {}
    refused(ann.client.put("/users/me/email", json=body), 429, "rate_limited")
    assert expect(ann.client.get("/users/me"), 200)["email_pending"] == "new@example.org"
