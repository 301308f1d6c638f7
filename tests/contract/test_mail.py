"""Mails to users: addresses that are verified and changed, and passwords that were forgotten."""

from __future__ import annotations

from itertools import pairwise

import httpx

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from foreknow.platform.mailing.outbox import LEASE_MS
from tests.contract.mailed_site import ORIGIN, VERIFY, own, verify
from tests.contract.mailed_site import _later as _later  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import mailbox as mailbox  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import site as site  # noqa: PLC0414 - a fixture
from tests.support.kinds import ONCE
from tests.support.mailbox import SENDERS, Mailbox, link_of, text_of
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.sign_in import try_sign_in
from tests.support.waiting import wait_until

RESET = "/reset/"
CHANGE = (
    "site: PUT /users/me/email (Required) | `{email, password}` → 200 `{}`; the newest counts, once verified; 403 "
    "`domain_not_allowed`, 409 `email_taken`, 429 |"
)


@proves(
    "site: Verified: by a mailed link (a reset's too), provider, command or setting.",
    "site: GET /site + `email: bool`.",
    "site: POST /auth/verify (None) | `{token}` (of `/verify/TOKEN`, 24 h; twice too) → 200 `{}`; 400 `invalid_token`; "
    "409 `email_taken` |",
    "site: POST /users/me/email/verify (Required) | 200 `{}`, verified too; sends a link, as sign-up does; over the "
    "bounds 429 |",
)
def test_the_link_that_sign_up_mails_verifies_the_address(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    mail = mailbox.wait(ann.email)
    token = link_of(mail, VERIFY)

    assert expect(site.client().get("/site"), 200)["email"] is True
    assert f"{ORIGIN}{VERIFY}{token}" in text_of(mail)
    assert "src=" not in text_of(mail, "html")
    assert mail["From"] == "Прогнозы <site@foreknow.test>"
    assert mail["Auto-Submitted"] == "auto-generated"
    refused(ann.client.post("/comments", json={}), 403, "email_not_verified")
    for wrong in ("", "x", token[:-1], "1." + token, token.replace(".", ".9", 1)):
        refused(verify(site, wrong), 400, "invalid_token")
    assert expect(verify(site, token), 200) == {}
    assert expect(verify(site, token), 200) == {}
    assert own(ann)["email_verified"] is True
    refused(ann.client.post("/comments", json={}), 400, "bad_request")
    expect(ann.client.post("/users/me/email/verify"), 200)
    assert len(mailbox.to(ann.email)) == 1


def test_a_link_ends_after_a_day(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    token = link_of(mailbox.wait(ann.email), VERIFY)

    site.clock.advance(DAY_MS)
    refused(verify(site, token), 400, "invalid_token")


@proves(
    "site: Of what can be asked for (sign-up too) a mailbox (case and `+…` do not count) gets one a minute and 10 a "
    "day at most, 5 before it is verified."
)
def test_a_mailbox_is_sent_one_link_a_minute_and_five_a_day(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    mailbox.wait(ann.email)
    local, _, domain = ann.email.partition("@")
    others = [f"{local}+1@{domain}", f"{local.upper()}+2@{domain}"]
    for address in others:
        site.user(email=address)

    for count in range(2, 6):
        refused(ann.client.post("/users/me/email/verify"), 429, "rate_limited")
        site.clock.advance(MINUTE_MS)
        expect(ann.client.post("/users/me/email/verify"), 200)
        mailbox.wait(ann.email, count)
    site.clock.advance(MINUTE_MS)
    late = ann.client.post("/users/me/email/verify")
    refused(late, 429, "rate_limited")
    assert not any(mailbox.to(address) for address in others)
    assert int(late.headers["retry-after"]) > HOUR_MS // 1_000


@proves(CHANGE, "decisions: fields 400; rows 404; owner 403; state 409.")
@ONCE
def test_an_address_is_read_before_the_password_is_compared(site: Service) -> None:
    ann = site.user()

    for _ in range(12):
        wrong = {"email": "none", "password": "wrong"}
        answer = refused(ann.client.put("/users/me/email", json=wrong), 400, "bad_request")
        assert list(answer["details"]["fields"]) == ["email"]

    # None of these counts as a failed sign-in, of which the tenth would lock the account.
    assert try_sign_in(site, ann.email, PASSWORD).status_code == 200


@proves("site: A verified address is told when it or the password changes.", CHANGE)
def test_the_newest_address_counts_once_it_is_verified(site: Service, mailbox: Mailbox) -> None:
    ann, bob = site.user(), site.user()
    expect(verify(site, link_of(mailbox.wait(ann.email), VERIFY)), 200)
    first, second = f"first.{ann.email}", f"second.{ann.email}"
    change = {"email": first, "password": ann.password}

    refused(ann.client.put("/users/me/email", json=change | {"password": "wrong"}), 401, "invalid_credentials")
    refused(ann.client.put("/users/me/email", json=change | {"email": bob.email}), 409, "email_taken")
    refused(ann.client.put("/users/me/email", json=change | {"email": "none"}), 400, "bad_request")
    expect(ann.client.put("/users/me/email", json=change), 200)
    stale = link_of(mailbox.wait(first), VERIFY)
    expect(ann.client.put("/users/me/email", json=change | {"email": second}), 200)
    token = link_of(mailbox.wait(second), VERIFY)
    assert (own(ann)["email"], own(ann)["email_pending"]) == (ann.email, second)
    refused(verify(site, stale), 400, "invalid_token")
    expect(verify(site, token), 200)
    assert (own(ann)["email"], own(ann)["email_pending"], own(ann)["email_verified"]) == (second, "", True)
    assert "another e-mail address" in text_of(mailbox.wait(ann.email, 2))
    assert try_sign_in(site, second, PASSWORD).status_code == 200


def test_an_address_that_another_account_took_meanwhile_is_not_taken_twice(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    wanted = f"wanted.{ann.email}"
    expect(ann.client.put("/users/me/email", json={"email": wanted, "password": ann.password}), 200)
    token = link_of(mailbox.wait(wanted), VERIFY)
    site.user(email=wanted)

    refused(verify(site, token), 409, "email_taken")


@proves(
    "site: POST /auth/forgot (None) | `{email}` → 200 `{}`, the same and as quick if unknown; client.md 15's link, 1 "
    "h; a new one ends none; using one, a new password or a new address ends all, an admin's too |"
)
def test_a_forgotten_password_is_set_by_a_mailed_link_which_verifies(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    stranger = f"no.{ann.email}"
    mailbox.wait(ann.email)
    site.clock.advance(MINUTE_MS)

    for address in (stranger, ann.email.upper()):
        assert expect(site.client().post("/auth/forgot", json={"email": address}), 200) == {}
    token = link_of(mailbox.wait(ann.email, 2), RESET)
    site.clock.advance(MINUTE_MS)
    expect(site.client().post("/auth/forgot", json={"email": ann.email}), 200)
    other = link_of(mailbox.wait(ann.email, 3), RESET)
    new = {"token": token, "password": "a brand new password"}
    expect(site.client().post("/auth/reset", json=new), 200)
    for used in (token, other):
        refused(site.client().post("/auth/reset", json=new | {"token": used}), 400, "invalid_token")
    signed_in = expect(try_sign_in(site, ann.email, "a brand new password"), 200)
    assert signed_in["user"]["email_verified"] is True
    assert "new password" in text_of(mailbox.wait(ann.email, 4))
    assert mailbox.to(stranger) == []


def test_a_link_to_a_new_password_ends_within_an_hour_and_with_a_new_password(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    mailbox.wait(ann.email)
    tokens = []
    for count in (2, 3):
        site.clock.advance(MINUTE_MS)
        expect(site.client().post("/auth/forgot", json={"email": ann.email}), 200)
        tokens.append(link_of(mailbox.wait(ann.email, count), RESET))
    admins = expect(site.admin.post(f"/admin/users/{ann.id}/reset-link"), 200)["url"].rpartition("/")[2]
    expect(ann.client.put("/users/me/password", json={"old": ann.password, "new": "quite another one"}), 200)

    for token in (*tokens, admins):
        refused(site.client().post("/auth/reset", json={"token": token, "password": PASSWORD}), 400, "invalid_token")
    site.clock.advance(MINUTE_MS)
    expect(site.client().post("/auth/forgot", json={"email": ann.email}), 200)
    late = link_of(mailbox.wait(ann.email, 4), RESET)
    site.clock.advance(HOUR_MS)
    refused(site.client().post("/auth/reset", json={"token": late, "password": PASSWORD}), 400, "invalid_token")


@proves("site: Text and HTML, in the user's language, loading nothing;")
@ONCE
def test_mails_are_in_the_users_language(site: Service, mailbox: Mailbox) -> None:
    ann = site.user()
    mailbox.wait(ann.email)
    assert own(ann)["language"] == "en"
    assert expect(ann.client.patch("/users/me", json={"language": "ru"}), 200)["language"] == "ru"
    refused(ann.client.patch("/users/me", json={"language": "de"}), 400, "bad_request")

    site.clock.advance(MINUTE_MS)
    expect(ann.client.post("/users/me/email/verify"), 200)
    mail = mailbox.wait(ann.email, 2)
    assert mail["Subject"] == "Подтвердите почту"
    assert "Прогнозы" in text_of(mail)
    assert 'lang="ru"' in text_of(mail, "html")
    for loads in ("src=", "url(", "@import", "<link", "<script"):
        assert loads not in text_of(mail, "html")


@proves("site: Unset: nothing is sent; the endpoints below, but settings and invitation, are 409 `no_email`.")
@ONCE
def test_a_site_without_a_mail_server_says_that_it_has_none(service: Service) -> None:
    ann = service.user()

    assert expect(service.client().get("/site"), 200)["email"] is False
    for method, path, body in (
        ("POST", "/users/me/email/verify", None),
        ("PUT", "/users/me/email", {"email": "a@example.org", "password": PASSWORD}),
        ("POST", "/auth/verify", {"token": "x"}),
        ("POST", "/auth/forgot", {"email": ann.email}),
    ):
        refused(ann.client.request(method, path, json=body), 409, "no_email")
    refused(service.client().post("/auth/invitation", json={"token": "x"}), 409, "invitation_used")
    expect(ann.client.get("/users/me/notification-settings"), 200)
    expect(ann.client.put("/users/me/notification-settings", json={"price_alert": {"email": "off"}}), 200)
    refused(httpx.post(f"{service.url}/unsubscribe/x"), 409, "no_email")
    refused(httpx.get(f"{service.url}/unsubscribe/x"), 409, "no_email")
    assert service.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM mails").scalar()) == 0


@proves("site: `FOREKNOW_PUBLIC_URL` (every link begins with it, never with `Host`).")
@ONCE
def test_every_link_begins_with_the_sites_own_address_whatever_host_is_named(site: Service, mailbox: Mailbox) -> None:
    evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    address = f"host.{site.user().id}@example.org"
    body = {"email": address, "password": PASSWORD, "name": "Ann"}
    expect(site.client(headers=evil).post("/auth/sign-up", json=body), 201)
    mail = mailbox.wait(address)
    site.clock.advance(MINUTE_MS)
    expect(site.client(headers=evil).post("/auth/forgot", json={"email": address}), 200)

    for kind in ("plain", "html"):
        for one, path in ((mail, VERIFY), (mailbox.wait(address, 2), RESET)):
            assert "evil" not in text_of(one, kind)
            assert f"{ORIGIN}{path}" in text_of(one, kind)


@proves("site: rows hold no token and, once sent, no text.")
def test_a_mail_that_waits_has_no_token_and_one_that_was_sent_no_row(site: Service, mailbox: Mailbox) -> None:
    mailbox.answer_mail = lambda _: "451 later"

    def rows() -> list[str]:
        return [repr(row) for row in site.look(lambda tx: tx.exec_driver_sql("SELECT * FROM mails").all())]

    try:
        ann = site.user()
        wait_until(rows)
        waiting = rows()
    finally:
        mailbox.answer_mail = lambda _: "250 taken"
    site.clock.advance(HOUR_MS)
    token = link_of(mailbox.wait(ann.email), VERIFY)
    signature = token.rpartition(".")[2]
    assert not any(signature in row for row in waiting)
    wait_until(lambda: not rows())


@proves("site: with growing pauses for 3 days, none with a dead link;")
def test_a_mail_is_tried_for_three_days_and_no_longer_than_its_link_works(site: Service, mailbox: Mailbox) -> None:
    tried: list[tuple[str, int]] = []

    def put_off(address: str) -> str:
        tried.append((address, site.clock()))
        return "451 later"

    def is_tried() -> bool:
        rows = site.look(lambda tx: tx.exec_driver_sql("SELECT address, attempts, due_at_ms FROM mails").all())
        # While one is under way, it is due at the end of its lease; the clock stands still.
        pauses = [due_at_ms - site.clock() for _, _, due_at_ms in rows]
        return all(pause_ms > 0 and pause_ms != LEASE_MS for pause_ms in pauses) and all(
            attempts == [address for address, _ in tried].count(to) for to, attempts, _ in rows
        )

    ann = site.user()
    expect(verify(site, link_of(mailbox.wait(ann.email), VERIFY)), 200)
    mailbox.answer_mail = put_off
    try:
        bob = site.user()
        expect(ann.client.put("/users/me/password", json={"old": ann.password, "new": "another long one"}), 200)
        began_ms = site.clock()
        while site.clock() < began_ms + 4 * DAY_MS:
            site.clock.stop_at(site.clock() + HOUR_MS)
            wait_until(is_tried, workers=SENDERS)
    finally:
        site.clock.go_on()
        mailbox.answer_mail = lambda _: "250 taken"
    last = {person.email: max(at_ms for address, at_ms in tried if address == person.email) for person in (ann, bob)}
    assert DAY_MS - 5 * HOUR_MS <= last[bob.email] - began_ms < DAY_MS
    assert 3 * DAY_MS - 5 * HOUR_MS <= last[ann.email] - began_ms < 3 * DAY_MS
    of_ann = [at_ms for address, at_ms in tried if address == ann.email]
    pauses = [later - at_ms for at_ms, later in pairwise(of_ann)]
    # Each is shortened by up to a half at random.
    assert max(pauses[-3:]) > 1.5 * max(pauses[:3])
    assert len(of_ann) < 40
    assert site.look(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM mails").scalar()) == 0
