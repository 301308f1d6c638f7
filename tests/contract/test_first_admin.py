"""The first admin, made with the link that the server prints while there was never an admin."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.people.users import first_admin
from foreknow.people.users.store import set_roles
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.sign_in import OWN_VIEW

LINK = "administration: (128 random bits, kept hashed; a later start ends the earlier's; 24 h)."
MADE = (
    "administration: POST /auth/setup (None) `{token, email, password, name, nickname?}` → 201 as sign-up, verified, "
    "with the admin's role; no grant, terms, domain or `sign_up` counts;"
)
REFUSED = (
    "administration: the token is looked at first: 400 `invalid_token`; 409 `invalid_state` once there is an admin, "
    "whoever made it (of two at once one wins)."
)
OTHERS = "administration: `FOREKNOW_ADMIN_*`, commands and `init` go on as they are."
WITHOUT_ADMIN: dict[str, Any] = {"admin_email": "", "admin_password": SecretStr("")}


def printed(service: Service) -> str | None:
    """Return the token that `serve` would print."""
    found: str | None = service.server.run(
        service.app.db.write(lambda tx: first_admin.issue(tx, at_ms=service.clock()))
    )
    return found


def set_up(service: Service, token: str | None, **fields: Any) -> httpx.Response:
    body = {"token": token, "email": "ann@example.org", "password": PASSWORD, "name": "Ann"} | fields
    return service.client().post("/auth/setup", json=body)


@proves(MADE)
def test_the_link_makes_an_admin_whatever_sign_up_asks(
    start_service: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory
) -> None:
    looks = tmp_path_factory.mktemp("looks")
    (looks / "terms.en.md").write_text("Be kind.")
    service = start_service(
        **WITHOUT_ADMIN,
        sign_up="off",
        sign_up_domains="example.net",
        sign_up_kopecks=1_000,
        smtp_url=SecretStr("smtp://127.0.0.1:9"),
        email_from="club@example.org",
        public_url="http://127.0.0.1:8000",
        site_dir=looks,
        read="members",
    )
    answer = set_up(service, printed(service), nickname="ann")
    made = expect(answer, 201)
    assert {"access_token", "refresh_token", "session_until", "device"} <= set(answer.cookies)
    assert made.keys() == {"user", "access_token", "expires_in"}
    user = made["user"]
    assert user.keys() == OWN_VIEW
    assert (user["nickname"], user["is_admin"], user["is_creator"], user["email_verified"]) == (
        "ann",
        True,
        False,
        True,
    )
    assert user["balance_kopecks"] == 0
    client = service.client(token=made["access_token"])
    expect(client.get("/admin/users"), 200)
    assert service.sign_in("ANN@example.org", PASSWORD)


@proves(LINK)
def test_a_later_link_ends_the_earlier_one_which_ends_in_a_day(start_service: Callable[..., Service]) -> None:
    service = start_service(**WITHOUT_ADMIN)
    first, second = printed(service), printed(service)
    assert first is not None
    assert second is not None
    # 128 bits as base64url.
    assert re.fullmatch(r"[\w-]{22}", second)
    assert first != second
    refused(set_up(service, first), 400, "invalid_token")
    rows = service.look(lambda tx: tx.exec_driver_sql("SELECT * FROM first_admin").all())
    assert second not in str(rows)
    service.clock.advance(DAY_MS)
    refused(set_up(service, second), 400, "invalid_token")
    third = printed(service)
    service.clock.advance(DAY_MS - HOUR_MS)
    expect(set_up(service, third), 201)


@proves(REFUSED)
def test_the_token_is_looked_at_before_all_else(start_service: Callable[..., Service]) -> None:
    service = start_service(**WITHOUT_ADMIN)
    refused(set_up(service, "x" * 22, email="no address"), 400, "invalid_token")
    token = printed(service)
    for wrong in ({"email": "no address"}, {"password": "short"}, {"name": ""}, {"nickname": "a b"}):
        (field,) = wrong
        assert list(refused(set_up(service, token, **wrong), 400, "bad_request")["details"]["fields"]) == [field]
    taken = service.user()
    refused(set_up(service, token, email=taken.email), 409, "email_taken")
    refused(set_up(service, token, nickname=taken.nickname), 409, "nickname_taken")
    expect(set_up(service, token), 201)
    refused(set_up(service, "x" * 22), 400, "invalid_token")
    refused(set_up(service, token, email="no address"), 409, "invalid_state")


@proves(REFUSED)
def test_of_two_at_once_one_wins(start_service: Callable[..., Service]) -> None:
    service = start_service(**WITHOUT_ADMIN)
    token = printed(service)
    shots = [
        (
            "POST",
            "/auth/setup",
            {"json": {"token": token, "email": f"{name}@x.org", "password": PASSWORD, "name": name}},
        )
        for name in ("ann", "bob", "cid", "dan")
    ]
    answers = service.together(shots)
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"invalid_state"}
    assert service.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM users").scalar()) == 1


@proves(REFUSED, OTHERS)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("way", ["settings", "command", "gone"])
def test_once_there_is_an_admin_no_link_makes_another(start_service: Callable[..., Service], way: str) -> None:
    service = start_service(**WITHOUT_ADMIN)
    token = printed(service)
    if way == "settings":
        service.stop()
        service = start_service()
    else:
        person = service.user()

        def change(*, is_admin: bool) -> None:
            service.server.run(service.app.db.write(lambda tx: set_roles(tx, person.id, {"is_admin": is_admin})))

        change(is_admin=True)
        if way == "gone":
            change(is_admin=False)
    refused(set_up(service, token), 409, "invalid_state")
    assert printed(service) is None
