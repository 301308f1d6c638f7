"""Sends news to followers: a piece of them in each transaction, which also notes how far it came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PricedPool
from foreknow.people import notifications
from foreknow.people.follows import news
from foreknow.people.follows.news import WaitingNews
from foreknow.people.notifications import NewNotifications
from foreknow.people.notifications.types import NotificationType
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
    if waiting.kind == "event_published":
        found = news.next_followers_of_published(tx, waiting, event, limit=PIECE_FOLLOWERS)
        user_ids: Sequence[int] = [user_id for user_id, _ in found]
        for user_id, tag in found:
            if user_id not in waiting.without:
                _add_published(new, user_id, tag)
    else:
        user_ids = news.next_followers(tx, waiting, limit=PIECE_FOLLOWERS)
        for user_id in user_ids:
            if user_id not in waiting.without:
                _add(new, waiting, waiting.kind, user_id)
    notifications.record(tx, new)
    news.note_sent(tx, waiting, through_user_id=user_ids[-1] if len(user_ids) == PIECE_FOLLOWERS else None)
    return True


def _add_published(new: NewNotifications, user_id: int, tag: str | None) -> None:
    if tag is None:
        new.add("creator_published", user_id)
    else:
        new.add("tag_published", user_id, tag=tag)


def _add(new: NewNotifications, waiting: WaitingNews, kind: NotificationType, user_id: int) -> None:
    params: dict[str, Any] = dict(waiting.params)
    if kind == "event_comment":
        # Without one's own.
        params["count"] -= params.pop("by").get(str(user_id), 0)
        if not params["count"]:
            return
    if kind in {"event_resolved", "event_cancelled"}:
        # Its creator is notified in other words.
        params["followed"] = 1
    new.add(kind, user_id, **params)


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
        bps: dict[str, Any] = {f"{one.limit}_bps": one.bps, "after_bps": round(one.point.probability * BPS)}
        notifications.record(tx, new.add("price_alert", one.user_id, market_name=name, **bps))
