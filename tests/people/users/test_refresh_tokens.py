"""Refresh tokens across servers, and against those that are ours but of another life of the database."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.errors import Unauthorized
from foreknow.people.users import sessions
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.sessions import GRACE_MS, SESSION_MS, Reused, SessionRow
from foreknow.people.users.tokens import RefreshClaim
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.proofs import proves
from tests.support.service import Service

NOW_MS = 1_800_000_000_000
GRACE = "decisions: for 10 s more the token just replaced gets the same successor (parallel tabs)"


def open_session(tx: WriteTx) -> SessionRow:
    person = NewPerson.read(email="ann@example.org", password="correct horse", name="Ann")
    user = create_user(tx, person, password_hash=None, at_ms=NOW_MS)
    return sessions.open_session(tx, user_id=user.id, now_ms=NOW_MS)


@proves(GRACE)
async def test_the_grace_ends_after_ten_seconds_to_the_millisecond(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        first = open_session(tx)
        second = sessions.rotate(tx, first.refresh_claim, now_ms=NOW_MS + 5)
        assert isinstance(second, SessionRow)
        assert (second.generation, second.expires_at_ms) == (1, first.expires_at_ms)

        assert sessions.rotate(tx, first.refresh_claim, now_ms=NOW_MS + 5 + GRACE_MS - 1) == second
        assert sessions.rotate(tx, first.refresh_claim, now_ms=NOW_MS + 5 + GRACE_MS) == Reused(first.id)
        with pytest.raises(Unauthorized):
            sessions.rotate(tx, second.refresh_claim, now_ms=NOW_MS + 5 + GRACE_MS)

    await db.write(work)


async def test_a_token_of_another_life_of_the_database_is_refused_and_harms_no_session(db: Database) -> None:
    """A restored backup gives ids out a second time, and knows fewer rotations than its users do."""

    def work(tx: WriteTx) -> None:
        session = open_session(tx)
        for stranger in (
            RefreshClaim(session.id, 0, session.created_at_ms - 1),
            RefreshClaim(session.id, 1, session.created_at_ms),
            RefreshClaim(session.id + 1, 0, session.created_at_ms),
        ):
            with pytest.raises(Unauthorized):
                sessions.rotate(tx, stranger, now_ms=NOW_MS)
        assert isinstance(sessions.rotate(tx, session.refresh_claim, now_ms=NOW_MS), SessionRow)

    await db.write(work)


@proves("decisions: the refresh lifetime stays 72 h from sign-in")
async def test_a_session_is_over_after_72_hours(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        session = open_session(tx)
        last = sessions.rotate(tx, session.refresh_claim, now_ms=NOW_MS + SESSION_MS - SECOND_MS)
        assert isinstance(last, SessionRow)
        with pytest.raises(Unauthorized):
            sessions.rotate(tx, last.refresh_claim, now_ms=NOW_MS + SESSION_MS)

    await db.write(work)


@proves(GRACE)
def test_fifty_refreshes_at_two_servers_yield_one_successor(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    person = one.user()
    answer = one.client().post("/auth/sign-in", json={"login": person.email, "password": person.password})
    headers = {"Cookie": f"refresh_token={answer.cookies['refresh_token']}"}
    shots = [("POST", "/auth/refresh", {"headers": headers})] * 25
    with ThreadPoolExecutor(2) as threads:
        answers = [
            answer for part in threads.map(lambda server: server.together(shots), (one, other)) for answer in part
        ]

    assert [each.status_code for each in answers] == [200] * 50
    assert len({each.cookies["refresh_token"] for each in answers}) == 1
