"""A piece takes few exchanges with PostgreSQL, however many positions it turns."""

from __future__ import annotations

import pytest

from foreknow.market.pools.store import lock_pools
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.effects.turning import turn_piece
from tests.support.exchanges import ExchangeCounter
from tests.trading.lists.crowds import ListCrowd, split_crowd, turned_count

#: The begin; the pool's lock and its markets; the positions; their holders and all else that is read; all that is
#: written; the commit.
EXCHANGES = 7
#: More, where sub-accounts hold some: which of their partners have a total.
OF_PARTNERS = 1


@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
async def test_a_piece_takes_few_exchanges_however_many_positions_it_turns(database_url: str) -> None:
    async with ExchangeCounter(database_url).running() as counter:
        db = open_database(counter.url)
        try:
            # Two of each crowd are sub-accounts, who traded last.
            made = await split_crowd(db, people=30)

            async def turn(size: int) -> int:
                before = counter.exchanges
                await db.write_brief(lambda tx: _turn(tx, made, size))
                return counter.exchanges - before

            # The connection prepares each statement once.
            await turn(1)
            assert [await turn(1), await turn(2), await turn(20)] == [EXCHANGES] * 3
            await turn(7)
            assert await turn(1) == EXCHANGES + OF_PARTNERS
            assert await db.read(turned_count) == 32
        finally:
            await db.close()


def _turn(tx: WriteTx, made: ListCrowd, size: int) -> None:
    assert turn_piece(tx, lock_pools(tx, [made.pool_id])[made.pool_id], size=size) is not None
