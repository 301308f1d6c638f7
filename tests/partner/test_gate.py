"""Recognising partners by their keys without asking the database each time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from foreknow.db.engine import Database
from foreknow.partner.authenticator import PartnerAuthenticator
from foreknow.partner.keys import live_keys, revoke_key
from tests.partner.made import Made, make_partner


class Hands:
    """The two hands a gate looks at: the clock's and the timer's."""

    def __init__(self) -> None:
        self.now_ms = 1_000_000
        self.elapsed_s = 0.0

    def pass_time(self, seconds: float) -> None:
        self.now_ms += round(1000 * seconds)
        self.elapsed_s += seconds


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
async def gate(db: Database, hands: Hands) -> AsyncIterator[PartnerAuthenticator]:
    made = PartnerAuthenticator(db, lambda: hands.now_ms, timer=lambda: hands.elapsed_s)
    yield made
    await made.stop()


@pytest.fixture
async def acme(db: Database) -> Made:
    return await db.write(make_partner)


async def revoke(db: Database, partner: Made) -> None:
    await db.write(lambda tx: revoke_key(tx, partner_id=partner.row.id, key_id=partner.caller.key_id, at_ms=1))


async def last_used_at_ms(db: Database, partner: Made) -> int | None:
    (key,) = await db.read(lambda tx: live_keys(tx, partner.row.id))
    return key.last_used_at_ms


async def test_a_live_key_is_let_in(gate: PartnerAuthenticator, acme: Made) -> None:
    assert await gate.check(acme.key) == acme.caller


@pytest.mark.parametrize("key", ["", "fkp_", "fkp_" + "0" * 64, "fkp_" + "ä" * 64, "fkp_" + "0" * 64 + "\n", "0" * 68])
async def test_other_texts_are_not(gate: PartnerAuthenticator, acme: Made, key: str) -> None:
    assert await gate.check(key) is None
    assert await gate.check(acme.key.upper()) is None


async def test_a_key_revoked_elsewhere_is_refused_within_a_second(
    db: Database, gate: PartnerAuthenticator, acme: Made, hands: Hands
) -> None:
    assert await gate.check(acme.key) == acme.caller
    await revoke(db, acme)

    hands.pass_time(1.0)
    assert await gate.check(acme.key) is None


async def test_a_key_revoked_here_is_refused_at_once(db: Database, gate: PartnerAuthenticator, acme: Made) -> None:
    assert await gate.check(acme.key) == acme.caller
    await revoke(db, acme)
    gate.forget()

    assert await gate.check(acme.key) is None


async def test_an_answer_from_before_a_revocation_is_not_kept(
    db: Database, gate: PartnerAuthenticator, acme: Made
) -> None:
    early = asyncio.create_task(gate.check(acme.key))
    await asyncio.sleep(0.01)
    await revoke(db, acme)
    gate.forget()
    await early

    assert await gate.check(acme.key) is None


async def test_many_requests_at_once_ask_the_database_once(gate: PartnerAuthenticator, acme: Made) -> None:
    asked: list[str] = []

    def count(_connection: object, _cursor: object, sql: str, *_rest: object) -> None:
        if sql.startswith("SELECT") and "partner_keys" in sql:
            asked.append(sql)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    try:
        found = await asyncio.gather(*(gate.check(acme.key) for _ in range(50)))
        again = await gate.check(acme.key)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", count)

    assert {caller.key_id for caller in [*found, again] if caller} == {acme.caller.key_id}
    assert len(asked) == 1


async def test_the_use_of_a_key_is_noted_once_a_minute(
    db: Database, gate: PartnerAuthenticator, acme: Made, hands: Hands
) -> None:
    assert await last_used_at_ms(db, acme) is None
    noted: list[int | None] = []
    for _ in range(3):
        await gate.check(acme.key)
        await gate.stop()
        noted.append(await last_used_at_ms(db, acme))
        hands.pass_time(30)

    assert noted == [1_000_000, 1_000_000, 1_060_000]
