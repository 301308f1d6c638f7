"""A site of one's own: who may make an account, and invitations, on a site that is entered by invitation alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from pydantic import SecretStr, ValidationError

from foreknow.kernel.settings import Settings
from foreknow.people.users.password_check import FRESH_MS
from foreknow.people.users.tables import users
from tests.support.kinds import ONCE
from tests.support.oidc import PUBLIC_URL, Browser, new_identity
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, refused

MODES = "site: `FOREKNOW_SIGN_UP`: `on`, `off`, `invite`."
DOMAINS = "site: `FOREKNOW_SIGN_UP_DOMAINS` (exact, by commas; of the invited too) turns verification on."
SITE = "site: GET /site + `invitation_only, domains, passwords` (bool); `sign_up` false: `off`."
TAKES = "site: Sign-up takes `invitation` and `terms`; /auth/oauth/{provider} by query, for a new account."
ORDER = (
    "site: Refused in this order: 403 `sign_up_closed`, `domain_not_allowed`, `invitation_required`; 409 "
    "`invitation_used` (unknown, expired, withdrawn too; where none is needed too), `terms_required`; then "
    "`email_taken`."
)
COUNTS = "site: A use counts in that transaction, never more than `uses`."
INVITE = (
    "site: | POST /admin/invitations | `{uses: 1 … 10,000, expires_at?, credit_kopecks? (0; beside Welcome, once an "
    "e-mail address as that, note `Invitation`), creator? (false), note?}` → 201 Invitation with `url` "
    "(`/invite/TOKEN`, begun as reset links are), shown once |"
)
LISTED = (
    "site: | GET /admin/invitations; DELETE …/{id} | page `invitations`: `{id, uses, used, expires_at, withdrawn_at, "
    "credit_kopecks, creator, note, created_at}`; 200 Invitation, twice too; 404 `invitation_not_found` |"
)
OFFER = (
    "site: | POST /auth/invitation (None) | `{token}` (of `/invite/TOKEN`) → 200 `{by: PublicUser (who made it), "
    "creator, grant_kopecks, credit_kopecks (0 where there is none to be had), expires_at}`; 409 `invitation_used`; "
    "nothing is counted |"
)
PASSWORDS = (
    "site: `FOREKNOW_PASSWORDS=admins`: others come through a provider alone, their passwords are 403 `password_off`, "
    "as sign-up and forgot are, at sign-in 401."
)
OWN = {"Sec-Fetch-Site": "same-origin"}
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def club(module_database_url: str, oauth_settings: dict[str, Any]) -> Iterator[Service]:
    """A site for the invited, with addresses of two domains alone."""
    running = Service(
        module_database_url,
        sign_up="invite",
        sign_up_domains="Example.org, straße.example",
        # Domains require verified addresses, and those mail. No server answers there.
        smtp_url=SecretStr("smtp://127.0.0.1:9"),
        email_from="club@example.org",
        **oauth_settings,
    )
    yield running
    running.stop()


def invite(service: Service, **order: Any) -> dict[str, Any]:
    """Make an invitation, for one account where the test does not say."""
    made: dict[str, Any] = expect(service.admin.post("/admin/invitations", json={"uses": 1} | order), 201)
    return made


def token_of(made: dict[str, Any]) -> str:
    return str(made["url"]).rpartition("/")[2]


def newcomer(**fields: Any) -> dict[str, Any]:
    number = next(_NUMBERS)
    return {"email": f"newcomer_{number}@example.org", "password": PASSWORD, "name": f"Newcomer {number}"} | fields


def sign_up(service: Service, **fields: Any) -> httpx.Response:
    return service.client().post("/auth/sign-up", json=newcomer(**fields))


def shown(service: Service, invitation_id: int) -> dict[str, Any]:
    listed = expect(service.admin.get("/admin/invitations", params={"limit": 100}), 200)["invitations"]
    found: dict[str, Any] = next(each for each in listed if each["id"] == invitation_id)
    return found


def offered(service: Service, token: str) -> httpx.Response:
    return service.client().post("/auth/invitation", json={"token": token})


@proves(MODES, SITE, DOMAINS)
@ONCE
def test_a_site_says_what_it_asks_of_newcomers(club: Service, service: Service) -> None:
    def says(which: Service) -> list[Any]:
        site = expect(which.client().get("/site"), 200)
        return [site[name] for name in ("sign_up", "invitation_only", "domains", "passwords")]

    assert says(club) == [True, True, ["example.org", "straße.example"], True]
    assert says(service) == [True, False, [], True]


@proves(ORDER, TAKES, DOMAINS)
@ONCE
def test_newcomers_are_refused_in_the_order_of_the_contract(club: Service) -> None:
    taken = newcomer(invitation=token_of(invite(club)))
    expect(club.client().post("/auth/sign-up", json=taken), 201)
    again = token_of(invite(club))

    for email in ("a@mail.example.org", "a@example.org.evil", "a@strasse.example", "a@example"):
        answer = sign_up(club, email=email, invitation=again)
        refused(answer, 403, "domain_not_allowed")
        assert answer.json()["details"] == {"domains": ["example.org", "straße.example"]}
    refused(sign_up(club, email="a@elsewhere.test"), 403, "domain_not_allowed")
    refused(sign_up(club, email=taken["email"]), 403, "invitation_required")
    refused(sign_up(club, email=taken["email"], invitation=taken["invitation"]), 409, "invitation_used")
    refused(sign_up(club, email=taken["email"].upper(), invitation=again), 409, "email_taken")
    expect(sign_up(club, email=f"b{next(_NUMBERS)}@Straße.Example", invitation=again), 201)


@proves(DOMAINS)
@ONCE
def test_domains_ask_newcomers_to_verify_their_address(club: Service) -> None:
    made = expect(sign_up(club, email=f"c{next(_NUMBERS)}@example.org", invitation=token_of(invite(club))), 201)
    client = club.client(token=made["access_token"])

    assert not expect(client.get("/users/me"), 200)["email_verified"]
    refused(client.post("/comments", json={"event_id": 1, "content": "Hello"}), 403, "email_not_verified")


@proves(ORDER)
def test_an_invitation_that_is_unknown_expired_or_withdrawn_is_used(club: Service) -> None:
    soon = datetime.fromtimestamp(club.clock() / 1000, UTC) + timedelta(seconds=90)
    expiring, withdrawn = invite(club, expires_at=soon.isoformat(), uses=9), invite(club, uses=9)
    expect(club.admin.delete(f"/admin/invitations/{withdrawn['id']}"), 200)

    expect(sign_up(club, invitation=token_of(expiring)), 201)
    club.clock.advance(95_000)
    refused(sign_up(club, invitation=token_of(expiring)), 409, "invitation_used")
    for bad in (token_of(withdrawn), "unknown", "", "x" * 10_000, "\u0436"):
        refused(sign_up(club, invitation=bad), 409, "invitation_used")
    assert shown(club, withdrawn["id"])["used"] == 0


@proves(ORDER, COUNTS)
def test_an_invitation_counts_too_where_none_is_needed(service: Service) -> None:
    made = invite(service, uses=2)
    refused(sign_up(service, invitation="unknown"), 409, "invitation_used")
    expect(sign_up(service, invitation=token_of(made)), 201)
    assert shown(service, made["id"])["used"] == 1


@proves(COUNTS)
def test_of_many_at_once_no_more_come_in_than_an_invitation_has_uses(club: Service) -> None:
    made = invite(club, uses=5)
    shots = [("POST", "/auth/sign-up", {"json": newcomer(invitation=token_of(made))}) for _ in range(16)]
    answers = club.together(shots)

    assert sorted(answer.status_code for answer in answers) == [201] * 5 + [409] * 11
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"invitation_used"}
    assert shown(club, made["id"])["used"] == 5


@proves(INVITE)
def test_an_invitation_is_shown_once_with_its_link(club: Service, service: Service) -> None:
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(days=7)
    made = invite(club, uses=10_000, expires_at=until.isoformat(), credit_kopecks=500, creator=True, note="Class 9b")

    url = made.pop("url")
    assert url.startswith(f"{PUBLIC_URL}/invite/")
    assert invite(service)["url"].startswith("/invite/")
    assert made == {
        "id": made["id"],
        "uses": 10_000,
        "used": 0,
        "expires_at": until.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "withdrawn_at": None,
        "credit_kopecks": 500,
        "creator": True,
        "note": "Class 9b",
        "created_at": made["created_at"],
        "email": None,
    }
    assert shown(club, made["id"]) == made
    plain = invite(club)
    assert [plain[name] for name in ("expires_at", "credit_kopecks", "creator", "note")] == [None, 0, False, ""]


@proves(OFFER)
def test_who_holds_a_link_sees_who_invites_and_what_is_offered(club: Service) -> None:
    until = datetime.fromtimestamp(club.clock() / 1000, UTC).replace(microsecond=0) + timedelta(seconds=90)
    made = invite(club, credit_kopecks=500, creator=True, note="Class 9b", expires_at=until.isoformat())
    offer = offered(club, token_of(made))
    by = expect(offer, 200).pop("by")

    me = expect(club.admin.get("/users/me"), 200)
    assert by == {name: me[name] for name in ("id", "name", "nickname", "profile_hidden", "avatar_url")}
    assert {**offer.json(), "by": by} == {
        "by": by,
        "creator": True,
        "grant_kopecks": 0,
        "credit_kopecks": 500,
        "email": None,
        "name": None,
        "expires_at": until.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    }
    assert shown(club, made["id"])["used"] == 0
    expect(sign_up(club, invitation=token_of(made)), 201)
    refused(offered(club, token_of(made)), 409, "invitation_used")


@proves(OFFER)
@ONCE
def test_a_dead_link_offers_nothing(club: Service) -> None:
    soon = datetime.fromtimestamp(club.clock() / 1000, UTC) + timedelta(seconds=90)
    expiring, withdrawn = invite(club, expires_at=soon.isoformat()), invite(club)
    expect(club.admin.delete(f"/admin/invitations/{withdrawn['id']}"), 200)
    club.clock.advance(95_000)

    for bad in (token_of(expiring), token_of(withdrawn), "unknown", "", "x" * 10_000, "\u0436"):
        refused(offered(club, bad), 409, "invitation_used")
    refused(club.client().post("/auth/invitation", json={}), 400, "bad_request")


@proves(INVITE)
@ONCE
@pytest.mark.parametrize(
    "wrong",
    [
        {"uses": 0},
        {"uses": 10_001},
        {"uses": None},
        {"credit_kopecks": -1},
        {"credit_kopecks": 9 * 10**15 + 1},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "2120-01-01T00:00:00"},
        {"note": "x" * 501},
        {"more": 1},
    ],
)
def test_an_order_for_an_invitation_is_checked(club: Service, wrong: dict[str, Any]) -> None:
    refused(club.admin.post("/admin/invitations", json={"uses": 1} | wrong), 400, "bad_request")


@proves(LISTED)
def test_an_invitation_is_withdrawn_permanently_and_all_of_it_is_logged(club: Service) -> None:
    invite(club)
    made = invite(club, uses=3)
    withdrawn = expect(club.admin.delete(f"/admin/invitations/{made['id']}"), 200)
    assert withdrawn["withdrawn_at"] is not None
    assert expect(club.admin.delete(f"/admin/invitations/{made['id']}"), 200) == withdrawn
    refused(club.admin.delete("/admin/invitations/999999"), 404, "invitation_not_found")
    refused(club.admin.delete("/admin/invitations/0"), 400, "invalid_invitation_id")

    page = expect(club.admin.get("/admin/invitations", params={"limit": 1}), 200)
    assert page["invitations"] == [withdrawn]
    assert page["has_more"]
    log = expect(club.admin.get("/admin/log", params={"target": f"invitation:{made['id']}"}), 200)["entries"]
    assert [entry["action"] for entry in log] == ["invitation.withdraw", "invitation.add"]
    assert log[1]["details"] == {"uses": 3, "credit_kopecks": 0, "creator": False}
    member = club.user(invitation=token_of(invite(club)))
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", f"/{made['id']}")):
        refused(member.client.request(method, f"/admin/invitations{path}"), 403, "forbidden")


@proves(INVITE)
def test_an_invitation_makes_creators_where_it_says_so(club: Service) -> None:
    for creator in (False, True):
        made = expect(sign_up(club, invitation=token_of(invite(club, creator=creator))), 201)
        assert made["user"]["is_creator"] is creator


@proves(TAKES, ORDER)
def test_newcomers_from_a_provider_bring_theirs_along(club: Service) -> None:
    sub, identity = new_identity()
    made = invite(club, creator=True)
    for query, status, code in (
        ({}, 403, "invitation_required"),
        ({"invitation": "unknown"}, 409, "invitation_used"),
    ):
        refused(Browser(club).sign_in(sub, identity, **query), status, code)
    outside, elsewhere = new_identity(), {"email": "someone@elsewhere.test"}
    refused(Browser(club).sign_in(outside[0], outside[1] | elsewhere), 403, "domain_not_allowed")
    refused(Browser(club).client.get("/auth/oauth/mock", params={"invitation": "x" * 129}), 400, "bad_request")

    browser = Browser(club)
    answer = browser.sign_in(sub, identity, invitation=token_of(made), terms="2026-03-01", return_to="/events/7")
    assert answer.headers["location"] == f"{PUBLIC_URL}/events/7"
    assert browser.me()["is_creator"]
    assert shown(club, made["id"])["used"] == 1
    # Who has an account needs none, and what they bring is not looked at.
    assert Browser(club).sign_in(sub, identity, invitation=token_of(made)).status_code == 303


@proves(MODES, ORDER)
@ONCE
def test_where_sign_up_is_closed_no_invitation_opens_it(
    start_service: Callable[..., Service], oauth_settings: dict[str, Any]
) -> None:
    closed = start_service(sign_up="off", sign_up_domains="example.org", **oauth_settings)
    made = invite(closed)
    for email in ("a@example.org", "a@elsewhere.test"):
        refused(sign_up(closed, email=email, invitation=token_of(made)), 403, "sign_up_closed")
    refused(Browser(closed).sign_in(*new_identity(), invitation=token_of(made)), 403, "sign_up_closed")
    assert shown(closed, made["id"])["used"] == 0


@proves("site: sign-up needs and keeps it", ORDER)
@ONCE
def test_newcomers_agree_to_the_terms_as_they_are(start_service: Callable[..., Service], tmp_path: Path) -> None:
    (tmp_path / "terms.en.md").write_text("Be fair.")
    fair = start_service(site_dir=tmp_path)
    version = expect(fair.client().get("/site"), 200)["terms"]
    taken = newcomer(terms=version)
    made = expect(fair.client().post("/auth/sign-up", json=taken), 201)
    kept = sa.select(users.c.terms_version).where(users.c.id == made["user"]["id"])
    assert fair.look(lambda tx: tx.execute(kept).scalar_one()) == version

    invitation = invite(fair)
    for terms in (None, "", version + "0"):
        answer = sign_up(fair, email=taken["email"], invitation=token_of(invitation), terms=terms)
        refused(answer, 409, "terms_required")
        assert answer.json()["details"] == {"terms": version}
    refused(sign_up(fair, invitation="unknown"), 409, "invitation_used")
    assert shown(fair, invitation["id"])["used"] == 0


@proves(PASSWORDS)
@ONCE
def test_where_only_admins_have_passwords_all_others_come_through_a_provider(
    start_service: Callable[..., Service], oauth_settings: dict[str, Any], database_url: str
) -> None:
    before = Service(database_url)
    member = before.user()
    before.stop()
    service = start_service(passwords="admins", **oauth_settings)
    assert not expect(service.client().get("/site"), 200)["passwords"]
    refused(sign_up(service), 403, "password_off")
    login = {"login": member.email, "password": PASSWORD}
    refused(service.client().post("/auth/sign-in", json=login), 401, "invalid_credentials")
    link = f"/admin/users/{member.id}/reset-link"
    refused(service.admin.post(link), 403, "password_off")

    browser = Browser(service)
    assert browser.sign_in(*new_identity()).status_code == 303
    for body in ({"old": "", "new": "a new one of mine"}, {"broken": 1}):
        refused(browser.client.put("/users/me/password", json=body, headers=OWN), 403, "password_off")
    # Admins keep theirs.
    expect(service.admin.patch(f"/admin/users/{member.id}", json={"is_admin": True}), 200)
    expect(service.client().post("/auth/sign-in", json=login), 200)
    token = str(expect(service.admin.post(link), 200)["url"]).rpartition("/")[2]
    expect(service.admin.patch(f"/admin/users/{member.id}", json={"is_admin": False}), 200)
    refused(service.client().post("/auth/reset", json={"token": token, "password": "another one"}), 403, "password_off")


@proves(PASSWORDS, DOMAINS)
@pytest.mark.parametrize(
    "wrong", [{"passwords": "admins"}, {"sign_up_domains": "a@b"}, {"sign_up_domains": "a.example"}]
)
def test_a_setting_without_what_it_needs_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**wrong)


@proves(PASSWORDS)
@ONCE
def test_where_only_admins_have_passwords_others_leave_without_theirs(
    start_service: Callable[..., Service], oauth_settings: dict[str, Any], database_url: str
) -> None:
    before = Service(database_url)
    member, admin = before.user(), before.user(admin=True)
    before.stop()
    service = start_service(passwords="admins", **oauth_settings)
    # Another admin, so that this one may leave.
    expect(service.admin.get("/users/me"), 200)

    def leave(person: Person, password: str) -> httpx.Response:
        return service.client(token=person.token).post("/users/me/delete", json={"password": password})

    # Theirs counts for nothing, as if there were none; an admin's does.
    refused(leave(member, PASSWORD), 401, "invalid_credentials")
    refused(leave(admin, ""), 401, "invalid_credentials")
    service.clock.advance(FRESH_MS)
    refused(leave(member, ""), 409, "sign_in_again")
    service.clock.advance(-FRESH_MS)
    expect(leave(member, ""), 200)
    expect(leave(admin, PASSWORD), 200)
