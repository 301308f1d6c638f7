"""Decisions, "Users": nicknames that look alike, and names that the service gives people itself."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from foreknow.kernel.look_alikes import skeleton
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused

UNIQUE = (
    "decisions: E-mail addresses and nicknames (3–32 letters, digits, `_ . -`; never an `@`) are unique without "
    "regard to case, nicknames by skeleton too (UTS 39)."
)
RESERVED = (
    "decisions: What the service calls people itself (`Hidden trader`, `Deleted trader`, by skeleton) is 400 as a name "
    "or nickname."
)


def sign_up(nickname: str, name: str = "Ann") -> dict[str, Any]:
    email = f"{secrets.token_hex(8)}@example.org"
    return {"email": email, "password": PASSWORD, "name": name, "nickname": nickname}


@proves(UNIQUE)
@pytest.mark.parametrize(
    ("one", "other"),
    [("Alice", "Аlice"), ("alice", "АLICE"), ("Alice", "AIice"), ("bob", "b0b"), ("max", "Мax"), ("max", "rnax")],
)
def test_a_nickname_is_taken_by_one_that_looks_like_it(service: Service, one: str, other: str) -> None:
    mark = "".join(secrets.choice("bcdf") for _ in range(12))
    holder = expect(service.client().post("/auth/sign-up", json=sign_up(f"{one}_{mark}")), 201)
    looks_like_it = f"{other}_{mark}"

    refused(service.client().post("/auth/sign-up", json=sign_up(looks_like_it)), 409, "nickname_taken")
    refused(service.user().client.patch("/users/me", json={"nickname": looks_like_it}), 409, "nickname_taken")
    own = service.client(token=holder["access_token"])
    assert expect(own.patch("/users/me", json={"nickname": looks_like_it}), 200)["nickname"] == looks_like_it
    expect(own.patch("/users/me", json={"nickname": ""}), 200)
    expect(service.user().client.patch("/users/me", json={"nickname": f"{one}_{mark}"}), 200)


@proves(UNIQUE)
def test_of_many_look_alikes_at_once_one_is_taken(service: Service) -> None:
    people = [service.user() for _ in range(6)]
    mark = "".join(secrets.choice("bcdf") for _ in range(12))
    names = [f"{name}_{mark}" for name in ("paypal", "pаypal", "раураl", "PAYPAL", "paypaI", "рayраl")]
    shots = [("PATCH", "/users/me", {"json": {"nickname": name}}) for name in names]

    answers = service.together(shots, tokens=[person.token for person in people])
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 5]


@ONCE
@pytest.mark.parametrize(("one", "other"), [("Ivan", "Inan"), ("user_1", "user_2"), ("jörg", "jorg"), ("вася", "васа")])
def test_what_looks_different_is_another(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@proves(RESERVED)
@ONCE
@pytest.mark.parametrize("name", ["Deleted trader", "HIDDEN TRADER", "Dеleted  trader", "Hidden\u00a0trаder"])
def test_a_name_that_the_service_gives_is_not_to_be_had(service: Service, name: str) -> None:
    person = service.user()
    nickname = "_".join(name.split())

    for field, text in (("name", name), ("nickname", nickname), ("nickname", nickname.replace("_", ""))):
        answer = refused(person.client.patch("/users/me", json={field: text}), 400, "bad_request")
        assert list(answer["details"]["fields"]) == [field]
        refused(service.admin.patch(f"/admin/users/{person.id}", json={field: text}), 400, "bad_request")
        body = sign_up("") | {field: text}
        refused(service.client().post("/auth/sign-up", json=body), 400, "bad_request")
    expect(person.client.patch("/users/me", json={"name": "Trader"}), 200)
