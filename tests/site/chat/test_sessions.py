"""Whose session it is: cookies, sign-ins, and many at once."""

from __future__ import annotations

import re

import httpx
import pytest
import sqlalchemy as sa

from foreknow.site.chat.tables import chat_messages, chat_sessions
from foreknow.site.chat.tokens import COOKIE
from tests.site.chat.conversation import (
    answer,
    begin,
    close,
    cookie_of,
    has_no_session,
    heard,
    say,
    sign_in,
    status,
    with_cookie,
)
from tests.support.http import NO_TLS
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.service import Service, Shot, expect, refused


def set_cookie(made: httpx.Response) -> str | None:
    """Return the Set-Cookie header of the chat, if any."""
    found = [one for one in made.headers.get_list("set-cookie") if one.startswith(f"{COOKIE}=")]
    assert len(found) <= 1
    return found[0] if found else None


def value_of(made: httpx.Response) -> str:
    """Return the chat cookie that an answer sets."""
    return (set_cookie(made) or "").partition("=")[2].partition(";")[0]


def test_a_session_begins_with_a_cookie_of_128_random_bits(service: Service) -> None:
    seen = set()
    for _ in range(3):
        made = service.client().post("/chat/session")
        assert expect(made, 201)["messages"] == []
        header = set_cookie(made) or ""
        assert re.fullmatch(r"[0-9a-f]{32}", value_of(made))
        assert "; HttpOnly" in header
        assert "; SameSite=Lax" in header
        assert "; Path=/" in header
        assert "Secure" not in header
        seen.add(value_of(made))
    assert len(seen) == 3


@ONCE
def test_over_https_the_cookie_is_secure(start_service: type) -> None:
    made = start_service(cookie_secure=True).client().post("/chat/session")
    assert "; Secure" in (set_cookie(made) or "")


def test_asking_again_gives_the_active_session_and_no_new_cookie(service: Service) -> None:
    visitor = service.client()
    session_id, message = begin(visitor), say(visitor)
    again = visitor.post("/chat/session")
    assert expect(again, 200) == {"session_id": session_id, "status": "open", "messages": [message]}
    assert set_cookie(again) is None


def test_after_closing_a_new_session_has_a_new_cookie(service: Service) -> None:
    visitor = service.client()
    first, old = begin(visitor), cookie_of(visitor)
    close(service, first)
    assert has_no_session(visitor)
    assert begin(visitor) != first
    assert cookie_of(visitor) != old


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("value", ["", "x", "0" * 32, "f" * 31, "F" * 32, "0" * 4_000, "%00", "é"])
def test_an_unknown_cookie_is_never_adopted(service: Service, value: str) -> None:
    header = {b"Cookie": f"{COOKIE}={value}".encode()}
    with httpx.Client(base_url=service.api_url, headers=header, trust_env=False, verify=NO_TLS) as planted:
        assert has_no_session(planted)
        made = planted.post("/chat/session")
        expect(made, 201)
        assert value_of(made) != value
        assert has_no_session(planted)


def test_the_cookie_is_stored_hashed(service: Service) -> None:
    visitor = service.client()
    session_id, value = begin(visitor), cookie_of(visitor)
    query = sa.select(chat_sessions).where(chat_sessions.c.id == session_id)
    row = service.look(lambda tx: tx.execute(query).one())
    assert value not in str(row)
    assert has_no_session(with_cookie(service, row.cookie_hash))


def test_one_visitor_sees_nothing_of_another(service: Service) -> None:
    one, other = service.client(), service.client()
    begin(one)
    say(one)
    begin(other)
    assert heard(other) == []


def test_signing_in_binds_the_session_under_a_new_cookie(service: Service) -> None:
    visitor, person = service.client(), service.user()
    session_id, message, old = begin(visitor), say(visitor), cookie_of(visitor)
    made = sign_in(visitor, person)
    new = cookie_of(visitor)
    assert new != old
    assert "; HttpOnly" in (set_cookie(made) or "")
    assert heard(visitor) == [message]
    # Neither cookie opens it any more without the user …
    assert has_no_session(with_cookie(service, old))
    assert has_no_session(with_cookie(service, new))
    # … nor with another one, and the user needs none.
    assert has_no_session(with_cookie(service, new, token=service.user().token))
    assert expect(person.client.post("/chat/session"), 200)["session_id"] == session_id
    assert heard(person.client) == [message]


def test_signing_up_binds_the_session_too(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    message, old = say(visitor), cookie_of(visitor)
    body = {"email": f"{old}@example.org", "password": "correct horse", "name": "New here"}
    expect(visitor.post("/auth/sign-up", json=body), 201)
    assert cookie_of(visitor) != old
    assert heard(visitor) == [message]
    assert has_no_session(with_cookie(service, old))


def test_a_failed_sign_in_binds_nothing(service: Service) -> None:
    visitor, person = service.client(), service.user()
    begin(visitor)
    message, old = say(visitor), cookie_of(visitor)
    refused(
        visitor.post("/auth/sign-in", json={"login": person.email, "password": "wrong"}), 401, "invalid_credentials"
    )
    assert cookie_of(visitor) == old
    assert heard(visitor) == [message]
    assert has_no_session(person.client)


def test_refreshing_binds_nothing(service: Service) -> None:
    visitor, person = service.client(), service.user()
    sign_in(visitor, person)
    visitor.cookies.delete("access_token")
    begin(visitor)
    old = cookie_of(visitor)
    assert set_cookie(visitor.post("/auth/refresh")) is None
    assert has_no_session(person.client)
    visitor.cookies.delete("access_token")
    assert cookie_of(visitor) == old
    assert heard(visitor) == []


def test_a_user_with_an_active_session_keeps_it_and_the_anonymous_one_stays_anonymous(service: Service) -> None:
    person, visitor = service.user(), service.client()
    own, own_message = begin(person.client), say(person.client)
    begin(visitor)
    message, cookie = say(visitor), cookie_of(visitor)
    assert set_cookie(sign_in(visitor, person)) is None
    assert heard(visitor) == [own_message]
    assert expect(visitor.post("/chat/session"), 200)["session_id"] == own
    assert heard(with_cookie(service, cookie)) == [message]


def test_a_users_closed_session_does_not_keep_another_from_being_bound(service: Service) -> None:
    person, visitor = service.user(), service.client()
    close(service, begin(person.client))
    session_id = begin(visitor)
    sign_in(visitor, person)
    assert expect(person.client.post("/chat/session"), 200)["session_id"] == session_id


def test_signed_out_the_bound_session_is_out_of_reach(service: Service) -> None:
    visitor, person = service.client(), service.user()
    begin(visitor)
    sign_in(visitor, person)
    expect(visitor.delete("/auth/logout"), 200)
    assert has_no_session(visitor)
    bound = cookie_of(visitor)
    begin(visitor)
    assert cookie_of(visitor) != bound


def test_a_session_begun_signed_in_is_the_users_at_once(service: Service) -> None:
    person = service.user()
    made = person.client.post("/chat/session")
    session_id = expect(made, 201)["session_id"]
    assert has_no_session(with_cookie(service, value_of(made)))
    elsewhere = service.client(token=service.sign_in(person.email, person.password))
    assert expect(elsewhere.post("/chat/session"), 200)["session_id"] == session_id


def test_who_is_signed_in_neither_reads_nor_writes_a_session_planted_by_cookie(service: Service) -> None:
    attacker, victim = service.client(), service.user()
    begin(attacker)
    say(attacker)
    planted = with_cookie(service, cookie_of(attacker), token=victim.token)
    assert has_no_session(planted)
    assert len(heard(attacker)) == 1


def test_a_planted_session_is_the_attackers_no_more_once_the_victim_takes_it(service: Service) -> None:
    """Beginning a chat while signed in binds what the cookie leads to, as signing in does."""
    attacker, victim = service.client(), service.user()
    session_id = begin(attacker)
    made = with_cookie(service, cookie_of(attacker), token=victim.token).post("/chat/session")
    assert expect(made, 200)["session_id"] == session_id
    assert set_cookie(made) is not None
    say(victim.client, "My secret.")
    assert has_no_session(attacker)
    assert expect(attacker.post("/chat/session"), 201)["session_id"] != session_id


def test_another_users_cookie_binds_nothing(service: Service) -> None:
    visitor, person, other = service.client(), service.user(), service.user()
    begin(visitor)
    sign_in(visitor, person)
    assert set_cookie(sign_in(with_cookie(service, cookie_of(visitor)), other)) is None
    assert has_no_session(other.client)


def test_a_user_who_begins_twenty_times_at_once_has_one_session(service: Service) -> None:
    person = service.user()
    answers = service.together([("POST", "/chat/session", {})] * 20, tokens=[person.token])
    assert sorted(one.status_code for one in answers) == [200] * 19 + [201]
    assert len({one.json()["session_id"] for one in answers}) == 1


def test_a_user_who_signs_in_on_many_devices_at_once_gets_one_of_their_sessions(service: Service) -> None:
    person = service.user()
    cookies = []
    for _ in range(6):
        visitor = service.client()
        begin(visitor)
        cookies.append(cookie_of(visitor))
    credentials = {"login": person.email, "password": person.password}
    answers = service.together(
        [("POST", "/auth/sign-in", {"json": credentials, "headers": {"Cookie": f"{COOKIE}={one}"}}) for one in cookies]
    )
    assert [one.status_code for one in answers] == [200] * 6
    assert len([one for one in answers if set_cookie(one)]) == 1
    assert len([one for one in cookies if has_no_session(with_cookie(service, one))]) == 1


def test_of_two_users_who_sign_in_with_one_cookie_at_once_one_gets_the_session(service: Service) -> None:
    visitor, people = service.client(), [service.user() for _ in range(4)]
    begin(visitor)
    cookie = {"Cookie": f"{COOKIE}={cookie_of(visitor)}"}
    answers = service.together(
        [
            ("POST", "/auth/sign-in", {"json": {"login": one.email, "password": one.password}, "headers": cookie})
            for one in people
        ]
    )
    assert [one.status_code for one in answers] == [200] * 4
    assert len([one for one in answers if set_cookie(one)]) == 1
    assert len([one for one in people if not has_no_session(one.client)]) == 1


def test_messages_written_at_once_all_stand_in_the_order_of_their_ids(service: Service) -> None:
    person = service.user()
    session_id = begin(person.client)
    texts = [f"Part {number}" for number in range(30)]
    service.together([("POST", "/chat/message", {"json": {"text": one}}) for one in texts], tokens=[person.token])
    found = heard(person.client)
    assert sorted(one["text"] for one in found) == sorted(texts)
    assert [one["id"] for one in found] == sorted(one["id"] for one in found)
    assert [one["created_at"] for one in found] == sorted(one["created_at"] for one in found)
    query = sa.select(chat_sessions.c.last_message_id).where(chat_sessions.c.id == session_id)
    assert service.look(lambda tx: tx.execute(query).scalar_one()) == found[-1]["id"]


def test_calling_an_operator_many_times_at_once_calls_one(service: Service) -> None:
    person = service.user()
    begin(person.client)
    answers = service.together([("POST", "/chat/session/call-operator", {})] * 10, tokens=[person.token])
    assert {one.status_code for one in answers} == {200}
    assert [one["sender"] for one in heard(person.client)] == ["system"]


def test_nothing_is_added_once_a_session_is_closed(service: Service) -> None:
    """Visitors who write while an operator closes: what was taken stands before the end, the rest is refused."""
    person = service.user()
    session_id = begin(person.client)
    shots: list[Shot] = [("POST", "/chat/message", {"json": {"text": "x"}})] * 15
    closing: Shot = ("POST", f"/admin/chat/sessions/{session_id}/close", {})
    admin = service.admin.headers["authorization"].removeprefix("Bearer ")
    mixed = [*shots[:7], closing, *shots[7:]]
    tokens = [person.token] * 7 + [admin] + [person.token] * 8
    answers = service.together(mixed, tokens=tokens)
    assert {one.status_code for one in answers} <= {200, 404}
    count = sa.select(sa.func.count()).where(chat_messages.c.session_id == session_id)
    written = [one for one in answers if one.status_code == 200 and one.json()]
    assert service.look(lambda tx: tx.execute(count).scalar_one()) == len(written)
    assert has_no_session(person.client)


def test_the_visitors_message_remembers_who_wrote_it(service: Service) -> None:
    visitor, person = service.client(), service.user()
    session_id = begin(visitor)
    say(visitor)
    sign_in(visitor, person)
    say(visitor)
    answer(service, session_id)
    query = sa.select(chat_messages.c.author_id).where(chat_messages.c.session_id == session_id).order_by("id")
    authors = service.look(lambda tx: tx.execute(query).scalars().all())
    assert authors[:2] == [None, person.id]
    assert authors[2] not in {None, person.id}
    assert status(visitor) == "answered"


@ONCE
@pytest.mark.parametrize("foreign", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}])
def test_a_form_of_another_site_begins_no_session_and_replaces_none(service: Service, foreign: dict[str, str]) -> None:
    # What a browser sends to another site by POST is without the cookie, which is SameSite=Lax.
    form = {**foreign, "Content-Type": "application/x-www-form-urlencoded"}
    made = service.client().post("/chat/session", content=b"a=1", headers=form)
    refused(made, 403, "cross_site")
    assert set_cookie(made) is None
    # Scripts that are no browser say nothing of sites, and those with a token in a header are no form.
    expect(service.client().post("/chat/session"), 201)
    expect(service.client().post("/chat/session", headers={"Sec-Fetch-Site": "same-origin"}), 201)
    expect(service.user().client.post("/chat/session", headers=foreign), 201)
