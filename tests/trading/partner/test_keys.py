"""Issuing, rotating and revoking keys."""

from __future__ import annotations

import asyncio
import concurrent.futures

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.api_keys import PARTNER_KEY, hash_key
from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.errors import DomainError, InvalidPartnerKey
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.partner.errors import KeyNotFound, TooManyKeys
from foreknow.trading.partner.keys import (
    IssuedKey,
    find_holder,
    issue_key,
    live_keys,
    require_live_key,
    revoke_key,
)
from foreknow.trading.partner.tables import partner_keys
from tests.support.transactions import look
from tests.trading.partner.made import make_partner


async def test_a_key_is_recognisable_random_and_not_stored(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        made = make_partner(tx)
        second = issue_key(tx, partner_id=made.row.id, at_ms=0)
        assert made.key != second.key
        for key in (made.key, second.key):
            assert key.startswith("fkp_")
            assert PARTNER_KEY.fits(key)
        stored = [value for row in tx.execute(sa.select(partner_keys)) for value in row]
        assert made.key not in stored
        assert hash_key(made.key) in stored

    await db.write(work)


async def test_a_live_key_leads_to_its_partner(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        made = make_partner(tx, "Acme")
        make_partner(tx, "Other")
        holder = find_holder(tx, hash_key(made.key))
        assert holder is not None
        assert holder.caller == PartnerCaller(made.row.id, "Acme", made.caller.key_id)
        assert find_holder(tx, hash_key(made.key + "0")) is None

    await db.write(work)


async def test_a_key_is_rotated_by_issuing_one_and_revoking_the_other(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        made = make_partner(tx)
        second = issue_key(tx, partner_id=made.row.id, at_ms=5)
        with pytest.raises(TooManyKeys):
            issue_key(tx, partner_id=made.row.id, at_ms=6)
        revoke_key(tx, partner_id=made.row.id, key_id=made.caller.key_id, at_ms=7)
        assert find_holder(tx, hash_key(made.key)) is None
        third = issue_key(tx, partner_id=made.row.id, at_ms=8)
        assert [key.id for key in live_keys(tx, made.row.id)] == [second.id, third.id]

    await db.write(work)


async def test_a_key_is_revoked_once_and_by_its_own_partner_only(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        made, other = make_partner(tx, "Acme"), make_partner(tx, "Other")
        with pytest.raises(KeyNotFound):
            revoke_key(tx, partner_id=other.row.id, key_id=made.caller.key_id, at_ms=1)
        revoke_key(tx, partner_id=made.row.id, key_id=made.caller.key_id, at_ms=1)
        with pytest.raises(KeyNotFound):
            revoke_key(tx, partner_id=made.row.id, key_id=made.caller.key_id, at_ms=2)

    await db.write(work)


async def test_money_moves_for_no_revoked_key(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        made = make_partner(tx)
        require_live_key(tx, made.caller)
        revoke_key(tx, partner_id=made.row.id, key_id=made.caller.key_id, at_ms=1)
        with pytest.raises(InvalidPartnerKey):
            require_live_key(tx, made.caller)

    await db.write(work)


async def test_issuing_at_the_same_moment_gives_no_third_key(db: Database) -> None:
    made = await db.write(make_partner)

    async def issue() -> IssuedKey | DomainError:
        try:
            return await db.write(lambda tx: issue_key(tx, partner_id=made.row.id, at_ms=0))
        except TooManyKeys as error:
            return error

    outcomes = await asyncio.gather(*(issue() for _ in range(8)))

    assert sum(isinstance(outcome, IssuedKey) for outcome in outcomes) == 1
    assert len(await db.read(lambda tx: live_keys(tx, made.row.id))) == 2


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_a_partner_that_is_given_a_key_waits_with_another_but_not_with_its_users(
    db: Database, database_url: str
) -> None:
    made = await db.write(make_partner)

    def free(lock: str) -> list[int]:
        query = sa.text(f"SELECT id FROM partners FOR {lock} SKIP LOCKED")
        return look(database_url, lambda tx: list(tx.execute(query).scalars()))

    def work(tx: WriteTx) -> list[list[int]]:
        issue_key(tx, partner_id=made.row.id, at_ms=0)
        with concurrent.futures.ThreadPoolExecutor(1) as elsewhere:
            return list(elsewhere.map(free, ["NO KEY UPDATE", "KEY SHARE"]))

    assert await db.write(work) == [[], [made.row.id]]
