"""Splits: the process that turns a list's positions is killed before and after each of its commits; another goes on.

python -m faults splits
python -m faults splits --database postgres --workers 2

After each kill the books must be right, and every holder has the same: what they are worth, and what each result would
pay them. The other process turns what is left, each position once. Then the list is resolved and pays that.
"""

from __future__ import annotations

from collections import Counter

import sqlalchemy as sa

from faults.killing import DoneWrongly, Trial, run_apart, run_command
from faults.payer import PIECE_POSITIONS
from foreknow.kernel.clock import system_clock
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.positions.tables import position_splits, positions
from foreknow.trading.settlement import service
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.trading.lists.crowds import NAMES, ListCrowd, read_list, split_crowd, turn_all, turned_count
from tests.trading.settlement.crowds import pay_all, wealth

#: Indexes in the list of a crowd, once it is split.
OTHER, ADDED = len(NAMES) - 1, len(NAMES)


class SplitTrial(Trial):
    """A split list of a crowd."""

    what = "lists"

    def __init__(self) -> None:
        super().__init__()
        #: Positions that processes turned which went on.
        self.positions = 0
        self._made: ListCrowd | None = None
        self._turned = 0
        self._worth: dict[int, int] = {}
        self._payoffs: Counter[tuple[int, int]] = Counter()

    @property
    def made(self) -> ListCrowd:
        """The crowd whose list is to be turned."""
        assert self._made is not None
        return self._made

    @property
    def figures(self) -> str:
        """What came of the kills, in a line."""
        return (
            f"{self.kills} kills in {self.rounds} splits, {self.positions} positions turned by the process that went"
            " on, each once, no holder's worth or payoff changed at any check, every book right"
        )

    def prepare(self, url: str) -> None:
        """Let a crowd trade in a list, and split it."""
        self._made = run_apart(self._make(url))

    async def look(self, db: Database) -> None:
        """Note what everyone has, and would be paid."""
        self._turned = await db.read(turned_count)
        self._worth = await self._wealth(db)
        self._payoffs = await db.read(lambda tx: payoffs_kopecks(tx, self.made))
        to_turn = {user_id for user_id, outcome in self._payoffs if outcome == OTHER}
        if to_turn != set(self.made.traders):
            raise DoneWrongly("not everyone holds Other")

    async def check(self, db: Database) -> None:
        """Check what everyone has, and would be paid."""
        worth = await self._wealth(db)
        # Of two positions each is worth a whole number of kopecks: perhaps one less than of both together.
        if not all(self._worth[user_id] - 1 <= worth[user_id] <= self._worth[user_id] for user_id in self._worth):
            raise DoneWrongly("a holder has more or less")
        if await db.read(lambda tx: payoffs_kopecks(tx, self.made)) != self._payoffs:
            raise DoneWrongly("a result would pay a holder more or less")

    async def go_on(self, db: Database) -> None:
        """Turn what is left."""
        turned = await db.read(turned_count)
        await turn_all(SplitTurner(db, piece_positions=PIECE_POSITIONS))
        self.positions += await db.read(turned_count) - turned

    async def check_done(self, db: Database) -> None:
        """Check that the list is turned, each position once, and let one of the results pay it."""
        if (await db.read(lambda tx: read_list(tx, self.made))).turning:
            raise DoneWrongly("the list is not turned")
        if await db.read(turned_count) - self._turned != len(self.made.traders):
            raise DoneWrongly("a position was turned twice or never")
        winner = (OTHER + self.rounds) % (ADDED + 1)
        before = await self._balances(db)
        body = ResolveBody(won_side=winner)
        await db.write(lambda tx: service.resolve(tx, self.made.pool_id, body, self.made.creator))
        await pay_all(PaymentService(db))
        expected = {user_id: kopecks + self._payoffs[user_id, winner] for user_id, kopecks in before.items()}
        if await self._balances(db) != expected:
            raise DoneWrongly(f"outcome {winner} paid a holder more or less")

    async def _make(self, url: str) -> ListCrowd:
        db = open_database(url)
        try:
            return await split_crowd(db, acme=self._made.acme if self._made else None)
        finally:
            await db.close()

    async def _wealth(self, db: Database) -> dict[int, int]:
        return await db.read(lambda tx: wealth(tx, self.made.traders, now_ms=system_clock()))

    async def _balances(self, db: Database) -> dict[int, int]:
        found = await db.read(lambda tx: balances_kopecks(tx, kind=AccountKind.USER, owner_ids=self.made.traders))
        return dict(found)


def payoffs_kopecks(tx: ReadTx, made: ListCrowd) -> Counter[tuple[int, int]]:
    """Return what each trader would be paid by each outcome, from the rows alone; one not turned yet has both."""
    outcomes = {market.id: outcome for outcome, market in enumerate(read_list(tx, made).markets)}
    turned = set(tx.execute(sa.select(position_splits.c.position_id)).scalars())
    held = sa.select(positions).where(positions.c.pool_id == made.pool_id, positions.c.closed_at_ms.is_(None))
    payoffs: Counter[tuple[int, int]] = Counter()
    for row in tx.execute(held):
        wins = {outcomes[row.market_id]}
        if wins == {OTHER} and row.id not in turned:
            wins.add(ADDED)
        for outcome in wins if row.side == "YES" else set(outcomes.values()) - wins:
            payoffs[row.user_id, outcome] += row.shares
    return payoffs


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    run_command("splits", __doc__, arguments, SplitTrial())
