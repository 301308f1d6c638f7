"""An account is found by its address, however its domain is spelled."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.people.users import store
from foreknow.people.users.accounts import NewPerson, create_user
from foreknow.people.users.login_throttle import SignInAttempt
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.mailing import MailKind, outbox
from foreknow.platform.mailing.tables import mails
from tests.support.service import PASSWORD

NOW_MS = 1_700_000_000_000
SPELLINGS = ("ann@bücher.de", "Ann@XN--bcher-kva.de", "ann@ｂücher\u3002de", "ann@bü\ufe0fcher.de")


def add(tx: WriteTx, email: str) -> int:
    person = NewPerson(email=email, password=PASSWORD, name="Ann", nickname="")
    return create_user(tx, person, password_hash="a hash", at_ms=NOW_MS).id


async def test_an_account_is_found_and_guarded_by_every_spelling_of_its_address(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        user_id = add(tx, SPELLINGS[0])
        for spelling in SPELLINGS:
            assert store.is_email_taken(tx, spelling)
            found, credentials = store.find_person_by_email(tx, spelling), store.find_credentials(tx, spelling)
            assert found is not None
            assert credentials is not None
            assert (found.id, credentials.user_id) == (user_id, user_id)
            # Shown as it was typed.
            assert found.email == SPELLINGS[0]
        tags = {SignInAttempt.of(None, one, rate_limit_key="a", device_id=None).tag for one in SPELLINGS}
        assert len(tags) == 1

    await db.write(work)


async def test_mails_to_every_spelling_of_an_address_count_and_are_forgotten_together(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        waits = [outbox.take_request(tx, one, is_verified=False, at_ms=NOW_MS) for one in SPELLINGS]
        assert [bool(wait) for wait in waits] == [False, True, True, True]
        user_id = add(tx, SPELLINGS[0])
        outbox.write(tx, MailKind.FORGOT, address=SPELLINGS[1], user_id=None, at_ms=NOW_MS)
        outbox.forget(tx, user_id, [SPELLINGS[0]])
        assert tx.execute(sa.select(sa.func.count()).select_from(mails)).scalar_one() == 0

    await db.write(work)


async def test_admins_find_an_address_as_it_was_typed(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        user_id = add(tx, "ann@xn--bcher-kva.de")
        for part in ("BÜCHER", "xn--bcher", "ann@"):
            found = store.search_people(tx, part=part, role=None, before_id=None, limit=10)
            assert [row.id for row in found.rows] == [user_id]

    await db.write(work)
