"""Limit orders: the process that pays and ends resting orders is killed before and after each of its commits.

python -m faults orders
python -m faults orders --database postgres --workers 2

Orders were filled and have expired while no worker ran. After each kill the books must be right and every owner has the
same money (balance plus what orders hold); another process does what is left, each payment and each notice once.
"""

from __future__ import annotations

import sqlalchemy as sa

from faults.killing import DoneWrongly, Trial, run_apart, run_command
from faults.payer import PIECE_POSITIONS
from foreknow.kernel.clock import iso, system_clock
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.effects.order_worker import OrderWorker
from tests.support.limit_orders import rest, stop_worker
from tests.support.service import Service, expect

MAKERS = 3
POOLS = 3
#: When the orders expire that are to, before their time is set to the past.
AHEAD_MS = 3_600_000


class OrderTrial(Trial):
    """Orders in some pools: some were filled, the others have expired."""

    what = "orders"

    def __init__(self) -> None:
        super().__init__()
        #: What processes did which went on.
        self.paid = 0
        self.ended = 0
        self._expected: dict[int, int] = {}
        self._notices = 0

    @property
    def figures(self) -> str:
        """What came of the kills, in a line."""
        return (
            f"{self.kills} kills in {self.rounds} rounds; {self.paid} fills were paid and {self.ended} orders ended"
            " by the processes that went on, no owner had more or less at any check, every book right"
        )

    def prepare(self, url: str) -> None:
        """Let orders rest in some pools, fill some and let the others expire."""
        service = Service(url)
        try:
            stop_worker(service)
            makers = [service.user(balance_kopecks=20_000) for _ in range(MAKERS)]
            taker = service.user(balance_kopecks=1_000_000)
            expires_at = iso(system_clock() + AHEAD_MS)
            markets = [service.event()["pools"][0]["markets"][0]["id"] for _ in range(POOLS)]
            for market in markets:
                for maker in makers:
                    rest(maker, market, "YES", "buy", shares=1_000, price=45)
                    rest(maker, market, "YES", "buy", shares=1_000, price=5, expires_at=expires_at)
                body = {"market_id": market, "token_type": "NO", "amount_kopecks": 30_000}
                expect(taker.client.post("/market/bets", json=body), 201)
        finally:
            service.stop()
        run_apart(_let_expire(url))

    async def look(self, db: Database) -> None:
        """Note what everyone has, and how many were notified."""
        self._expected, self._notices = await db.read(_wealth), await db.read(_notices)

    async def check(self, db: Database) -> None:
        """Check what everyone has."""
        if await db.read(_wealth) != self._expected:
            raise DoneWrongly("an owner has more or less")

    async def go_on(self, db: Database) -> None:
        """Do what is left."""
        survivor = OrderWorker(db, piece=PIECE_POSITIONS)
        while await survivor.run_due():
            pass
        # Pools that it did not get at once.
        while await db.read(_left):
            await survivor.run_due()
        self.paid += survivor.metrics.paid
        self.ended += survivor.metrics.ended

    async def check_done(self, db: Database) -> None:
        """Check that nothing is left, and that each fill was notified of once."""
        if await db.read(_left):
            raise DoneWrongly("something is left to be done")
        if await db.read(_notices) != self._notices + MAKERS * POOLS:
            raise DoneWrongly("owners were not notified once of each fill")


async def _let_expire(url: str) -> None:
    """Let the time of the orders that are to expire be past."""
    db = open_database(url)
    await db.write(lambda tx: tx.execute(sa.text("UPDATE limit_orders SET expires_at_ms = 1 WHERE expires_at_ms > 1")))
    await db.close()


def pay_what_is_left(url: str) -> None:
    """Do what killed processes have left to be done for fills and ends."""
    run_apart(_pay_what_is_left(url))


async def _pay_what_is_left(url: str) -> None:
    db = open_database(url)
    worker = OrderWorker(db)
    while await db.read(_owes):
        await worker.run_due()
    await db.close()


def _owes(tx: ReadTx) -> bool:
    return bool(tx.execute(sa.text("SELECT COUNT(*) FROM order_dues")).scalar_one())


def _wealth(tx: ReadTx) -> dict[int, int]:
    query = sa.text("""
        SELECT u.id, a.balance_kopecks + COALESCE(o.held, 0)
        FROM users u JOIN accounts a ON a.id = u.account_id
        LEFT JOIN (SELECT user_id, SUM(held_kopecks) AS held FROM limit_orders GROUP BY user_id) o ON o.user_id = u.id
    """)
    return {user_id: int(kopecks) for user_id, kopecks in tx.execute(query)}


def _notices(tx: ReadTx) -> int:
    return int(tx.execute(sa.text("SELECT COUNT(*) FROM notifications WHERE type = 'order_filled'")).scalar_one())


def _left(tx: ReadTx) -> bool:
    query = sa.text(
        "SELECT (SELECT COUNT(*) FROM limit_orders WHERE status = 'open') + (SELECT COUNT(*) FROM order_dues)"
    )
    return bool(tx.execute(query).scalar_one())


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    run_command("orders", __doc__, arguments, OrderTrial())
