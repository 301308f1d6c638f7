"""News of pools for who holds shares of them: the worker that sends it, a piece in each transaction.

A verdict says what each will be paid, which follows from the row of the news alone: a later verdict may replace it
meanwhile. A piece notes in its transaction how far it came, under the lock of the row: so each person is notified once,
whatever process dies and however many there are. A pool is paid once everyone is notified of its verdicts (`payments`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.market.events.store import load_events
from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.liquidity import PastTrades
from foreknow.market.pools.resolutions import Decision, read_resolution
from foreknow.market.pools.store import PoolRow, load_pools, lock_pools, pool_ids_of_events
from foreknow.market.pools.verdicts import Reasons
from foreknow.people import notifications
from foreknow.people.follows import news, pool_news
from foreknow.people.follows.news import WaitingNews
from foreknow.people.follows.pool_news import POOL_NEWS, NewsStage, PaidVerdict, PoolNews
from foreknow.people.notifications import NewNotifications
from foreknow.people.notifications.kind import shortened
from foreknow.people.notifications.kinds import AnyContent, stored_content
from foreknow.people.notifications.kinds.verdicts import RulesClarified, VerdictDecided, VerdictHeld
from foreknow.people.users.tables import IS_PERSON, users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobPiece, PiecewiseWorker
from foreknow.platform.jobs.piecewise import piece_rows
from foreknow.trading.effects.payouts import PaymentProgress, next_positions
from foreknow.trading.effects.pieces import settle_locked
from foreknow.trading.limit_orders.store import next_with_orders
from foreknow.trading.positions.store import OpenPosition
from foreknow.trading.settlement.holdings import Held, held_by, paid_to
from foreknow.trading.settlement.store import note_decision

#: How often a process looks for news, also of others: the first are notified within 2 s.
POLL_S = 0.5
#: People before the news that came meanwhile has its turn.
TURN_PEOPLE = 640
#: Seconds of rest after each second of pieces, so that orders find the database free.
REST_SHARE_SQLITE, REST_SHARE_POSTGRES = 1.0, 0.05


def write_decided(tx: WriteTx, pool: PoolRow, decision: Decision, reasons: Reasons) -> None:
    """Notify all who hold shares of a locked pool, and partners, of its new verdict, where that has a window."""
    if decision.disputable_until_ms is None:
        return
    resolution = decision.resolution
    content = VerdictDecided(
        pool_name=pool.name,
        pool_name_ru=pool.name_ru,
        result=pool.winner_name(resolution),
        payouts=resolution.paid_parts(),
        payout_kopecks=0,
        disputable_until=iso(decision.disputable_until_ms),
        why=shortened(reasons.note),
        why_ru=shortened(reasons.note_ru),
    )
    paid = PaidVerdict(resolution=dict(resolution.stored), void_prices=decision.void_prices)
    pool_news.write(tx, pool, content, at_ms=decision.at_ms, verdict=paid)
    note_decision(tx, pool.id, decision, at_ms=decision.at_ms)


def write_held(tx: WriteTx, pool: PoolRow, *, held_until_ms: int, at_ms: int) -> None:
    """Notify who holds shares of a locked pool, and partners, that its verdict is held: call it at its first hold."""
    assert pool.decision is not None
    note_decision(tx, pool.id, pool.decision, at_ms=at_ms, held_until_ms=held_until_ms)
    content = VerdictHeld(pool_name=pool.name, pool_name_ru=pool.name_ru, held_until=iso(held_until_ms))
    pool_news.write(tx, pool, content, at_ms=at_ms)


def notify_of_verdicts(tx: WriteTx, pool_id: int, *, size: int) -> bool:
    """Notify some holders of a pool's verdict; return whether there was news of one."""
    news_id = pool_news.oldest_of_pool(tx, pool_id, kind=VerdictDecided.about.kind)
    if news_id is None:
        return False
    waiting = pool_news.lock(tx, news_id)
    if waiting is not None and _notify(tx, waiting, size=size)[0]:
        pool_news.forget(tx, news_id)
    return True


class HolderNotifier(PiecewiseWorker[None]):
    """Notifies holders in the background; how far it came stands in the row of the news."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S, piece_people: int | None = None) -> None:
        """Send the news of `db`; `piece_people` depends on the database."""
        self._size = piece_people or piece_rows(db)
        super().__init__(
            "pool-news",
            db,
            POOL_NEWS,
            self._piece_of,
            start=None,
            turn_pieces=max(1, TURN_PEOPLE // self._size),
            rest_share=REST_SHARE_SQLITE if db.is_sqlite else REST_SHARE_POSTGRES,
            # No money waits for it for longer than the database is away, and the worker's failures are logged.
            on_failing=lambda _tx, _news_id: None,
            poll_s=poll_s,
        )

    def _piece_of(self, tx: WriteTx, news_id: int, _place: None) -> JobPiece[None]:
        waiting = pool_news.lock(tx, news_id)
        if waiting is None:
            return JobPiece(None, is_last=True)
        is_last, notified = _notify(tx, waiting, size=self._size)
        return JobPiece(None, is_last=is_last, rests=True, rows=notified)


def _notify(tx: WriteTx, waiting: PoolNews, *, size: int) -> tuple[bool, int]:
    """Send locked news to the next people; return whether all have it now, and to how many it was sent."""
    content = stored_content(waiting.kind, waiting.params)
    # Of a newer release, whose processes send it.
    assert content is not None, f"news of an unknown kind: {waiting.kind}"
    if waiting.stage == NewsStage.HOLDERS:
        return _notify_holders(tx, waiting, content, size=size)
    if waiting.stage == NewsStage.ORDERERS:
        pool_ids = pool_ids_of_events(tx, [waiting.event_id])[waiting.event_id]
        found = next_with_orders(tx, pool_ids, after_user_id=waiting.after_id, limit=size)
        notified, last_id = found, found[-1] if len(found) == size else None
    else:
        as_followed = _as_followed(waiting)
        followers = news.next_followers(tx, as_followed, limit=size)
        notified = [one.user_id for one in followers if one.followed(waiting.created_at_ms)]
        last_id = followers[-1].user_id if len(followers) == size else None
    sent = _send(tx, waiting, dict.fromkeys(notified, content))
    if last_id is not None:
        pool_news.note_notified(tx, waiting, stage=NewsStage(waiting.stage), after_id=last_id)
    elif waiting.stage == NewsStage.ORDERERS:
        pool_news.note_notified(tx, waiting, stage=NewsStage.FOLLOWERS)
    else:
        return True, sent
    return False, sent


def _notify_holders(tx: WriteTx, waiting: PoolNews, content: AnyContent, *, size: int) -> tuple[bool, int]:
    place = PaymentProgress(waiting.outcome_index, waiting.after_id)
    pool = load_pools(tx, [waiting.pool_id])[waiting.pool_id]
    is_first_of_verdict = isinstance(content, VerdictDecided) and not place.has_begun
    if is_first_of_verdict or pool.turning:
        pool = lock_pools(tx, [pool.id])[pool.id]
    if is_first_of_verdict and not settle_locked(tx, pool, size=size).is_empty:
        # What orders have bought and sold is written to its owners' positions first.
        return False, 0
    found, after = next_positions(tx, pool, place, size)
    holders = _first_held(tx, pool, found)
    paid = _payouts(tx, waiting, pool, holders) if isinstance(content, VerdictDecided) else {}
    contents: dict[int, AnyContent] = {
        user_id: replace(content, payout_kopecks=paid[user_id]) if isinstance(content, VerdictDecided) else content
        for user_id in holders
    }
    sent = _send(tx, waiting, contents)
    if after is not None:
        pool_news.note_notified(
            tx, waiting, stage=NewsStage.HOLDERS, outcome_index=after.outcome_index, after_id=after.after_id
        )
    elif isinstance(content, RulesClarified):
        pool_news.note_notified(tx, waiting, stage=NewsStage.ORDERERS)
    else:
        return True, sent
    return False, sent


def _first_held(tx: ReadTx, pool: PoolRow, found: Sequence[tuple[MarketRow, OpenPosition]]) -> Held:
    """Return what those hold whose first position in the pool is among these: each is notified once."""
    held = held_by(tx, pool, {position.user_id for _, position in found})
    here = {position.id for _, position in found}
    return {user_id: own for user_id, own in held.items() if min(own, key=_place)[1].id in here}


def _place(held: tuple[MarketRow, OpenPosition]) -> tuple[int, int]:
    market, position = held
    return market.outcome_index, position.id


def _payouts(tx: ReadTx, waiting: PoolNews, pool: PoolRow, holders: Held) -> dict[int, int]:
    """Return what a verdict pays each of some people, kopecks."""
    verdict = msgspec.convert(waiting.verdict, PaidVerdict)
    resolution = read_resolution(verdict.resolution, outcomes=len(pool.weights))
    market_maker = pool.lmsr_at(msgspec.convert(verdict.void_prices, PastTrades | None))
    return paid_to(tx, pool, holders, resolution, market_maker)


def _send(tx: WriteTx, waiting: PoolNews, contents: Mapping[int, AnyContent]) -> int:
    """Notify those who are people and whose accounts are not deleted; return how many."""
    # A deletion changes the row: it comes before, and no one is notified, or after.
    wanted = [user_id for (user_id,) in _PEOPLE.fetch(tx, {"ids": list(contents)}) if user_id != waiting.without_id]
    if waiting.kind == RulesClarified.about.kind:
        wanted = pool_news.not_notified_of_rules(tx, waiting, wanted)
    event = load_events(tx, [waiting.event_id])[waiting.event_id]
    new = NewNotifications(event, at_ms=now_ms(tx))
    for user_id in wanted:
        new.add(user_id, contents[user_id], happened_at_ms=waiting.created_at_ms)
    notifications.record(tx, new)
    return len(wanted)


def _as_followed(waiting: PoolNews) -> WaitingNews:
    return WaitingNews(
        id=waiting.id,
        kind=waiting.kind,
        event_id=waiting.event_id,
        params=waiting.params,
        without=(),
        created_at_ms=waiting.created_at_ms,
        after_user_id=waiting.after_id,
    )


_PEOPLE = CompiledQuery(
    sa.select(users.c.id)
    .where(in_array(users.c.id), IS_PERSON, users.c.deleted_at_ms.is_(None))
    .order_by(users.c.id)
    .with_for_update(read=True)
)
