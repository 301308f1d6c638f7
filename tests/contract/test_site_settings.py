"""Administration, "Settings": what is shown, what a change is, and what refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from foreknow.kernel.site_settings import SITE_SETTINGS
from foreknow.people.users.tables import users
from tests.contract.site_setting import PATH, change, seen_version, send, shown
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.sign_in import make_key

MAIL = {
    "smtp_url": SecretStr("smtp://127.0.0.1:9"),
    "email_from": "site@foreknow.test",
    "public_url": "https://foreknow.test",
}
NAMES = (
    "administration: - Names are the variables' in lower case, without the prefix, and only these: `site_name` "
    "(1–60, one line), `currency, languages, time_zone, read, sign_up, sign_up_domains` (≤"
)
ORDER = (
    "administration: - In this order: 400 (each sent field that is wrong alone or together with the rest, "
    "`details.fields` `changes.<name>`, the sentence that exit 2 has); `set_by_environment`; all as it is: 200, no "
    "line in the log, whatever `version`; another `version` than the present: 409 `invalid_state`;"
)


def log_of(service: Service) -> list[dict[str, Any]]:
    found = expect(service.admin.get("/admin/log", params={"action": "settings_changed"}), 200)["entries"]
    return [entry["details"] for entry in found]


@proves(
    NAMES,
    "administration: `sign_up_kopecks, grants_per_address, allowance, creators, creator_limit_kopecks, "
    "creators_trade, house_limit_kopecks, dispute_minutes, objections, trading, cors_origins` (≤",
    "administration: Values are the JSON of their type: lists as arrays, `currency` (with all five) and `allowance` "
    'as objects, numbers, else text (`"on"`, `"off"`).',
    "administration: GET /admin/settings → `{version, settings: [{name, value, default (beside the other values), "
    'source: "environment"|"site"|"default"}]}`, fresh on every server; PATCH there `{version, changes: {name: value, '
    "or null (unset)}}` (both needed; body ≤ 256 KiB) → 200 the same as GET then.",
    "administration: Addresses, secrets and alert URLs are the environment's alone.",
)
def test_all_settings_are_shown_with_what_sets_each(start_service: Callable[..., Service]) -> None:
    service = start_service(dispute_minutes=7, **MAIL)
    other = start_service(dispute_minutes=7, **MAIL)
    admin = service.admin
    before = expect(admin.get(PATH), 200)
    assert before["version"] == 0
    assert [one["name"] for one in before["settings"]] == list(SITE_SETTINGS)
    found = shown(admin)
    assert found["site_name"] == {
        "name": "site_name",
        "value": "Foreknow",
        "default": "Foreknow",
        "source": "default",
    }
    assert found["dispute_minutes"] | {"value": 7, "default": 0, "source": "environment"} == found["dispute_minutes"]
    assert found["currency"]["value"].keys() == {"code", "sign", "name", "name_ru", "decimals"}
    assert found["cors_origins"]["value"] == []
    assert found["allowance"]["value"] is None
    assert found["creators_trade"]["default"] == "on"

    wanted: dict[str, Any] = {
        "site_name": "Club",
        "currency": {"code": None, "sign": "¤", "name": "points", "name_ru": None, "decimals": 0},
        "cors_origins": ["https://bots.example", "HTTPS://Other.example:443"],
        "allowance": {"kopecks": 100, "every": "week", "up_to": 500},
        "creators": "members",
        "creator_limit_kopecks": 1_000,
    }
    answer = expect(send(admin, wanted, version=0), 200)
    assert answer == expect(admin.get(PATH), 200) == expect(other.client(with_token(service)).get(PATH), 200)
    assert answer["version"] == 1
    found = shown(admin)
    assert {found[name]["source"] for name in wanted} == {"site"}
    assert found["currency"]["value"] == {"code": None, "sign": "¤", "name": "points", "name_ru": "", "decimals": 0}
    assert found["cors_origins"]["value"] == ["https://bots.example", "https://other.example"]
    assert found["creators_trade"] | {"value": "off", "default": "off", "source": "default"} == found["creators_trade"]

    answer = expect(send(admin, dict.fromkeys(wanted)), 200)
    assert answer["settings"] == before["settings"]
    bodies: list[Any] = [{"changes": {}}, {"version": 2}, {"version": -1, "changes": {}}, {"version": 2, "changes": []}]
    for body in bodies:
        refused(admin.patch(PATH, json=body), 400, "bad_request")
    large = {"version": 2, "changes": {"sign_up_domains": ["x" * 300_000]}}
    refused(admin.patch(PATH, json=large), 413, "payload_too_large")
    many = [f"{'a' * 60}.{number}.example" for number in range(500)]
    assert expect(send(admin, {"sign_up_domains": many}), 200)["version"] == 3
    for name in ("smtp_url", "support_alert_urls", "public_url", "SITE_NAME", "objections"):
        assert f"changes.{name}" in refused(send(admin, {name: "x"}), 400, "bad_request")["details"]["fields"]


def with_token(service: Service) -> str:
    return service.admin.headers["Authorization"].removeprefix("Bearer ")


@proves("administration: **Settings** (admin; a session, no key; asks for no verification).")
def test_admins_alone_change_them_and_verified_or_not(start_service: Callable[..., Service]) -> None:
    service = start_service(email_verification="on", **MAIL)
    admin, person = service.user(admin=True), service.user(operator=True)
    for client in (person.client, service.client(make_key(service.admin)["key"])):
        refused(client.get(PATH), 403, "forbidden")
        refused(client.patch(PATH, json={"version": 0, "changes": {}}), 403, "forbidden")
    refused(service.client().get(PATH), 401, "unauthorized")
    assert expect(admin.client.get("/users/me"), 200)["email_verified"] is False
    assert expect(send(admin.client, {"site_name": "Club"}), 200)["version"] == 1


@proves(
    ORDER,
    "administration: (1–60, one line)",
    "administration: (≤ 500)",
    "administration: (≤ 50)",
)
@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"site_name": ""}, {"site_name": "FOREKNOW_SITE_NAME has at least 1 characters"}),
        ({"site_name": "x" * 61}, {"site_name": "FOREKNOW_SITE_NAME has at most 60 characters"}),
        ({"site_name": "two\nlines"}, {"site_name": "FOREKNOW_SITE_NAME is wrong: a name is one line with"}),
        ({"site_name": 7}, {"site_name": "FOREKNOW_SITE_NAME is a text"}),
        ({"sign_up_kopecks": "7"}, {"sign_up_kopecks": "FOREKNOW_SIGN_UP_KOPECKS is a whole number"}),
        ({"sign_up_kopecks": True}, {"sign_up_kopecks": "FOREKNOW_SIGN_UP_KOPECKS is a whole number"}),
        ({"cors_origins": "https://a.example"}, {"cors_origins": "FOREKNOW_CORS_ORIGINS is a list"}),
        (
            {"cors_origins": ["https://a.example,https://b.example"]},
            {"cors_origins": "FOREKNOW_CORS_ORIGINS is a list"},
        ),
        (
            {"cors_origins": [f"https://{number}.example" for number in range(51)]},
            {"cors_origins": "FOREKNOW_CORS_ORIGINS is wrong: it has at most 50"},
        ),
        (
            {"sign_up_domains": [f"d{number}.example" for number in range(501)]},
            {"sign_up_domains": "FOREKNOW_SIGN_UP_DOMAINS is wrong: it has at most 500"},
        ),
        ({"cors_origins": [""]}, {"cors_origins": "FOREKNOW_CORS_ORIGINS is a list"}),
        ({"sign_up_domains": ["", "a.example"]}, {"sign_up_domains": "FOREKNOW_SIGN_UP_DOMAINS is a list"}),
        (
            {"currency": {"code": None, "sign": "p", "name": "points", "name_ru": "", "decimals": 2.0}},
            {"currency": "FOREKNOW_CURRENCY is"},
        ),
        ({"time_zone": "Mars/Base"}, {"time_zone": "FOREKNOW_TIME_ZONE is wrong: it is the IANA name"}),
        ({"currency": {"sign": "¤"}}, {"currency": "FOREKNOW_CURRENCY.name is missing"}),
        ({"creators": "members"}, {"creators": "FOREKNOW_CREATORS=members needs FOREKNOW_CREATOR_LIMIT_KOPECKS"}),
        (
            {"sign_up_domains": ["ours.example"], "read": "friends", "site_name": "Club"},
            {"sign_up_domains": "FOREKNOW_SIGN_UP_DOMAINS needs", "read": "FOREKNOW_READ is 'all' or 'members'"},
        ),
        (
            {"dispute_minutes": -1, "creators": "members", "creator_limit_kopecks": 0},
            {
                "dispute_minutes": "FOREKNOW_DISPUTE_MINUTES is at least 0",
                "creators": "FOREKNOW_CREATORS=members needs",
                "creator_limit_kopecks": "FOREKNOW_CREATORS=members needs",
            },
        ),
    ],
)
def test_each_wrong_field_is_named(sqlite_service: Service, changes: dict[str, Any], wrong: dict[str, str]) -> None:
    admin = sqlite_service.admin
    # The version is looked at later.
    error = refused(send(admin, changes, version=99), 400, "bad_request")
    fields = error["details"]["fields"]
    assert fields.keys() == {f"changes.{name}" for name in wrong}
    for name, text in wrong.items():
        assert fields[f"changes.{name}"].startswith(text), fields
    assert seen_version(admin) == 0


@proves(
    ORDER,
    "administration: - What the environment or `foreknow.env` names counts (the answering server's; all have the "
    "same), and what is stored under that name rests; PATCH of it is 409 `set_by_environment` (`details.names`), null "
    "is taken.",
)
def test_what_the_environment_names_counts_and_what_is_stored_rests(start_service: Callable[..., Service]) -> None:
    first = start_service()
    change(first, site_name="Stored", read="all")
    first.stop()
    service = start_service(site_name="Named", sign_up="on")
    admin = service.admin
    found = shown(admin)["site_name"]
    assert (found["value"], found["source"]) == ("Named", "environment")
    error = refused(
        send(admin, {"site_name": "X", "sign_up": "off", "read": "all"}, version=99), 409, "set_by_environment"
    )
    assert error["details"]["names"] == ["site_name", "sign_up"]
    refused(send(admin, {"site_name": 7, "sign_up": "off"}, version=99), 400, "bad_request")
    # As it is, whatever the version.
    before = len(log_of(service))
    assert expect(send(admin, {"read": "all", "sign_up": None}, version=99), 200)["version"] == 1
    assert len(log_of(service)) == before
    assert expect(send(admin, {"site_name": None}), 200)["version"] == 2
    service.stop()
    assert shown(start_service().admin)["site_name"]["source"] == "default"


@proves(
    ORDER,
    "administration: One transaction with its line (`settings_changed`, old and new); all other admins are told "
    "(`settings_changed`, mail `now`).",
)
def test_a_change_is_logged_and_all_other_admins_are_notified(start_service: Callable[..., Service]) -> None:
    service = start_service()
    admin, other, person = service.admin, service.user(admin=True), service.user(operator=True)
    expect(send(admin, {"site_name": "Club", "read": "members"}, version=0), 200)
    refused(send(admin, {"site_name": "Other"}, version=0), 409, "invalid_state")
    expect(send(other.client, {"site_name": None, "dispute_minutes": 5}, version=1), 200)
    assert log_of(service) == [
        {"old": {"site_name": "Club", "dispute_minutes": None}, "new": {"site_name": None, "dispute_minutes": 5}},
        {"old": {"site_name": None, "read": None}, "new": {"site_name": "Club", "read": "members"}},
    ]
    for client, count in ((admin, 1), (other.client, 1), (person.client, 0)):
        notices = expect(client.get("/notifications"), 200)["notifications"]
        assert [one["type"] for one in notices] == ["settings_changed"] * count
    assert expect(admin.get("/users/me/notification-settings"), 200)["settings_changed"] == {
        "app": True,
        "email": "now",
    }


@proves(
    ORDER,
    "administration: `currency` with another `code` (by null too) once the ledger has an entry: 409 `invalid_state`",
)
def test_the_ledgers_currency_keeps_its_code(start_service: Callable[..., Service]) -> None:
    service = start_service()
    points = {"sign": "¤", "name": "points", "decimals": 0}
    euros = {"code": "EUR", "sign": "€", "name": "euros"}
    change(service, currency=points)
    change(service, currency=euros)
    service.user(balance_kopecks=100)
    for wanted in (points, None, euros | {"code": "USD"}):
        refused(send(service.admin, {"currency": wanted}), 409, "invalid_state")
    answer = change(service, currency=euros | {"name": "Euro", "name_ru": "евро"})
    assert answer["version"] == 3
    assert expect(service.client().get("/site"), 200)["currency"]["name_ru"] == "евро"


@proves(
    ORDER,
    "administration: a change by which its maker ceases to count as verified: 409 `email_not_verified`.",
)
def test_no_admin_shuts_themselves_out(start_service: Callable[..., Service]) -> None:
    service = start_service(**MAIL)
    admin = service.user(admin=True)
    domains = {"sign_up_domains": ["example.org"]}
    refused(send(admin.client, domains), 409, "email_not_verified")
    refused(send(admin.client, domains, version=99), 409, "invalid_state")
    service.server.run(
        service.app.db.write(
            lambda tx: tx.execute(users.update().where(users.c.id == admin.id).values(email_verified=True))
        )
    )
    assert expect(send(admin.client, domains), 200)["version"] == 1


@proves("administration: **Settings**")
def test_of_admins_at_once_one_changes_them(fresh_service: Service) -> None:
    service = fresh_service
    shots = [("PATCH", PATH, {"json": {"version": 0, "changes": {"site_name": f"Club {n}"}}}) for n in range(6)]
    answers = service.together(shots, tokens=[with_token(service)])
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 5]
    assert seen_version(service.admin) == 1
