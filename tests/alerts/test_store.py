"""The outbox: who may send which alert when."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from foreknow.alerts import store
from foreknow.alerts.store import LEASE_MS, Claim
from foreknow.alerts.tables import support_alerts
from foreknow.db.engine import Database


async def record(db: Database, *channels: str, at_ms: int = 0) -> None:
    await db.write(lambda tx: store.record(tx, channels=channels, title="Title", text="Text", at_ms=at_ms))


async def claim(db: Database, *channels: str, now_ms: int, limit: int = 10) -> list[Claim]:
    return await db.write(lambda tx: store.claim(tx, channels=channels, now_ms=now_ms, limit=limit))


async def is_due(db: Database, *channels: str, now_ms: int) -> bool:
    return await db.read(lambda tx: store.is_any_due(tx, channels=channels, now_ms=now_ms))


async def test_an_alert_is_claimed_once_for_each_channel(db: Database) -> None:
    await record(db, "a", "b", at_ms=5)
    assert not await is_due(db, "a", "b", now_ms=4)
    assert await is_due(db, "a", "b", now_ms=5)
    first = await claim(db, "a", "b", now_ms=5)
    assert sorted((one.channel, one.title, one.text, one.attempt) for one in first) == [
        ("a", "Title", "Text", 1),
        ("b", "Title", "Text", 1),
    ]
    assert await claim(db, "a", "b", now_ms=5) == []
    assert not await is_due(db, "a", "b", now_ms=5)


async def test_no_channel_no_alert(db: Database) -> None:
    await record(db)
    assert not await is_due(db, now_ms=1)
    assert await claim(db, now_ms=1) == []


async def test_a_process_claims_only_what_its_settings_know(db: Database) -> None:
    await record(db, "old", "new")
    assert [one.channel for one in await claim(db, "new", "another", now_ms=1)] == ["new"]
    assert [one.channel for one in await claim(db, "old", now_ms=1)] == ["old"]


async def test_the_oldest_are_claimed_first(db: Database) -> None:
    for at_ms in (30, 10, 20):
        await record(db, "a", at_ms=at_ms)
    assert [one.created_at_ms for one in await claim(db, "a", now_ms=100, limit=2)] == [10, 20]
    assert [one.created_at_ms for one in await claim(db, "a", now_ms=100, limit=2)] == [30]


async def test_what_nobody_finished_is_claimed_again_after_the_lease(db: Database) -> None:
    await record(db, "a")
    (first,) = await claim(db, "a", now_ms=1)
    assert await claim(db, "a", now_ms=LEASE_MS) == []
    (second,) = await claim(db, "a", now_ms=LEASE_MS + 1)
    assert (second.id, second.attempt) == (first.id, 2)


async def test_what_was_sent_is_never_claimed_again(db: Database) -> None:
    await record(db, "a")
    (claimed,) = await claim(db, "a", now_ms=1)
    await db.write(lambda tx: store.note_sent(tx, claimed, at_ms=2))
    assert await claim(db, "a", now_ms=10 * LEASE_MS) == []


async def test_what_failed_is_claimed_when_it_is_due_again(db: Database) -> None:
    await record(db, "a")
    (claimed,) = await claim(db, "a", now_ms=1)
    await db.write(lambda tx: store.put_off(tx, claimed, due_at_ms=500))
    assert await claim(db, "a", now_ms=499) == []
    (again,) = await claim(db, "a", now_ms=500)
    await db.write(lambda tx: store.give_up(tx, again, at_ms=501))
    assert await claim(db, "a", now_ms=10 * LEASE_MS) == []


async def test_who_lost_the_lease_puts_nothing_off_and_gives_nothing_up(db: Database) -> None:
    await record(db, "a")
    (late,) = await claim(db, "a", now_ms=1)
    (current,) = await claim(db, "a", now_ms=LEASE_MS + 1)
    await db.write(lambda tx: store.put_off(tx, late, due_at_ms=0))
    await db.write(lambda tx: store.give_up(tx, late, at_ms=0))
    assert await claim(db, "a", now_ms=LEASE_MS + 2) == []
    await db.write(lambda tx: store.put_off(tx, current, due_at_ms=0))
    assert len(await claim(db, "a", now_ms=LEASE_MS + 2)) == 1


async def test_what_was_sent_late_counts_as_sent(db: Database) -> None:
    await record(db, "a")
    (late,) = await claim(db, "a", now_ms=1)
    await claim(db, "a", now_ms=LEASE_MS + 1)
    await db.write(lambda tx: store.note_sent(tx, late, at_ms=7))
    assert await claim(db, "a", now_ms=10 * LEASE_MS) == []


async def test_claims_at_the_same_moment_share_nothing(db: Database) -> None:
    for at_ms in range(12):
        await record(db, "a", at_ms=at_ms)
    claims = await asyncio.gather(*(claim(db, "a", now_ms=100, limit=3) for _ in range(6)))
    ids = [one.id for found in claims for one in found]
    assert len(ids) == len(set(ids))
    while found := await claim(db, "a", now_ms=100, limit=3):
        ids += [one.id for one in found]
    assert len(ids) == len(set(ids)) == 12


async def test_an_alert_goes_with_its_transaction(db: Database) -> None:
    class Refused(Exception):
        pass

    def work(tx: sa.Connection) -> None:
        store.record(tx, channels=["a"], title="Title", text="Text", at_ms=0)
        raise Refused

    with pytest.raises(Refused):
        await db.write(work)
    count = sa.select(sa.func.count()).select_from(support_alerts)
    assert await db.read(lambda tx: tx.execute(count).scalar_one()) == 0
