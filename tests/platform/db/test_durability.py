"""PostgreSQL with a synchronous standby: a commit that did not reach it is not answered as done."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest
import sqlalchemy as sa

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from tests.support.postgres import Postgres
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)]
WAIT_S = 120
RICH_KOPECKS = 1_000_000
Post = Callable[[], httpx.Response]


@contextlib.contextmanager
def lost_standby(postgres: Postgres) -> Iterator[None]:
    """Commits wait, while the block runs, for a standby that is not there."""
    postgres.sql("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
    postgres.sql("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        postgres.sql("ALTER SYSTEM RESET synchronous_standby_names")
        postgres.sql("SELECT pg_reload_conf()")


def waits(postgres: Postgres, database: str, *, then: str = "1") -> int:
    """Return how many commits wait for the standby; `then` is done with each one's `pid`."""
    query = f"SELECT {then} FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = '{database}'"
    return len(postgres.sql(query).splitlines())


@proves("decisions: the fate of a commit is unknown")
def test_a_commit_whose_wait_for_the_standby_is_cancelled_is_503_until_it_is_safe(
    postgres: Postgres, fresh_service: Service
) -> None:
    service, admin, database = fresh_service, fresh_service.admin, urlsplit(fresh_service.database_url).path[1:]
    trader = service.user(balance_kopecks=RICH_KOPECKS)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    key = {"Idempotency-Key": "one"}

    def bet() -> httpx.Response:
        return trader.client.post("/market/bets", json=order, headers=key)

    def credit() -> httpx.Response:
        body = {"amount_kopecks": 100, "note": ""}
        return admin.post(f"/admin/users/{trader.id}/credit", json=body, headers=key)

    with lost_standby(postgres), ThreadPoolExecutor(1) as thread:
        # The server takes up its new setting when it likes; the feed's leader commits all the time.
        wait_until(lambda: waits(postgres, database))

        def cancelled(post: Post) -> httpx.Response:
            answered: Future[httpx.Response] = thread.submit(post)

            def is_answered() -> bool:
                # Workers commit as well, and wait.
                waits(postgres, database, then="pg_cancel_backend(pid)")
                return answered.done()

            wait_until(is_answered)
            return answered.result()

        for post, table in ((bet, "trades"), (credit, "transfers WHERE kind = 'credit'")):
            before = postgres.sql(f"SELECT count(*) FROM {table}", database=database)
            refused(cancelled(post), 503, "unavailable")
            # It is done, on this one machine: no client may hear so before the standby has it.
            assert int(postgres.sql(f"SELECT count(*) FROM {table}", database=database)) == int(before) + 1
            refused(cancelled(post), 503, "unavailable")
    for post in (bet, credit):
        answer = post()
        expect(answer, 201)
        assert answer.headers["Idempotency-Replayed"] == "true"
    assert expect(trader.client.get("/users/me"), 200)["balance_kopecks"] == RICH_KOPECKS


async def test_a_connection_to_a_primary_that_became_a_standby_is_left_for_another(db: Database) -> None:
    """What it says of a write is no mistake of ours; the next one goes elsewhere."""
    write = sa.text("INSERT INTO secrets (name, value) VALUES ('demoted', '')")
    await db.write(lambda tx: tx.exec_driver_sql("SET default_transaction_read_only = on"))
    with pytest.raises(Unavailable):
        await db.write(lambda tx: tx.execute(write))
    await db.write(lambda tx: tx.execute(write))
