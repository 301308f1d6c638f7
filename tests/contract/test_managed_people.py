"""A site of one's own: what admins see and change of people, and all of them as one file."""

from __future__ import annotations

import csv
import io

import pytest

from foreknow.site.admin import user_routes
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

PEOPLE = (
    "site: PATCH + `name, nickname, avatar_url`; `Accept: text/csv`: all that match, with `trades, realized_kopecks` "
    "(all time), as partners' statements are |"
)
CSV = {"Accept": "text/csv"}


@proves(PEOPLE)
def test_an_admin_corrects_a_profile(service: Service) -> None:
    person, other = service.user(), service.user()
    path = f"/admin/users/{person.id}"
    changes = {"name": "Ann", "nickname": f"new_{person.id}", "avatar_url": "https://example.org/a.png"}
    shown = expect(service.admin.patch(path, json=changes | {"is_operator": True}), 200)
    assert {name: shown[name] for name in changes} == changes
    assert (shown["is_operator"], shown["email_verified"]) == (True, False)
    assert expect(person.client.get("/users/me"), 200)["name"] == "Ann"

    refused(service.admin.patch(path, json={"nickname": other.nickname.upper()}), 409, "nickname_taken")
    for wrong in ({"name": " "}, {"nickname": "a b"}, {"avatar_url": "x"}, {"email": "a@example.org"}):
        refused(service.admin.patch(path, json=wrong), 400, "bad_request")
    assert expect(service.admin.patch(path, json={"nickname": "", "avatar_url": ""}), 200)["nickname"] == ""
    log = expect(service.admin.get("/admin/log", params={"target": f"user:{person.id}", "limit": 2}), 200)["entries"]
    assert [entry["details"] for entry in log] == [
        {"fields": ["avatar_url", "nickname"]},
        {"fields": ["avatar_url", "name", "nickname"]},
    ]


@proves(PEOPLE)
def test_all_people_that_match_come_as_one_file(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_routes, "PIECE_PEOPLE", 2)
    mark = service.user().nickname.rpartition("_")[2]
    people = [service.user(name=f"=Trader {mark} {number}", balance_kopecks=1_000) for number in range(5)]
    event = service.event()
    expect(bet(people[0], event["pools"][0]["markets"][0]["id"], "YES", 1_000), 201)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)

    def rows(**query: str) -> list[dict[str, str]]:
        answer = service.admin.get("/admin/users", params=query, headers=CSV)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/csv")
        return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))

    wait_until(lambda: rows(q=f"trader {mark}")[-1]["realized_kopecks"] == "-1000")
    found = rows(q=f"trader {mark}", limit="1")
    assert [int(row["id"]) for row in found] == [person.id for person in reversed(people)]
    listed = expect(service.admin.get("/admin/users", params={"q": f"trader {mark}"}), 200)["users"]
    assert list(found[0]) == [*listed[0], "trades", "realized_kopecks"]
    assert found[-1]["name"] == f"'=Trader {mark} 0"
    assert (found[-1]["trades"], found[-1]["is_active"], found[0]["trades"]) == ("1", "true", "0")
    everyone = [row["id"] for row in rows()]
    assert len(everyone) == len(set(everyone)) > 5
    assert {row["is_admin"] for row in rows(role="admin")} == {"true"}
    refused(people[0].client.get("/admin/users", headers=CSV), 403, "forbidden")
