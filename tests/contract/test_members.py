"""Inviting members by mail: what becomes of each of a list, and what their links do."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS
from foreknow.people.invitations import mailed
from foreknow.site.admin.member_schemas import MEMBERS_BYTES_MAX
from foreknow.site.admin.members import MemberInvitations
from tests.support.kinds import ONCE
from tests.support.mailbox import Mailbox, link_of, mail_server, text_of
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, refused
from tests.support.waiting import wait_until

FORM = (
    "administration: **Members.** POST /admin/members (admin; body ≤ 2 MiB) `{members: [1 … 1,000 of {email, name?, "
    "credit_kopecks? (0), creator? (false)}], check? (false)}` → 200 `{results: [{email, result: "
    '"invited"|"waiting"|"member"|"refused", reason}]}`, in order, a repeated address as its first.'
)
INVITED = (
    "administration: `invited`: an invitation of one use for that address (compared as accounts are), good for 30 "
    "days, and a mail with its link; one live invitation an address, a new one withdraws the older."
)
WAITING = "administration: `waiting`: one under 7 days old whose mail waits or was taken."
MEMBER = 'administration: `member`: has an account (`reason` `email_not_verified` where it never was; else "").'
REFUSED = "administration: `refused`: `domain_not_allowed`, `unsubscribed`, `bad_request` (an address that is none)."
CHECK = "administration: `check` does nothing else."
LIMITS = (
    "administration: 409 `no_email`, `sign_up_closed` (`sign_up` `off`); 429, nothing written, once a request would "
    "pass 2,000 `invited` a site and UTC day."
)
PIECES = "administration: Written 50 at a time: sent again after a kill it goes on."
MAIL = (
    "administration: `name` fills in the form and is in no mail; mails asked for go first; each can end invitations to "
    "its address for ever."
)
SIGN_UP = "administration: At sign-up another address is 409 `invitation_used`; the link verifies its own."
SHOWN = (
    "administration: POST /auth/invitation + `email, name` (null where none); GET /admin/invitations "
    "`?email=true|false`, Invitation + `email` (null), cleared once used, ended for 30 days, or with the account."
)
LOG = "administration: The log says how many."
ORIGIN = "https://foreknow.test"
_numbers = itertools.count(1)


def settings_of(box: Mailbox, **more: Any) -> dict[str, Any]:
    return {
        "smtp_url": SecretStr(f"smtp://127.0.0.1:{box.port}"),
        "email_from": "club@foreknow.test",
        "public_url": ORIGIN,
        "site_name": "Prognosis",
        "sign_up_kopecks": 1_000,
    } | more


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the service's mail server has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture(scope="module")
def site(module_database_url: str, mailbox: Mailbox) -> Iterator[Service]:
    """A site of the invited, whose clock the tests move on."""
    running = Service(
        module_database_url, **settings_of(mailbox, sign_up="invite", sign_up_domains="example.org, straße.example")
    )
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _later(site: Service) -> None:
    """Let each test begin a day after the last one, with a bound of its own."""
    later(site, DAY_MS)


def later(service: Service, ms: int) -> None:
    """Move the clock on, past the end of whatever token there is."""
    service.clock.advance(ms)
    service.sign_out_shared()


def address() -> str:
    return f"member_{next(_numbers)}@example.org"


def ask(service: Service, members: Sequence[str | dict[str, Any]], **more: Any) -> httpx.Response:
    listed = [{"email": one} if isinstance(one, str) else one for one in members]
    return service.admin.post("/admin/members", json={"members": listed} | more)


def results(service: Service, members: Sequence[str | dict[str, Any]], **more: Any) -> list[tuple[str, str]]:
    """Return what became of each, which the answer names as they were sent."""
    found = expect(ask(service, members, **more), 200)
    sent = [one if isinstance(one, str) else one["email"] for one in members]
    assert [one["email"] for one in found["results"]] == sent
    return [(one["result"], one["reason"]) for one in found["results"]]


def token_of(mailbox: Mailbox, email: str, count: int = 1) -> str:
    return link_of(mailbox.wait(email, count), "/invite/")


def sign_up(service: Service, email: str, token: str) -> httpx.Response:
    body = {"email": email, "password": PASSWORD, "name": "New", "invitation": token}
    return service.client().post("/auth/sign-up", json=body)


def listed(service: Service, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = expect(service.admin.get("/admin/invitations", params={"limit": 100} | query), 200)[
        "invitations"
    ]
    return found


INVITE, WAIT = ("invited", ""), ("waiting", "")


@proves(FORM, INVITED, SIGN_UP)
def test_a_member_is_invited_and_signs_up_with_a_verified_address(site: Service, mailbox: Mailbox) -> None:
    email = address()
    member = {"email": email.upper(), "name": "Ann Other", "credit_kopecks": 500, "creator": True}
    assert results(site, [member, email, address()]) == [INVITE, INVITE, INVITE]
    mail = mailbox.wait(email.upper())
    inviter = expect(site.admin.get("/users/me"), 200)["name"]
    assert mail["Subject"] == f"{inviter} invites you to Prognosis"
    assert all(said in text_of(mail) for said in ("You start with ₽15.00.", "You may make markets of your own."))
    token = link_of(mail, "/invite/")
    row = next(one for one in listed(site) if one["email"] == email.upper())
    assert (row["uses"], row["used"], row["credit_kopecks"], row["creator"]) == (1, 0, 500, True)
    assert row["expires_at"][:10] == _day(site, 30)

    refused(sign_up(site, address(), token), 409, "invitation_used")
    made = expect(sign_up(site, email, token), 201)["user"]
    assert (made["email_verified"], made["is_creator"], made["balance_kopecks"]) == (True, True, 1_500)
    refused(sign_up(site, address(), token), 409, "invitation_used")
    assert results(site, [email]) == [("member", "")]
    # Verified by its link: no other mail is sent.
    assert len(mailbox.to(email.upper())) == 1
    assert mailbox.to(email) == []


def _day(service: Service, days: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(service.clock() / 1000 + days * 86_400))


@proves(INVITED, WAITING)
def test_a_newer_invitation_withdraws_the_older_after_a_week(site: Service, mailbox: Mailbox) -> None:
    email = address()
    assert results(site, [named := {"email": email, "name": "Wilhelmina"}]) == [INVITE]
    first = token_of(mailbox, email)
    assert results(site, [email]) == [WAIT]
    later(site, 6 * DAY_MS)
    assert results(site, [email]) == [WAIT]
    later(site, DAY_MS)
    assert results(site, [email]) == [INVITE]
    second = token_of(mailbox, email, 2)
    refused(sign_up(site, email, first), 409, "invitation_used")
    later(site, 29 * DAY_MS)
    assert expect(site.client().post("/auth/invitation", json={"token": second}), 200).items() >= named.items()
    later(site, DAY_MS)
    refused(sign_up(site, email, second), 409, "invitation_used")


@proves(WAITING)
def test_who_could_not_be_mailed_is_invited_again(site: Service, mailbox: Mailbox) -> None:
    email = address()
    mailbox.answer_recipient = lambda to: "550 5.1.1 no such mailbox" if to == email else "250 taken"
    try:
        assert results(site, [email]) == [INVITE]
        assert results(site, [email]) == [WAIT]
        later(site, 3 * DAY_MS + 1)
        wait_until(lambda: results(site, [email], check=True) == [INVITE])
    finally:
        mailbox.answer_recipient = lambda _: "250 taken"
    assert results(site, [email]) == [INVITE]
    assert token_of(mailbox, email)


@proves(MEMBER, REFUSED, CHECK)
def test_who_has_an_account_or_cannot_have_one_is_not_invited(site: Service) -> None:
    unverified = expect(sign_up(site, address(), _plain(site)), 201)["user"]["email"]
    new = address()
    asked = [unverified.upper(), "a@elsewhere.test", "no address", "a%b@example.org", "a,b@example.org", new]
    bad = ("refused", "bad_request")
    expected = [("member", "email_not_verified"), ("refused", "domain_not_allowed"), bad, bad, bad, INVITE]
    newest = listed(site)[0]["id"]
    assert results(site, asked, check=True) == expected
    assert listed(site)[0]["id"] == newest
    assert results(site, asked) == expected
    assert [one["id"] for one in listed(site)[:2]] == [newest + 1, newest]
    assert results(site, [new.upper()], check=True) == [WAIT]


def _plain(service: Service) -> str:
    made = expect(service.admin.post("/admin/invitations", json={"uses": 1}), 201)
    return str(made["url"]).rpartition("/")[2]


@proves(FORM)
@ONCE
def test_the_form_of_a_list_is_checked(site: Service) -> None:
    refused(site.client().post("/admin/members", json={"members": [{"email": "a@example.org"}]}), 401, "unauthorized")
    for members in ([], ["a@example.org"] * 1_001, [{"email": "a@example.org", "credit_kopecks": -1}], [{"name": "A"}]):
        refused(ask(site, members), 400, "bad_request")
    wrong = refused(
        ask(site, ["a@example.org", {"email": "b@example.org", "name": "Hidden trader"}]), 400, "bad_request"
    )
    assert list(wrong["details"]["fields"]) == ["members[1].name"]
    spaces = b" " * (MEMBERS_BYTES_MAX - 60)
    body = b'{"members": [{"email": "a@example.org"}], "check": true}'
    headers = {"Content-Type": "application/json"}
    expect(site.admin.post("/admin/members", content=body + spaces, headers=headers), 200)
    refused(
        site.admin.post("/admin/members", content=body + spaces + b" " * 60, headers=headers), 413, "payload_too_large"
    )


@proves(FORM)
@ONCE
def test_others_than_admins_are_refused(site: Service) -> None:
    token = _plain(site)
    person = expect(sign_up(site, address(), token), 201)
    client = site.client(token=person["access_token"])
    refused(client.post("/admin/members", json={"members": [{"email": address()}]}), 403, "forbidden")


@proves(LIMITS)
@ONCE
def test_a_site_without_mail_or_sign_up_invites_no_one(start_service: Callable[..., Service], mailbox: Mailbox) -> None:
    service = start_service(sign_up="off", **settings_of(mailbox))
    refused(ask(service, ["a@example.org"]), 409, "sign_up_closed")
    service.stop()
    refused(ask(start_service(sign_up="off"), ["a@example.org"]), 409, "no_email")


@proves(LIMITS, LOG)
def test_no_more_are_invited_in_a_day_than_the_bound(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailed, "PER_DAY_MAX", 5)
    first, second = [address() for _ in range(3)], [address() for _ in range(3)]
    assert results(site, first) == [INVITE] * 3
    for check in (True, False):
        answer = ask(site, second, check=check)
        refused(answer, 429, "rate_limited")
        assert 0 < int(answer.headers["Retry-After"]) <= 86_400
    assert results(site, [*first, *second[:2]], check=True) == [WAIT] * 3 + [INVITE] * 2
    assert results(site, [*first, *second[:2]]) == [WAIT] * 3 + [INVITE] * 2
    refused(ask(site, second), 429, "rate_limited")
    entries = expect(site.admin.get("/admin/log", params={"action": "member.invite"}), 200)["entries"]
    assert [entry["details"] for entry in entries[:2]] == [{"invited": 2}, {"invited": 3}]
    later(site, DAY_MS)
    assert results(site, second) == [WAIT, WAIT, INVITE]


def test_the_bound_is_two_thousand() -> None:
    assert mailed.PER_DAY_MAX == 2_000


@proves(LIMITS)
def test_of_lists_at_once_none_passes_the_bound(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailed, "PER_DAY_MAX", 100)
    lists = [[{"email": address()} for _ in range(60)] for _ in range(4)]
    token = str(site.admin.headers["Authorization"]).removeprefix("Bearer ")
    answers = site.together([("POST", "/admin/members", {"json": {"members": one}}) for one in lists], tokens=[token])
    assert sorted(answer.status_code for answer in answers) == [200, 429, 429, 429]
    written = site.look(lambda tx: set(tx.exec_driver_sql("SELECT email FROM invitations").scalars()))
    for answer, members in zip(answers, lists, strict=True):
        emails = {one["email"] for one in members}
        assert emails <= written if answer.status_code == 200 else not emails & written


@proves(PIECES)
def test_a_list_that_was_broken_off_is_sent_again(
    site: Service, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    emails = [address() for _ in range(120)]
    invite, pieces = MemberInvitations._invite, itertools.count(1)

    def broken(self: MemberInvitations, *arguments: Any, **more: Any) -> Any:
        if next(pieces) > 1:
            raise RuntimeError("killed")
        return invite(self, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(MemberInvitations, "_invite", broken)
        refused(ask(site, emails), 500, "internal_error")
    assert results(site, emails) == [WAIT] * 50 + [INVITE] * 70
    for email in (emails[0], emails[49], emails[50], emails[119]):
        mailbox.wait(email)
    wait_until(lambda: all(len(mailbox.to(email)) == 1 for email in emails))


@proves(MAIL, SHOWN)
def test_the_name_fills_in_the_form_and_is_in_no_mail(site: Service, mailbox: Mailbox) -> None:
    email = address()
    expect(site.admin.patch("/users/me", json={"language": "ru"}), 200)
    try:
        assert results(site, [{"email": email, "name": "Wilhelmina"}]) == [INVITE]
        mail = mailbox.wait(email)
    finally:
        expect(site.admin.patch("/users/me", json={"language": "en"}), 200)
    # In the language of who invites.
    inviter = expect(site.admin.get("/users/me"), 200)["name"]
    assert mail["Subject"] == f"{inviter} приглашает вас на сайт Prognosis"
    assert "Wilhelmina" not in text_of(mail) + text_of(mail, "html") + str(mail["To"])
    offer = expect(site.client().post("/auth/invitation", json={"token": link_of(mail, "/invite/")}), 200)
    assert (offer["email"], offer["name"]) == (email, "Wilhelmina")
    assert offer["by"]["id"] == expect(site.admin.get("/users/me"), 200)["id"]
    plain = expect(site.client().post("/auth/invitation", json={"token": _plain(site)}), 200)
    assert (plain["email"], plain["name"]) == (None, None)


@proves(MAIL)
def test_a_mail_that_is_requested_overtakes_invitations(site: Service, mailbox: Mailbox) -> None:
    token = _plain(site)
    person = expect(sign_up(site, address(), token), 201)["user"]["email"]
    mailbox.wait(person)
    later(site, DAY_MS)

    def slowly(_to: str) -> str:
        time.sleep(0.05)
        return "250 taken"

    mailbox.answer_mail = slowly
    emails = [address() for _ in range(50)]
    begun = len(mailbox.taken)
    assert results(site, emails) == [INVITE] * 50
    wait_until(lambda: len(mailbox.taken) > begun)
    expect(site.client().post("/auth/forgot", json={"email": person}), 200)
    mailbox.wait(person, 2)
    taken = {recipient for recipient, _ in mailbox.taken[begun:]}
    mailbox.answer_mail = lambda _: "250 taken"
    assert not taken >= set(emails)
    wait_until(lambda: {recipient for recipient, _ in mailbox.taken[begun:]} >= set(emails))


@proves(MAIL, REFUSED)
def test_each_mail_can_end_invitations_to_its_address(site: Service, mailbox: Mailbox) -> None:
    email = address()
    assert results(site, [email]) == [INVITE]
    mail = mailbox.wait(email)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    url = mail["List-Unsubscribe"].strip("<>").replace(ORIGIN, site.url)
    assert "No more invitations" in text_of(mail)
    # Opening it changes nothing.
    page = httpx.get(url, headers={"Accept": "text/html"}, trust_env=False)
    assert (page.status_code, "No more invitations?" in page.text) == (200, True)
    assert results(site, [email], check=True) == [WAIT]
    for _ in range(2):
        assert httpx.post(url, trust_env=False).json() == {}
    done = httpx.post(url, headers={"Accept": "text/html", "Accept-Language": "ru"}, trust_env=False)
    assert "Приглашений больше не будет" in done.text
    assert httpx.post(f"{url}x", trust_env=False).status_code == 400
    for days in (0, 400):
        later(site, days * DAY_MS)
        assert results(site, [email.upper()]) == [("refused", "unsubscribed")]


@proves(SHOWN)
def test_an_address_is_cleared_once_it_is_not_needed(start_service: Callable[..., Service], mailbox: Mailbox) -> None:
    service = start_service(**settings_of(mailbox))
    used, ended, withdrawn, deleted = (address() for _ in range(4))
    assert results(service, [used, ended, withdrawn, deleted]) == [INVITE] * 4
    plain = expect(service.admin.post("/admin/invitations", json={"uses": 1}), 201)["id"]

    def shown() -> set[str]:
        with_email = listed(service, email="true")
        assert all(one["email"] is not None for one in with_email)
        without = listed(service, email="false")
        assert all(one["email"] is None for one in without)
        assert plain in {one["id"] for one in without}
        return {one["email"] for one in with_email}

    assert shown() == {used, ended, withdrawn, deleted}
    assert len(listed(service)) == 5
    expect(sign_up(service, used, token_of(mailbox, used)), 201)
    assert shown() == {ended, withdrawn, deleted}
    # They sign up without it.
    person: Person = service.user(email=deleted)
    expect(service.admin.post(f"/admin/users/{person.id}/delete"), 200)
    assert shown() == {ended, withdrawn}
    one = next(row["id"] for row in listed(service) if row["email"] == withdrawn)
    expect(service.admin.delete(f"/admin/invitations/{one}"), 200)

    for days, left in ((29, {ended, withdrawn}), (2, {ended}), (30, set())):
        service.clock.advance(days * DAY_MS)
        service.restart()
        wait_until(lambda left=left: shown() == left)  # type: ignore[misc] # the cell of this round
