"""The worker that counts: it reads what is new, then writes what follows from it in one short transaction."""

from __future__ import annotations

import asyncio

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Follower, Pieces
from foreknow.site.activity import counting, holdings, splits, tags, traders, windows
from foreknow.site.activity.holdings import PaidPools
from foreknow.site.activity.pending import what_is_pending
from foreknow.site.activity.tables import CURSOR
from foreknow.site.activity.tags import Noted
from foreknow.site.activity.trades import read_piece

#: Seconds of rest for each second of work while it is far behind, as after the upgrade of an old service, which has
#: millions of trades to count.
CATCH_UP_REST_SHARE = 1.0


class ActivityFollower(Follower):
    """Counts trades and what else `activity` keeps, once, however many processes there are."""

    def __init__(self, db: Database) -> None:
        """Follow the trades of `db`."""
        super().__init__("activity", db, CURSOR)
        self._pieces = Pieces(read_piece)

    async def follow(self) -> bool:
        """Count some of all that is new; return whether there may be more."""
        pending = await self.db.lookup(what_is_pending)
        if not any(pending) and self.swept_through is None:
            return False
        began_s = asyncio.get_running_loop().time()
        has_more = [pending.trades and await self._count_trades()]
        if pending.trades:
            # With what follows from the trades.
            pending = await self.db.lookup(what_is_pending)
        has_more += [
            pending.splits and await self._count_splits(),
            pending.paid and await self._count_paid(),
            pending.events and await self._count_events(),
            await self.sweep(tags.uncounted, lambda tx, wrong: tags.count(tx, Noted((), wrong))),
            pending.past and await self.write(windows.take_past_out),
            pending.renewals and await self._renew(),
            pending.sums and await self.step(traders.past_sums, traders.delete_sums) is not None,
        ]
        if any(has_more):
            await asyncio.sleep(CATCH_UP_REST_SHARE * (asyncio.get_running_loop().time() - began_s))
        return any(has_more)

    async def _count_trades(self) -> bool:
        piece = await self.db.read(lambda tx: self._pieces.read(tx, CURSOR.get(tx, "seq")))
        if piece is None:
            return False
        is_counted = await self.write(
            lambda tx: counting.count(tx, piece), if_at=lambda places: bool(places.seq == piece.after)
        )
        return is_counted and piece.is_full

    async def _count_splits(self) -> bool:
        made = await self.step(splits.uncounted, splits.count)
        return made is not None and len(made) == splits.PIECE_POSITIONS

    async def _count_paid(self) -> bool:
        paid = await self.step(_next_paid, holdings.count_paid)
        return paid is not None and bool(paid.ready_ids)

    async def _count_events(self) -> bool:
        noted = await self.step(tags.noted, tags.count)
        return noted is not None and noted.is_full

    async def _renew(self) -> bool:
        renewals = await self.step(windows.due_renewals, windows.renew)
        return renewals is not None and len(renewals) == windows.PIECE_EVENTS


def _next_paid(tx: ReadTx) -> PaidPools | None:
    # First who holds what.
    return None if splits.uncounted(tx) else holdings.next_paid(tx)
