"""A service that sends mails to a server of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS
from tests.support.mailbox import Mailbox, mail_server
from tests.support.service import Person, Service, expect

ORIGIN = "https://foreknow.test"
VERIFY = "/verify/"


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the service's mail server has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture(scope="module")
def site(module_database_url: str, mailbox: Mailbox) -> Iterator[Service]:
    """A service that sends mails, whose clock the tests move on."""
    running = Service(
        module_database_url,
        smtp_url=SecretStr(f"smtp://127.0.0.1:{mailbox.port}"),
        email_from="site@foreknow.test",
        public_url=ORIGIN,
        site_name="Прогнозы",
        email_verification="on",
    )
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _later(site: Service) -> None:
    """Let each test begin a day after the last one."""
    site.clock.advance(DAY_MS)
    site.sign_out_shared()


def own(person: Person) -> dict[str, Any]:
    view: dict[str, Any] = expect(person.client.get("/users/me"), 200)
    return view


def verify(site: Service, token: str) -> Any:
    return site.client().post("/auth/verify", json={"token": token})
