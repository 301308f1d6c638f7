"""Accounts: made whole or not at all, the same for everybody who makes one."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from pydantic import SecretStr

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest, Forbidden, Unauthorized
from foreknow.kernel.settings import Settings
from foreknow.money import stats
from foreknow.money.ledger import AccountKind, account_ids, balances_kopecks
from foreknow.people.users import (
    UserRow,
    accounts,
    add_user,
    ensure_first_admin,
    public_user,
    require_live_session,
    sessions,
    store,
)
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.errors import EmailTaken, NicknameTaken, UserNotFound
from foreknow.people.users.passwords import Cost, hasher
from foreknow.people.users.profiles import read_email, read_nickname
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.partner.service import add_partner
from foreknow.trading.partner.store import partner_by_name
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.rows import insert_sub_account
from tests.support.service import Service, expect, refused

NOW_MS = 1_800_000_000_000
SETTINGS = Settings(
    admin_email="root@example.org", admin_password=SecretStr("correct horse"), admin_name="Root", password_cost="low"
)


def make(tx: WriteTx, email: str = "ann@example.org", nickname: str = "", **roles: bool) -> UserRow:
    person = NewPerson.read(email=email, password="correct horse", name="Ann", nickname=nickname)
    return create_user(tx, person, password_hash=None, at_ms=NOW_MS, roles=roles)


def caller_of(tx: WriteTx, user: UserRow) -> UserCaller:
    session = sessions.open_session(tx, user_id=user.id, now_ms=NOW_MS)
    caller = sessions.find_callers(tx, [session.id], now_ms=NOW_MS).get(session.id)
    assert caller is not None
    return caller


@proves("decisions: New users start with 0 (unless site.md gives more).")
async def test_an_account_comes_with_a_balance_of_0_and_is_counted(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        user = make(tx, "Ann@Example.org", "Ann")

        assert (user.email, user.nickname) == ("Ann@Example.org", "Ann")
        assert balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[user.id]) == {user.id: 0}
        assert account_ids(tx, kind=AccountKind.USER, owner_ids=[user.id]) == {user.id: user.account_id}
        assert [day.sign_ups for day in stats.daily_stats(tx)] == [1]
        assert store.find_person_by_email(tx, "ANN@EXAMPLE.ORG") == user

    await db.write(work)


async def test_what_is_taken_is_refused(db: Database) -> None:
    await db.write(lambda tx: make(tx, "ann@example.org", "ann"))

    with pytest.raises(EmailTaken):
        await db.write(lambda tx: make(tx, "ANN@example.org"))
    with pytest.raises(NicknameTaken):
        await db.write(lambda tx: make(tx, "bob@example.org", "ANN"))


@pytest.mark.parametrize("field", ["email", "nickname"])
def test_of_fifty_sign_ups_at_once_one_gets_the_account(service: Service, field: str) -> None:
    taken = {"email": f"race_{id(service)}_{field}@example.org", "nickname": f"race_{id(service) % 10**9}"}[field]
    bodies = [
        {"email": f"racer_{id(service)}_{number}@example.org", "password": "correct horse", "name": "R"}
        | {field: taken}
        for number in range(50)
    ]
    answers = service.together([("POST", "/auth/sign-up", {"json": body}) for body in bodies])

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 49
    assert {answer.json().get("error") for answer in answers} == {None, f"{field}_taken"}


@proves("decisions: user and admin endpoints know none (404 `user_not_found`)")
async def test_sub_accounts_are_unknown_here(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        add_partner(tx, name="acme", at_ms=NOW_MS)
        acme = partner_by_name(tx, "acme")
        sub = insert_sub_account(tx, partner_id=acme.id, partner_name="acme", external_user_id="x", at_ms=NOW_MS)
        ann = make(tx)

        with pytest.raises(UserNotFound):
            store.person(tx, sub.user_id)
        assert store.find_people(tx, [sub.user_id, ann.id]) == {ann.id: ann}
        assert [row.id for row in store.newest_people(tx, before_id=None, limit=10)] == [ann.id]
        assert store.find_credentials(tx, "") is None
        assert store.find_person_by_email(tx, "") is None

    await db.write(work)


async def test_people_are_listed_newest_first(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        ids = [make(tx, f"p{number}@example.org").id for number in range(5)]

        assert [row.id for row in store.newest_people(tx, before_id=None, limit=2)] == [ids[4], ids[3]]
        assert [row.id for row in store.newest_people(tx, before_id=ids[3], limit=9)] == [ids[2], ids[1], ids[0]]

    await db.write(work)


@proves("decisions: `FOREKNOW_ADMIN_*` makes a missing account and changes no existing one.")
async def test_the_first_admin_is_made_where_missing_and_changed_nowhere(db: Database) -> None:
    made = await db.write(lambda tx: ensure_first_admin(tx, SETTINGS, at_ms=NOW_MS))
    assert made is not None
    assert (made.email, made.name, made.is_admin) == ("root@example.org", "Root", True)
    assert (made.is_creator, made.is_stats_viewer, made.is_operator) == (False, False, False)

    await db.write(lambda tx: store.set_roles(tx, made.id, {"is_admin": False}))
    other = SETTINGS.model_copy(update={"admin_password": SecretStr("x"), "admin_email": "ROOT@example.org"})
    assert await db.write(lambda tx: ensure_first_admin(tx, other, at_ms=NOW_MS)) is None

    def look(tx: ReadTx) -> None:
        assert not store.person(tx, made.id).is_admin
        credentials = store.find_credentials(tx, "root@example.org")
        assert credentials is not None
        assert credentials.password_hash is not None
        assert hasher("low").verify(credentials.password_hash, "correct horse")

    await db.read(look)


@ONCE
@pytest.mark.parametrize("left_out", ["admin_email", "admin_password"])
async def test_without_address_or_password_there_is_no_first_admin(db: Database, left_out: str) -> None:
    settings = SETTINGS.model_copy(update={left_out: SecretStr("") if left_out == "admin_password" else ""})

    assert await db.write(lambda tx: ensure_first_admin(tx, settings, at_ms=NOW_MS)) is None
    assert await db.read(lambda tx: tx.execute(sa.select(sa.func.count()).select_from(users)).scalar()) == 0


async def test_an_account_from_the_command_line_has_the_roles_it_is_given(db: Database) -> None:
    roles = {"is_creator": True, "is_operator": True}
    user = await db.write(
        lambda tx: add_user(
            tx, SETTINGS, email="c@example.org", password="correct horse", name="C", at_ms=NOW_MS, roles=roles
        )
    )
    assert (user.is_creator, user.is_admin, user.is_stats_viewer, user.is_operator) == (True, False, False, True)

    with pytest.raises(BadRequest):
        await db.write(
            lambda tx: add_user(tx, SETTINGS, email="d@example.org", password="1234567", name="D", at_ms=NOW_MS)
        )


@proves("decisions: at once wherever money would move")
async def test_a_transaction_finds_out_what_was_just_taken_away(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        admin = make(tx, is_admin=True)
        caller = caller_of(tx, admin)
        require_live_session(tx, caller)
        require_live_session(tx, caller, AuthLevel.ADMIN)
        require_live_session(tx, caller, AuthLevel.OPERATOR)
        with pytest.raises(Forbidden):
            require_live_session(tx, caller, AuthLevel.CREATOR)

        store.set_roles(tx, admin.id, {"is_admin": False})
        require_live_session(tx, caller)
        with pytest.raises(Forbidden):
            require_live_session(tx, caller, AuthLevel.ADMIN)

        sessions.revoke(tx, caller.session_id, now_ms=NOW_MS)
        with pytest.raises(Unauthorized):
            require_live_session(tx, caller)

    await db.write(work)


async def test_ones_finished_sessions_go_with_the_next_sign_in(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        user = make(tx)
        old = sessions.open_session(tx, user_id=user.id, now_ms=NOW_MS)
        still = sessions.open_session(tx, user_id=user.id, now_ms=NOW_MS + 1)
        new = sessions.open_session(tx, user_id=user.id, now_ms=old.expires_at_ms)

        late_ms = old.expires_at_ms
        ids = [old.id, still.id, new.id]
        assert sessions.find_callers(tx, ids, now_ms=late_ms).keys() == {still.id, new.id}
        assert tx.execute(sa.text("SELECT count(*) FROM sessions")).scalar() == 2

    await db.write(work)


@proves('decisions: a hidden profile shows `nickname` and `avatar_url` as "" and its name as "Hidden trader"')
async def test_a_hidden_profile_shows_only_that_it_is_hidden(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        user = make(tx, nickname="ann")
        store.update_person(tx, user.id, {"avatar_url": "https://example.org/a.png"})
        open_view = public_user(store.person(tx, user.id))
        assert (open_view.name, open_view.nickname, open_view.avatar_url, open_view.profile_hidden) == (
            "Ann",
            "ann",
            "https://example.org/a.png",
            False,
        )

        store.update_person(tx, user.id, {"profile_hidden": True})
        row = store.person(tx, user.id)
        hidden = public_user(row)
        assert (hidden.id, hidden.name, hidden.nickname, hidden.avatar_url, hidden.profile_hidden) == (
            user.id,
            "Hidden trader",
            "",
            "",
            True,
        )
        assert (public_user(row, unhidden=True).name, public_user(row, unhidden=True).nickname) == ("Ann", "ann")

    await db.write(work)


@proves("decisions: nicknames (3–32 letters, digits, `_ . -`; never an `@`)")
@pytest.mark.parametrize("nickname", ["Юля", "鈴木一郎", "नमस्ते", "عمر", "a_b.c-d", "٣٤٥", "x" * 32, ""])
def test_nicknames_of_every_script_are_good(nickname: str) -> None:
    assert read_nickname(nickname) == nickname


@pytest.mark.parametrize(
    "nickname", ["ab", "a@b", "a b", "½½½", "a\u200db", "\u0301abc", "abc\n", "a\u0000b", "²²²", "\u3164" * 3]
)
def test_nicknames_of_anything_else_are_not(nickname: str) -> None:
    with pytest.raises(BadRequest):
        read_nickname(nickname)


@pytest.mark.parametrize(
    "email", ["a@b", "o'neil+tag@sub.example.org", "юля@пример.рф", '"x"@example.org', "a@b_c", "a@i❤.ws"]
)
def test_usable_addresses_are_good(email: str) -> None:
    assert read_email(email) == email


@pytest.mark.parametrize(
    "email",
    [
        *("a@.b", "a@b.", "a@b..c", "a@b@c", "a b@c.d", "a@b\n", "\u200ba@b.c", "a@b.c\u202e", "@", "a", ""),
        # A mail program reads them as an address in brackets, as two addresses, and as one that ends in a dot.
        *("a@[127.0.0.1]", "a@evil.com，victim＠x.com", "a@b.c。"),
    ],
)
def test_what_is_no_address_is_not(email: str) -> None:
    with pytest.raises(BadRequest):
        read_email(email)


def test_signing_in_renews_a_password_hash_of_another_cost(service: Service) -> None:
    person = service.user()
    outdated = hasher("normal").hash(person.password)

    def put(tx: WriteTx) -> None:
        store.update_person(tx, person.id, {"password_hash": outdated})

    service.server.run(service.app.db.write(put))
    assert service.sign_in(person.email, person.password)

    renewed = service.look(lambda tx: store.find_credentials(tx, person.email))
    assert renewed.password_hash != outdated
    assert not hasher("low").check_needs_rehash(renewed.password_hash)
    assert service.sign_in(person.email, person.password)


def test_a_profile_change_of_nothing_changes_nothing(service: Service) -> None:
    person = service.user()
    before = expect(person.client.get("/users/me"), 200)

    assert expect(person.client.patch("/users/me", json={}), 200) == before
    nothing = {"name": None, "nickname": None, "avatar_url": None, "profile_hidden": None}
    assert expect(person.client.patch("/users/me", json=nothing), 200) == before
    refused(person.client.patch("/users/me"), 400, "bad_request")


def test_a_nickname_that_is_cleared_is_free_for_others(service: Service) -> None:
    one, other = service.user(), service.user()

    assert expect(one.client.patch("/users/me", json={"nickname": ""}), 200)["nickname"] == ""
    assert expect(other.client.patch("/users/me", json={"nickname": one.nickname}), 200)["nickname"] == one.nickname
    refused(one.client.post("/auth/sign-in", json={"login": "", "password": one.password}), 401, "invalid_credentials")


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_of_two_processes_that_start_at_once_one_makes_the_first_admin(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def quicker() -> UserRow | None:
        other = open_database(database_url)
        try:
            return await other.write(lambda tx: ensure_first_admin(tx, SETTINGS, at_ms=NOW_MS))
        finally:
            await other.close()

    made: list[UserRow | None] = []

    def hasher_of_the_slower(cost: Cost) -> PasswordHasher:
        monkeypatch.undo()
        with ThreadPoolExecutor(1) as thread:
            made.append(thread.submit(asyncio.run, quicker()).result())
        return hasher(cost)

    monkeypatch.setattr(accounts, "hasher", hasher_of_the_slower)
    assert await db.write(lambda tx: ensure_first_admin(tx, SETTINGS, at_ms=NOW_MS)) is None
    assert made[0] is not None
    assert made[0].is_admin
