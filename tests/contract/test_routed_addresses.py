"""Mail: addresses in whose local part a server may read another one are none."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest
from pydantic import SecretStr

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused

pytestmark = ONCE

RULE = (
    "site: `%` and `!` in a local part are 400 (from a provider: as no address; one that stands counts as not "
    "verified)."
)


@proves(RULE)
@pytest.mark.parametrize("local", ["a%evil.example", "evil.example!a", "a!%b", "%", "!"])
def test_an_address_that_leads_elsewhere_is_none(start_service: Callable[..., Service], local: str) -> None:
    site = start_service(
        sign_up_domains="example.org",
        smtp_url=SecretStr("smtp://127.0.0.1:9"),
        email_from="site@example.org",
        public_url="http://example.org",
    )
    email, ann = f"{local}@example.org", site.user()
    sign_up = {"email": email, "password": PASSWORD, "name": "Ann"}

    for answer in (
        site.client().post("/auth/sign-up", json=sign_up),
        site.client().post("/auth/forgot", json={"email": email}),
        ann.client.put("/users/me/email", json={"email": email, "password": PASSWORD}),
    ):
        assert list(refused(answer, 400, "bad_request")["details"]["fields"]) == ["email"]
    plus = f"a+{secrets.token_hex(4)}@example.org"
    expect(site.client().post("/auth/sign-up", json=sign_up | {"email": plus}), 201)
