"""Authenticating partners by key, with a cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from foreknow.platform.db.engine import Database
from foreknow.trading.partner.keys import PartnerAuthenticator, live_keys, revoke_key
from tests.support.kinds import ONCE
from tests.trading.partner.made import Made, make_partner


class Clocks:
    """The authenticator's two clocks: wall clock and timer."""

    def __init__(self) -> None:
        self.now_ms = 1_000_000
        self.elapsed_s = 0.0

    def pass_time(self, seconds: float) -> None:
        self.now_ms += round(1000 * seconds)
        self.elapsed_s += seconds


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
async def authenticator(db: Database, clocks: Clocks) -> AsyncIterator[PartnerAuthenticator]:
    made = PartnerAuthenticator(db, lambda: clocks.now_ms, timer=lambda: clocks.elapsed_s)
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


async def test_a_live_key_is_accepted(authenticator: PartnerAuthenticator, acme: Made) -> None:
    assert await authenticator.check(acme.key) == acme.caller


@ONCE
@pytest.mark.parametrize("key", ["", "fkp_", "fkp_" + "0" * 64, "fkp_" + "ä" * 64, "fkp_" + "0" * 64 + "\n", "0" * 68])
async def test_other_texts_are_not(authenticator: PartnerAuthenticator, acme: Made, key: str) -> None:
    assert await authenticator.check(key) is None
    assert await authenticator.check(acme.key.upper()) is None


async def test_a_key_revoked_elsewhere_is_refused_within_a_second(
    db: Database, authenticator: PartnerAuthenticator, acme: Made, clocks: Clocks
) -> None:
    assert await authenticator.check(acme.key) == acme.caller
    await revoke(db, acme)

    clocks.pass_time(1.0)
    assert await authenticator.check(acme.key) is None


async def test_a_key_revoked_here_is_refused_at_once(
    db: Database, authenticator: PartnerAuthenticator, acme: Made
) -> None:
    assert await authenticator.check(acme.key) == acme.caller
    await revoke(db, acme)
    authenticator.forget()

    assert await authenticator.check(acme.key) is None


async def test_a_lookup_from_before_a_revocation_is_not_cached(
    db: Database, authenticator: PartnerAuthenticator, acme: Made
) -> None:
    early = asyncio.create_task(authenticator.check(acme.key))
    # It has begun, and is not answered yet.
    await asyncio.sleep(0)
    assert not early.done()
    authenticator.forget()
    await early
    assert authenticator.known(acme.key) is None
    await revoke(db, acme)

    assert await authenticator.check(acme.key) is None


async def test_a_stop_waits_for_what_is_looked_up(authenticator: PartnerAuthenticator, acme: Made) -> None:
    early = asyncio.create_task(authenticator.check(acme.key))
    await asyncio.sleep(0)
    assert authenticator.known(acme.key) is None
    await authenticator.stop()
    assert authenticator.known(acme.key) == acme.caller
    assert await early == acme.caller


async def test_many_requests_at_once_ask_the_database_once(authenticator: PartnerAuthenticator, acme: Made) -> None:
    queries: list[str] = []

    def count(_connection: object, _cursor: object, sql: str, *_rest: object) -> None:
        if sql.startswith("SELECT") and "partner_keys" in sql:
            queries.append(sql)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    try:
        found = await asyncio.gather(*(authenticator.check(acme.key) for _ in range(50)))
        again = await authenticator.check(acme.key)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", count)

    assert {caller.key_id for caller in [*found, again] if caller} == {acme.caller.key_id}
    assert len(queries) == 1


async def test_the_use_of_a_key_is_written_once_a_minute(
    db: Database, authenticator: PartnerAuthenticator, acme: Made, clocks: Clocks
) -> None:
    assert await last_used_at_ms(db, acme) is None
    written: list[int | None] = []
    for _ in range(3):
        await authenticator.check(acme.key)
        await authenticator.stop()
        written.append(await last_used_at_ms(db, acme))
        clocks.pass_time(30)

    assert written == [1_000_000, 1_000_000, 1_060_000]
