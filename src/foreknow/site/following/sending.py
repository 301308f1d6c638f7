"""Sends news to followers: a piece of them in each transaction, which also notes how far it came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PricedPool
from foreknow.people import notifications
from foreknow.people.follows import news
from foreknow.people.follows.news import WaitingNews
from foreknow.people.notifications import NewNotifications
from foreknow.people.notifications.kinds import AnyContent, stored_content
from foreknow.people.notifications.kinds.followed import CreatorPublished, EventComment, TagPublished
from foreknow.people.notifications.kinds.own import PriceAlert
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.following.alerts import BPS, ReachedAlert

#: Followers that one transaction notifies: a few milliseconds of SQLite, for which orders wait.
PIECE_FOLLOWERS = 100


def send_some(tx: WriteTx) -> bool:
    """Send news to some followers; return whether there may be more."""
    waiting = news.lock_next(tx)
    if waiting is None:
        return False
    event = load_events(tx, [waiting.event_id])[waiting.event_id]
    new = NewNotifications(event, at_ms=now_ms(tx))
    if waiting.kind == news.PUBLISHED:
        found = news.next_followers_of_published(tx, waiting, event, limit=PIECE_FOLLOWERS)
        user_ids: Sequence[int] = [user_id for user_id, _ in found]
        for user_id, tag in found:
            if user_id not in waiting.without:
                new.add(user_id, CreatorPublished() if tag is None else TagPublished(tag=tag))
    else:
        user_ids = news.next_followers(tx, waiting, limit=PIECE_FOLLOWERS)
        for user_id in user_ids:
            if user_id not in waiting.without and (content := _content(waiting, user_id)) is not None:
                new.add(user_id, content)
    notifications.record(tx, new)
    news.note_sent(tx, waiting, through_user_id=user_ids[-1] if len(user_ids) == PIECE_FOLLOWERS else None)
    return True


def _content(waiting: WaitingNews, user_id: int) -> AnyContent | None:
    """Return news for a follower; None where all comments are their own."""
    content = stored_content(waiting.kind, waiting.params)
    # Of a newer release, whose processes send it.
    assert content is not None, f"news of an unknown kind: {waiting.kind}"
    if not isinstance(content, EventComment):
        return content
    others = content.count - waiting.params["by"].get(str(user_id), 0)
    return replace(content, count=others) if others else None


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
        notifications.record(tx, new.add(one.user_id, reached_alert))
