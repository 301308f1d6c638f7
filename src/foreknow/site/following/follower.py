"""The worker that notifies followers: it reads what is new, then writes what follows from it in one short transaction.

The cursor of trades moves with what they cause. Trades that cause nothing move it now and then only: what is read
again has no effect, since alerts are of later trades than those before they were set, and follows exist already.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from foreknow.kernel.clock import MINUTE_MS
from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PoolRow, PricedPool, load_pools
from foreknow.people import notifications
from foreknow.people.follows import news
from foreknow.people.follows.news import EventFollower, WaitingNews
from foreknow.people.follows.store import FollowByTrade, follow_by_trade, new_follows_by_trade
from foreknow.people.notifications import Choices, NewNotifications
from foreknow.people.notifications.choices import choices_of
from foreknow.people.notifications.kinds import AnyContent, stored_content
from foreknow.people.notifications.kinds.followed import CreatorPublished, EventComment, TagPublished
from foreknow.people.notifications.kinds.own import PriceAlert
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Follower, Pieces
from foreknow.platform.jobs.follower import POLL_S
from foreknow.site.following import alerts, causes, moves, pending
from foreknow.site.following.alerts import BPS, PricePoint, ReachedAlert
from foreknow.site.following.causes import PriorEffects
from foreknow.site.following.moves import Move
from foreknow.site.following.past_prices import left_prices
from foreknow.site.following.trades import CURSOR, FollowedPiece, FollowedTrader, read_piece

#: Seconds of rest after each second of sending news, so that orders find the database and the processor free.
SEND_REST_SHARE = 4.0
#: Trades without effect after which the cursor is moved all the same.
MOVE_ON_TRADES = 1_000
#: How often ended markets are looked for.
SWEEP_EVERY_MS = MINUTE_MS
#: Followers that one transaction notifies: a few milliseconds of SQLite, for which orders wait.
PIECE_FOLLOWERS = 100


@dataclass(frozen=True, slots=True)
class Effects:
    """What follows from some trades."""

    follows: Sequence[FollowByTrade] = ()
    reached: Sequence[ReachedAlert] = ()
    moves: Sequence[Move] = ()
    #: The names that notifications of reached alerts need.
    pools: Mapping[int, PoolRow] = field(default_factory=dict)

    @property
    def are_none(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.follows or self.reached or self.moves)


def effects_of(tx: ReadTx, piece: FollowedPiece, *, at_ms: int) -> Effects:
    """Return what follows from the next trades."""
    pools = load_pools(tx, piece.alerted_pool_ids)
    reached = alerts.reached(tx, points_of(tx, piece.alerted, pools), most=alerts.REACHED_MAX) if pools else []
    traders = sorted(piece.traders, key=lambda one: one.last_number or 0)
    # Of a pool in which orders that rested were filled alone, no one moved the price.
    last_traders = {one.pool_id: None if one.last_number is None else one.user_id for one in traders}
    follows = new_follows_by_trade(tx, _first_trades(piece.traders))
    followed = {one.event_id for one in follows}
    moved = moves.of_events(tx, {one.event_id for one in piece.traders}, last_traders, at_ms=at_ms, followed=followed)
    return Effects(follows, reached, moved, pools)


def _first_trades(traders: Sequence[FollowedTrader]) -> list[FollowByTrade]:
    first_ms: dict[tuple[int, int], int] = {}
    for one in traders:
        if one.is_person:
            key = (one.event_id, one.user_id)
            first_ms[key] = min(first_ms.get(key, one.first_ms), one.first_ms)
    return [FollowByTrade(*key, at_ms) for key, at_ms in first_ms.items()]


def points_of(tx: ReadTx, traders: Mapping[int, int], pools: Mapping[int, PoolRow]) -> dict[int, list[PricePoint]]:
    """Return the prices of all markets of these pools after each of the trades, whose `traders` are given by id."""
    found: dict[int, list[PricePoint]] = defaultdict(list)
    for pool_id, left in left_prices(tx, pools, traders).items():
        for prices, number, at_ms, actor_id in left:
            for market, probability in zip(pools[pool_id].markets, prices, strict=True):
                found[market.id].append(PricePoint(probability, number, at_ms, actor_id))
    return found


class FollowingService(Follower):
    """Notifies followers of each thing once, however many processes there are."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S) -> None:
        """Follow what happens in `db`."""
        super().__init__("following", db, CURSOR, poll_s=poll_s)
        self._pieces = Pieces(read_piece)
        #: The trade up to which nothing is left to do, though the row may not say so yet.
        self._seq = 0
        self._swept_at_ms = 0

    async def follow(self) -> bool:
        """Do some of all that is new; return whether there may be more."""
        waiting = await self.db.lookup(pending.look)
        seq, writes = waiting.seq, self.writes
        if seq is None:
            await self.prepare()
            return True
        has_more = [
            waiting.newest_seq > max(self._seq, seq) and await self._follow_trades(seq),
            waiting.priors and await self.step(causes.next_priors, _write_priors) is not None,
            waiting.moves and await self._follow_moves(),
            waiting.comments and await self.step(causes.commented_events, causes.write_comments) is not None,
            waiting.ends and await self._follow_ends(),
            (waiting.news or self.writes > writes) and await self._send(),
        ]
        if waiting.alerts:
            await self._sweep(waiting.at_ms)
        return any(has_more)

    async def _follow_trades(self, seq: int) -> bool:
        after = max(self._seq, seq)

        def read(tx: ReadTx) -> tuple[FollowedPiece, Effects] | None:
            piece = self._pieces.read(tx, after)
            return None if piece is None else (piece, effects_of(tx, piece, at_ms=now_ms(tx)))

        found = await self.db.read(read)
        if found is None:
            return False
        piece, effects = found
        through = piece.through
        # Where more alerts were reached than one transaction ends, the same trades are looked at again.
        is_done = len(effects.reached) < alerts.REACHED_MAX
        if effects.are_none and through - seq < MOVE_ON_TRADES:
            self._seq = through
            return piece.is_full
        is_written = await self.write(
            lambda tx: _write(tx, effects, through if is_done else None),
            # Another process may have done some of it.
            if_at=lambda places: bool(places.seq <= after),
        )
        if is_written and is_done:
            self._seq = through
        return piece.is_full or not is_done

    async def _follow_moves(self) -> bool:
        found = await self.step(moves.of_due, lambda tx, due: moves.write(tx, due, at_ms=now_ms(tx)))
        return found is not None and len(found) == moves.PIECE_EVENTS

    async def _follow_ends(self) -> bool:
        found = await self.step(causes.closing_events, causes.write_closing)
        return found is not None and bool(found.rows)

    async def _send(self) -> bool:
        if not await self.db.lookup(news.is_any_waiting):
            return False
        began_s = time.perf_counter()
        may_have_more = await self.db.write_private(send_some)
        await asyncio.sleep(SEND_REST_SHARE * (time.perf_counter() - began_s))
        return may_have_more

    async def _sweep(self, at_ms: int) -> None:
        """Delete some alerts whose markets have ended, now and then."""
        if self.swept_through is None:
            if abs(at_ms - self._swept_at_ms) < SWEEP_EVERY_MS:
                return
            self.swept_through = 0
        await self.sweep(alerts.ended_pools, alerts.delete_of_pools)
        if self.swept_through is None:
            self._swept_at_ms = at_ms


def _write(tx: WriteTx, effects: Effects, through: int | None) -> None:
    at_ms = now_ms(tx)
    follow_by_trade(tx, effects.follows)
    moves.write(tx, effects.moves, at_ms=at_ms)
    notify_of_reached(tx, alerts.take(tx, effects.reached), effects.pools, at_ms=at_ms)
    if through is not None:
        CURSOR.move(tx, seq=through)


def _write_priors(tx: WriteTx, effects: PriorEffects) -> None:
    at_ms = now_ms(tx)
    notify_of_reached(tx, alerts.take(tx, effects.reached), effects.pools, at_ms=at_ms)
    causes.forget_priors(tx, effects)
    moved = moves.of_events(tx, effects.before, at_ms=at_ms, moved_at_ms=effects.moved_at_ms)
    moves.write(tx, moved, at_ms=at_ms)


def send_some(tx: WriteTx) -> bool:
    """Send news to some followers; return whether there may be more."""
    waiting = news.lock_next(tx)
    if waiting is None:
        return False
    event = load_events(tx, [waiting.event_id])[waiting.event_id]
    new = NewNotifications(event, at_ms=now_ms(tx))
    if waiting.kind == news.PUBLISHED:
        found = news.next_followers_of_published(tx, waiting, event, limit=PIECE_FOLLOWERS)
        _add_published(new, waiting, found)
        user_ids: Sequence[int] = [user_id for user_id, _ in found]
        notifications.record(tx, new)
    else:
        followers = news.next_followers(tx, waiting, limit=PIECE_FOLLOWERS)
        user_ids = [one.user_id for one in followers]
        choices = choices_of(tx, user_ids)
        sent = _sent(tx, waiting, choices)
        for one in followers:
            if one.user_id not in waiting.without and (content_at := sent(one)) is not None:
                content, at_ms = content_at
                new.add(one.user_id, content, happened_at_ms=at_ms)
        notifications.record(tx, new, choices=choices)
    news.note_sent(tx, waiting, through_user_id=user_ids[-1] if len(user_ids) == PIECE_FOLLOWERS else None)
    return True


def send_published(tx: WriteTx, user_id: int) -> None:
    """Send a person, who is about to follow someone or a tag no more, what waits for them of what was published."""
    for waiting in news.lock_published(tx):
        event = load_events(tx, [waiting.event_id])[waiting.event_id]
        new = NewNotifications(event, at_ms=now_ms(tx))
        found = news.next_followers_of_published(tx, waiting, event, limit=1, user_id=user_id)
        if found:
            _add_published(new, waiting, found)
            notifications.record(tx, new)
            news.leave_out(tx, waiting, user_id)


def _add_published(new: NewNotifications, waiting: WaitingNews, found: Sequence[tuple[int, str | None]]) -> None:
    for user_id, tag in found:
        if user_id not in waiting.without:
            content = CreatorPublished() if tag is None else TagPublished(tag=tag)
            new.add(user_id, content, happened_at_ms=waiting.created_at_ms)


def _sent(
    tx: ReadTx, waiting: WaitingNews, choices: Choices
) -> Callable[[EventFollower], tuple[AnyContent, int] | None]:
    """Return what gives a follower's content of news, and when it happened; None where it is not for them."""
    content = stored_content(waiting.kind, waiting.params)
    # Of a newer release, whose processes send it.
    assert content is not None, f"news of an unknown kind: {waiting.kind}"
    # Of the release before, news of comments names none.
    if not isinstance(content, EventComment) or "comment_ids" not in waiting.params:
        return lambda one: (content, waiting.created_at_ms) if one.followed(waiting.created_at_ms) else None
    shown = causes.shown_comments(tx, waiting.params["comment_ids"])

    def number(one: EventFollower) -> tuple[AnyContent, int] | None:
        """Count others' comments that were written while they wanted to be notified of such."""
        written_ms = [
            comment.created_at_ms
            for comment in shown
            if comment.user_id != one.user_id
            and one.followed(comment.created_at_ms)
            and choices.of(one.user_id, waiting.kind, at_ms=comment.created_at_ms).is_any
        ]
        return (EventComment(count=len(written_ms)), max(written_ms)) if written_ms else None

    return number


def notify_of_reached(
    tx: WriteTx, reached: Sequence[ReachedAlert], pools: Mapping[int, PricedPool], *, at_ms: int
) -> None:
    """Notify people of price alerts that were reached, but not of those that they have reached themselves."""
    events = load_events(tx, {pool.event_id for pool in pools.values()})
    for one in reached:
        if one.point.actor_id == one.user_id:
            continue
        pool = pools[one.pool_id]
        (name,) = (market.name for market in pool.markets if market.id == one.market_id)
        new = NewNotifications(events[pool.event_id], at_ms=at_ms)
        after_bps = round(one.point.probability * BPS)
        if one.limit == "above":
            reached_alert = PriceAlert(market_name=name, above_bps=one.bps, after_bps=after_bps)
        else:
            reached_alert = PriceAlert(market_name=name, below_bps=one.bps, after_bps=after_bps)
        notifications.record(tx, new.add(one.user_id, reached_alert, happened_at_ms=one.point.at_ms))
