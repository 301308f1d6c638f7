"""News for followers: written in the transaction of its cause, as one row however many follow; `site/following` sends
it in pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
import sqlalchemy as sa

from foreknow.people.follows.store import followed_events
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
    by: Mapping[int, int] | None = None,
) -> None:
    """Write news of an event that anyone follows; nothing where no one does.

    `without` are the people who are not notified: it is their own act, or they are notified otherwise. `by`: how much
    of its number is each one's own doing.
    """
    if followed_events(tx, [event_id]):
        params = content.params() if by is None else {**content.params(), "by": by}
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


def encoded(prices: Sequence[float]) -> str:
    """Return prices as a row has them."""
    return msgspec.json.encode(list(prices)).decode()


def is_any_waiting(tx: ReadTx) -> bool:
    """Return whether there is news."""
    return tx.execute(sa.select(follower_news.c.id).limit(1)).first() is not None


def lock_next(tx: WriteTx) -> WaitingNews | None:
    """Lock the news that was sent in the fewest pieces so far, of equal ones the oldest; None for none that is free."""
    columns = [follower_news.c[name] for name in WaitingNews.__slots__]
    query = sa.select(*columns).order_by(follower_news.c.pieces, follower_news.c.id).limit(1)
    row = tx.execute(query.with_for_update(skip_locked=True)).mappings().one_or_none()
    return None if row is None else WaitingNews(**row)


def note_sent(tx: WriteTx, news: WaitingNews, *, through_user_id: int | None) -> None:
    """Note up to which follower locked news is sent; None: to all."""
    own = follower_news.c.id == news.id
    if through_user_id is None:
        tx.execute(follower_news.delete().where(own))
    else:
        pieces = follower_news.c.pieces + 1
        tx.execute(follower_news.update().where(own).values(after_user_id=through_user_id, pieces=pieces))


def next_followers(tx: ReadTx, news: WaitingNews, *, limit: int) -> Sequence[int]:
    """Return the next people, by id, who followed an event when there was news of it, and still do."""
    query = sa.select(_E.user_id).where(
        _E.event_id == news.event_id,
        _E.user_id > news.after_user_id,
        _E.is_on == sa.true(),
        _E.followed_at_ms <= news.created_at_ms,
    )
    return tx.execute(query.order_by(_E.user_id).limit(limit)).scalars().all()


def next_followers_of_published(
    tx: ReadTx, news: WaitingNews, event: PublishedEvent, *, limit: int
) -> list[tuple[int, str | None]]:
    """Return the next people, by id, who follow the creator of an event, or one of its tags, which is given."""
    of_creator = sa.select(_U.user_id).where(
        _U.followed_id == event.creator_id,
        _U.user_id > news.after_user_id,
        _U.followed_at_ms <= news.created_at_ms,
    )
    found: dict[int, str | None] = dict.fromkeys(
        tx.execute(of_creator.order_by(_U.user_id).limit(limit)).scalars().all()
    )
    for tag in event.tags:
        of_tag = sa.select(_T.user_id).where(
            _T.tag == tag, _T.user_id > news.after_user_id, _T.followed_at_ms <= news.created_at_ms
        )
        for user_id in tx.execute(of_tag.order_by(_T.user_id).limit(limit)).scalars():
            found.setdefault(user_id, tag)
    return sorted(found.items())[:limit]
