"""Gathering notices into mails: whose come first, and what is put off."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.people.mail.gathering import LOOKED_AT_MAX, SHOWN_MAX, gather
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing import notices
from foreknow.platform.mailing.notices import PAUSE_MS, NewNotice
from foreknow.platform.mailing.tables import mails
from foreknow.platform.mailing.tables import notices as waiting
from tests.support.clock import ShiftableClock
from tests.support.rows import insert_user


def member(tx: WriteTx, name: str) -> int:
    return insert_user(tx, name, email=f"{name}@example.org", email_verified=True)


def notify(tx: WriteTx, user_id: int, count: int, *, kind: str = "operator_answer") -> None:
    """Write notices that are due now."""
    at_ms = now_ms(tx)
    one = NewNotice(user_id=user_id, type=kind, event_id=None, params={}, created_at_ms=at_ms, due_at_ms=at_ms)
    notices.write(tx, [one] * count)


def made(tx: ReadTx) -> Sequence[tuple[str, int, int]]:
    """Return address and numbers of each mail, those named and those counted."""
    rows = tx.execute(sa.select(mails.c.address, mails.c.params).order_by(mails.c.id)).all()
    return [(address, len(params["notices"]), params["more"]) for address, params in rows]


def left(tx: ReadTx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(waiting)).scalar_one())


async def gather_all(db: Database) -> None:
    for _ in range(100):
        if not await db.write(gather):
            return
    raise AssertionError("gathering comes to no end")


async def test_one_persons_flood_is_bounded_and_delays_no_one(db: Database, clock: ShiftableClock) -> None:
    def begin(tx: WriteTx) -> None:
        for name in ("ann", "bob", "cid"):
            notify(tx, member(tx, name), LOOKED_AT_MAX + 1 if name == "bob" else 1)

    await db.write(begin)
    await gather_all(db)
    assert sorted(await db.read(made)) == [
        ("ann@example.org", 1, 0),
        ("bob@example.org", SHOWN_MAX, LOOKED_AT_MAX - SHOWN_MAX),
        ("cid@example.org", 1, 0),
    ]
    assert await db.read(left) == 1
    clock.advance(PAUSE_MS)
    await gather_all(db)
    assert (await db.read(made))[-1] == ("bob@example.org", 1, 0)
    assert await db.read(left) == 0


async def test_a_type_of_a_newer_release_waits_for_it_three_days_at_most(db: Database, clock: ShiftableClock) -> None:
    await db.write(lambda tx: notify(tx, member(tx, "ann"), 2, kind="event_invented"))
    await gather_all(db)
    assert (await db.read(made), await db.read(left)) == ([], 2)
    clock.advance(3 * DAY_MS)
    await gather_all(db)
    assert (await db.read(made), await db.read(left)) == ([], 0)
