"""News for followers: written in the transaction of its cause, as one row however many follow; `site/following` sends
it in pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import msgspec
import sqlalchemy as sa

from foreknow.people.follows.store import IS_FOLLOWED
from foreknow.people.follows.tables import (
    event_follows,
    follower_news,
    price_alerts,
    prior_moves,
    tag_follows,
    user_follows,
)
from foreknow.people.notifications.kinds import AnyContent
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: News for who follows the creator or a tag. All else is a kind of notification, for who follows the event.
PUBLISHED = "event_published"
_E, _U, _T = event_follows.c, user_follows.c, tag_follows.c


class PublishedEvent(Protocol):
    """An event that was published."""

    @property
    def id(self) -> int:
        """Its id."""
        ...

    @property
    def creator_id(self) -> int:
        """Who made it."""
        ...

    @property
    def tags(self) -> Sequence[str]:
        """Its tags."""
        ...


def write(
    tx: WriteTx,
    event_id: int,
    content: AnyContent,
    *,
    without: Collection[int],
    at_ms: int,
    comment_ids: Collection[int] = (),
) -> None:
    """Write news of an event, for those who followed it at `at_ms`: when it happened.

    `without` are the people who are not notified: it is their own act, or they are notified otherwise. `comment_ids`:
    the comments that it is about.
    """
    params = {**content.params(), "comment_ids": sorted(comment_ids)} if comment_ids else content.params()
    _insert(tx, content.about.kind, event_id, without=without, at_ms=at_ms, params=params)


def write_published(tx: WriteTx, event: PublishedEvent, *, without: Collection[int], at_ms: int) -> None:
    """Write that an event was published, for those who follow its creator or one of its tags."""
    of_creator = sa.exists().where(_U.followed_id == event.creator_id)
    is_followed = sa.or_(of_creator, *(sa.exists().where(_T.tag == tag) for tag in set(event.tags)))
    if tx.execute(sa.select(is_followed)).scalar_one():
        _insert(tx, PUBLISHED, event.id, without=without, at_ms=at_ms, params={})


def _insert(
    tx: WriteTx, kind: str, event_id: int, *, without: Collection[int], at_ms: int, params: Mapping[str, Any]
) -> None:
    row = {
        "kind": kind,
        "event_id": event_id,
        "params": params,
        "without": sorted(set(without)),
        "created_at_ms": at_ms,
    }
    tx.execute(follower_news.insert().values(row))


class MovedPool(Protocol):
    """A pool whose priors move."""

    @property
    def id(self) -> int:
        """Its id."""
        ...

    @property
    def event_id(self) -> int:
        """Its event."""
        ...


def note_prior(tx: WriteTx, pool: MovedPool, after: Sequence[float], *, before: Sequence[float], at_ms: int) -> None:
    """Note new priors of a locked pool, where anyone waits for a price of it or follows its event."""
    waits = sa.exists().where(price_alerts.c.pool_id == pool.id)
    follows = sa.exists().where(_E.event_id == pool.event_id, _E.is_on == sa.true())
    if tx.execute(sa.select(sa.or_(waits, follows))).scalar_one():
        prices = {"before": list(before), "after": list(after)}
        row = {"event_id": pool.event_id, "pool_id": pool.id, **prices, "moved_at_ms": at_ms}
        tx.execute(prior_moves.insert().values(row))


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingNews:
    """News that some followers have not been notified of."""

    id: int
    kind: str
    event_id: int
    params: Mapping[str, Any]
    without: Collection[int]
    created_at_ms: int
    after_user_id: int


_WAITING = sa.select(*(follower_news.c[name] for name in WaitingNews.__slots__))


def encoded(prices: Sequence[float]) -> str:
    """Return prices as a row has them."""
    return msgspec.json.encode(list(prices)).decode()


def is_any_waiting(tx: ReadTx) -> bool:
    """Return whether there is news."""
    return tx.execute(sa.select(follower_news.c.id).limit(1)).first() is not None


def lock_next(tx: WriteTx) -> WaitingNews | None:
    """Lock the news that was sent in the fewest pieces so far, of equal ones the oldest; None for none that is free."""
    query = _WAITING.order_by(follower_news.c.pieces, follower_news.c.id).limit(1)
    row = tx.execute(query.with_for_update(skip_locked=True)).mappings().one_or_none()
    return None if row is None else WaitingNews(**row)


def lock_published(tx: WriteTx) -> list[WaitingNews]:
    """Lock the news of published events, by id."""
    query = _WAITING.where(follower_news.c.kind == PUBLISHED).order_by(follower_news.c.id)
    return [WaitingNews(**row) for row in tx.execute(query.with_for_update()).mappings()]


def leave_out(tx: WriteTx, news: WaitingNews, user_id: int) -> None:
    """Notify a person of locked news no more."""
    own = follower_news.update().where(follower_news.c.id == news.id)
    tx.execute(own.values(without=sorted({*news.without, user_id})))


def note_sent(tx: WriteTx, news: WaitingNews, *, through_user_id: int | None) -> None:
    """Note up to which follower locked news is sent; None: to all."""
    own = follower_news.c.id == news.id
    if through_user_id is None:
        tx.execute(follower_news.delete().where(own))
    else:
        pieces = follower_news.c.pieces + 1
        tx.execute(follower_news.update().where(own).values(after_user_id=through_user_id, pieces=pieces))


class EventFollower(NamedTuple):
    """Who follows an event, or has followed it before."""

    user_id: int
    is_on: bool
    #: Since when it is on, or off.
    followed_at_ms: int
    earlier_from_ms: int | None
    earlier_until_ms: int | None

    def followed(self, at_ms: int) -> bool:
        """Return whether they followed it at a moment."""
        if self.is_on and self.followed_at_ms <= at_ms:
            return True
        return (self.earlier_from_ms or 0) <= at_ms < (self.earlier_until_ms or 0)


def next_followers(tx: ReadTx, news: WaitingNews, *, limit: int) -> list[EventFollower]:
    """Return the next people, by id, who may have followed an event when there was news of it."""
    query = sa.select(*(_E[name] for name in EventFollower._fields)).where(
        _E.event_id == news.event_id,
        _E.user_id > news.after_user_id,
        sa.or_(sa.and_(IS_FOLLOWED, _E.followed_at_ms <= news.created_at_ms), _E.earlier_until_ms.is_not(None)),
    )
    return [EventFollower(*row) for row in tx.execute(query.order_by(_E.user_id).limit(limit))]


def next_followers_of_published(
    tx: ReadTx, news: WaitingNews, event: PublishedEvent, *, limit: int, user_id: int | None = None
) -> list[tuple[int, str | None]]:
    """Return the next people, by id, who follow the creator of an event, or one of its tags, which is given.

    With `user_id`, that person alone.
    """

    def is_next(follows: Any) -> sa.ColumnElement[bool]:
        is_due = sa.and_(follows.user_id > news.after_user_id, follows.followed_at_ms <= news.created_at_ms)
        return is_due if user_id is None else sa.and_(is_due, follows.user_id == user_id)

    of_creator = sa.select(_U.user_id).where(_U.followed_id == event.creator_id, is_next(_U))
    found: dict[int, str | None] = dict.fromkeys(
        tx.execute(of_creator.order_by(_U.user_id).limit(limit)).scalars().all()
    )
    for tag in event.tags:
        of_tag = sa.select(_T.user_id).where(_T.tag == tag, is_next(_T))
        for follower_id in tx.execute(of_tag.order_by(_T.user_id).limit(limit)).scalars():
            found.setdefault(follower_id, tag)
    return sorted(found.items())[:limit]
