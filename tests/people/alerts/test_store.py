"""The outbox: who may send which alert when."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from foreknow.people.alerts import store
from foreknow.people.alerts.store import LEASE_MS, LISTED_MAX, AlertKind, ClaimedAlert
from foreknow.people.alerts.tables import support_alerts
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx


async def record(db: Database, *channels: str, at_ms: int = 0, text: str = "Text") -> None:
    await db.write(
        lambda tx: store.record(tx, kind=AlertKind.SUPPORT, channels=channels, title="Title", text=text, at_ms=at_ms)
    )


async def claim(db: Database, channel: str, *, now_ms: int) -> ClaimedAlert | None:
    return await db.write(lambda tx: store.claim(tx, channel, now_ms=now_ms))


async def taken(db: Database, channel: str, *, now_ms: int) -> ClaimedAlert:
    found = await claim(db, channel, now_ms=now_ms)
    assert found is not None
    return found


async def due(db: Database, *channels: str, now_ms: int) -> list[str]:
    return await db.read(lambda tx: store.due_channels(tx, channels=channels, now_ms=now_ms))


async def note_sent(db: Database, claimed: ClaimedAlert, *, at_ms: int, free_at_ms: int) -> None:
    await db.write(lambda tx: store.note_sent(tx, claimed, at_ms=at_ms, free_at_ms=free_at_ms))


async def put_off(db: Database, claimed: ClaimedAlert, *, due_at_ms: int, give_up_before_ms: int = -1) -> None:
    await db.write(
        lambda tx: store.put_off(
            tx, claimed, due_at_ms=due_at_ms, given_up_at_ms=due_at_ms, give_up_before_ms=give_up_before_ms
        )
    )


async def test_an_alert_is_claimed_once_for_each_channel(db: Database) -> None:
    await record(db, "a", "b", at_ms=5)
    assert await due(db, "a", "b", now_ms=4) == []
    assert await due(db, "a", "b", now_ms=5) == ["a", "b"]
    for channel in ("a", "b"):
        found = await taken(db, channel, now_ms=5)
        described = (found.channel, found.count, found.title, found.texts, found.attempt)
        assert described == (channel, 1, "Title", ("Text",), 1)
        assert await claim(db, channel, now_ms=5) is None
    assert await due(db, "a", "b", now_ms=5) == []


async def test_no_channel_no_alert(db: Database) -> None:
    await record(db)
    assert await due(db, now_ms=1) == []
    assert await claim(db, "a", now_ms=1) is None


async def test_a_channel_without_alerts_stays_free(db: Database) -> None:
    assert await claim(db, "a", now_ms=1) is None
    await record(db, "a", at_ms=1)
    assert (await taken(db, "a", now_ms=1)).count == 1


async def test_a_process_looks_only_for_what_its_settings_know(db: Database) -> None:
    await record(db, "old", "new")
    assert await due(db, "new", "another", now_ms=1) == ["new"]
    assert await due(db, "old", now_ms=1) == ["old"]


async def test_all_that_waits_is_claimed_together_and_the_oldest_come_first(db: Database) -> None:
    count = LISTED_MAX + 5
    for number in range(count):
        await record(db, "a", at_ms=10 + number, text=f"Number {number}")
    found = await taken(db, "a", now_ms=100)
    assert (found.count, found.created_at_ms) == (count, 10)
    assert found.texts == tuple(f"Number {number}" for number in range(LISTED_MAX))


async def test_after_a_message_the_channel_rests_and_others_do_not(db: Database) -> None:
    await record(db, "a")
    await note_sent(db, await taken(db, "a", now_ms=1), at_ms=2, free_at_ms=500)
    await record(db, "a", "b", at_ms=3)
    assert await due(db, "a", "b", now_ms=499) == ["b"]
    assert await claim(db, "a", now_ms=499) is None
    await record(db, "a", at_ms=4)
    assert await due(db, "a", now_ms=500) == ["a"]
    assert (await taken(db, "a", now_ms=500)).count == 2


async def test_what_comes_while_a_message_is_sent_waits_for_the_next(db: Database) -> None:
    await record(db, "a")
    first = await taken(db, "a", now_ms=1)
    await record(db, "a", at_ms=1)
    assert await claim(db, "a", now_ms=2) is None
    await note_sent(db, first, at_ms=3, free_at_ms=4)
    assert (await taken(db, "a", now_ms=4)).count == 1


async def test_what_no_process_finished_is_claimed_again_after_the_lease(db: Database) -> None:
    await record(db, "a")
    await taken(db, "a", now_ms=1)
    assert await claim(db, "a", now_ms=LEASE_MS) is None
    second = await taken(db, "a", now_ms=LEASE_MS + 1)
    assert (second.count, second.attempt) == (1, 2)


async def test_what_was_sent_is_never_claimed_again(db: Database) -> None:
    await record(db, "a")
    await note_sent(db, await taken(db, "a", now_ms=1), at_ms=2, free_at_ms=3)
    assert await claim(db, "a", now_ms=10 * LEASE_MS) is None


async def test_what_failed_is_claimed_when_it_is_due_again_and_with_it_what_came_meanwhile(db: Database) -> None:
    await record(db, "a", at_ms=1)
    await put_off(db, await taken(db, "a", now_ms=1), due_at_ms=500)
    await record(db, "a", at_ms=400)
    assert await claim(db, "a", now_ms=499) is None
    again = await taken(db, "a", now_ms=500)
    assert (again.count, again.attempt) == (2, 2)
    # Of the two, the one that is too old by now is given up.
    await put_off(db, again, due_at_ms=501, give_up_before_ms=1)
    assert (await taken(db, "a", now_ms=501)).count == 1


async def test_who_lost_the_lease_puts_nothing_off_and_gives_nothing_up(db: Database) -> None:
    await record(db, "a")
    late = await taken(db, "a", now_ms=1)
    current = await taken(db, "a", now_ms=LEASE_MS + 1)
    await put_off(db, late, due_at_ms=0, give_up_before_ms=10)
    assert await claim(db, "a", now_ms=LEASE_MS + 2) is None
    await put_off(db, current, due_at_ms=0)
    assert (await taken(db, "a", now_ms=LEASE_MS + 2)).count == 1


async def test_what_was_sent_late_counts_as_sent(db: Database) -> None:
    await record(db, "a")
    await note_sent(db, await taken(db, "a", now_ms=1), at_ms=2 * LEASE_MS, free_at_ms=2 * LEASE_MS + 1)
    assert await claim(db, "a", now_ms=10 * LEASE_MS) is None


async def test_claims_at_the_same_moment_share_nothing(db: Database) -> None:
    for at_ms in range(12):
        await record(db, "a", "b", at_ms=at_ms)
    claims = await asyncio.gather(*(claim(db, channel, now_ms=100) for channel in "abab" * 2))
    assert sorted((one.channel, one.count) for one in claims if one is not None) == [("a", 12), ("b", 12)]


async def test_an_alert_goes_with_its_transaction(db: Database) -> None:
    class Refused(Exception):
        pass

    def work(tx: WriteTx) -> None:
        store.record(tx, kind=AlertKind.SUPPORT, channels=["a"], title="Title", text="Text", at_ms=0)
        raise Refused

    with pytest.raises(Refused):
        await db.write(work)
    count = sa.select(sa.func.count()).select_from(support_alerts)
    assert await db.read(lambda tx: tx.execute(count).scalar_one()) == 0
