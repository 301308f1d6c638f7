"""Mails that a server does not take: of dead mailboxes, and of a server that takes none."""

from __future__ import annotations

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from tests.contract.mailed_site import VERIFY, own, verify
from tests.contract.mailed_site import _later as _later  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import mailbox as mailbox  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import site as site  # noqa: PLC0414 - a fixture
from tests.support.mailbox import SENDERS, Mailbox, link_of
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect
from tests.support.waiting import wait_until


def again(site: Service, person: Person) -> Person:
    """Sign a person in again, whose token has ended."""
    person.client.headers["Authorization"] = f"Bearer {site.sign_in(person.email, PASSWORD)}"
    return person


@proves(
    "site: at two tries at least 24 h apart, of whatever mails, no success between, while others got mail; what its "
    "owner asks for is tried all the same, and one success ends it.",
    "site: An address is refused for good (`email_refused`; no more notices)",
)
def test_a_mailbox_that_is_dead_for_a_day_gets_no_more_notices(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    expect(verify(site, link_of(mailbox.wait(ann.email), VERIFY)), 200)
    asked: list[str] = []

    def refuse(address: str) -> str:
        asked.append(address)
        return "550 5.1.1 no such user" if address == ann.email else "250 taken"

    def ask() -> None:
        """Ask for a mail, which the server refuses."""
        site.clock.advance(MINUTE_MS)
        tries = asked.count(ann.email)
        expect(site.client().post("/auth/forgot", json={"email": ann.email}), 200)
        wait_until(lambda: asked.count(ann.email) > tries, workers=SENDERS)

    mailbox.answer_recipient = refuse
    try:
        ask()
        wait_until(lambda: site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM dead_mailboxes").scalar()))
        site.clock.advance(DAY_MS)
        site.sign_out_shared()
        # No one else got any meanwhile: it may be the server.
        ask()
        assert own(again(site, ann))["email_refused"] is False
        bob = site.user()
        mailbox.wait(bob.email)
        site.clock.advance(HOUR_MS)
        ask()
        again(site, ann)
        wait_until(lambda: own(ann)["email_refused"])
        expect(ann.client.put("/users/me/email", json={"email": f"x.{ann.email}", "password": PASSWORD}), 200)
        mailbox.wait(f"x.{ann.email}")
        assert own(ann)["email_refused"] is True
    finally:
        mailbox.answer_recipient = lambda _: "250 taken"
    site.clock.advance(HOUR_MS)
    expect(site.client().post("/auth/forgot", json={"email": ann.email}), 200)
    mailbox.wait(ann.email, 2)
    again(site, ann)
    wait_until(lambda: not own(ann)["email_refused"])


@proves(
    "site: What the relay has against us (any 5xx but those named here) is tried again like a failure and is one "
    "`attention`, kind `email`, after an hour in which nobody got mail."
)
@pytest.mark.parametrize("answer", ["554 5.7.1 Relay access denied", "552 5.2.2 Mailbox full"])
def test_what_the_relay_refuses_is_sent_once_it_takes_it(site: Service, mailbox: Mailbox, answer: str) -> None:
    mailbox.answer_recipient = lambda _: answer
    try:
        ann = site.user()
        site.clock.advance(2 * HOUR_MS)
        see_stalled(site)
    finally:
        mailbox.answer_recipient = lambda _: "250 taken"
    assert own(again(site, ann))["email_refused"] is False
    site.clock.advance(4 * HOUR_MS)
    mailbox.wait(ann.email)
    site.sign_out_shared()
    wait_until(lambda: not expect(site.admin.get("/admin/attention"), 200)["entries"])


def see_stalled(site: Service) -> None:
    """Wait until operators see that no mails are sent."""
    site.sign_out_shared()
    sender = site.app.services.mails

    def is_seen() -> bool:
        site.server.run(sender.watch())
        entries = expect(site.admin.get("/admin/attention"), 200)["entries"]
        return [entry["kind"] for entry in entries] == ["email"]

    wait_until(is_seen)


@proves("site: None sent for an hour, though some wait: one `attention`, kind `email`.")
def test_a_server_that_does_not_take_mails_is_asked_again_and_operators_see_it(site: Service, mailbox: Mailbox) -> None:
    mailbox.answer_mail = lambda _: "451 full"
    try:
        ann = site.user()
        site.clock.advance(HOUR_MS)
        see_stalled(site)
    finally:
        mailbox.answer_mail = lambda _: "250 taken"
    site.clock.advance(4 * HOUR_MS)
    mailbox.wait(ann.email)
    site.sign_out_shared()
    wait_until(lambda: not expect(site.admin.get("/admin/attention"), 200)["entries"])
    assert site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM mails").scalar()) == 0
