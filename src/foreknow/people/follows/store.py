"""Who follows what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.people.follows.errors import TooManyFollows
from foreknow.people.follows.tables import (
    event_follows,
    followed_comments,
    price_alerts,
    rule_notices,
    tag_follows,
    user_follows,
)
from foreknow.people.users.store import lock_person
from foreknow.platform.db.bulk import CompiledQuery, as_rows, values_table
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Most events, most users and most tags that one person follows.
FOLLOWS_MAX = 1_000

_E, _U, _T = event_follows.c, user_follows.c, tag_follows.c
#: As the condition of a query that is to follow an index.
IS_FOLLOWED: sa.ColumnElement[bool] = _E.is_on == sa.true()
#: Now, or when something happened that is not sent yet.
IS_OR_WAS_FOLLOWED = sa.or_(IS_FOLLOWED, _E.earlier_until_ms.is_not(None))


def follow_event(tx: WriteTx, user_id: int, event_id: int) -> None:
    """Let a person follow an event that exists; `TooManyFollows`."""
    lock_person(tx, user_id)
    own = sa.and_(_E.event_id == event_id, _E.user_id == user_id)
    found = tx.execute(sa.select(_E.is_on, _E.by_trade).where(own)).one_or_none()
    if found is None or not found.is_on:
        _make_space(tx, user_id)
    if found is None or not found.is_on or found.by_trade:
        apply(tx, _FOLLOW_EVENT, [(event_id, user_id, True, False, now_ms(tx))])


def unfollow_event(tx: WriteTx, user_id: int, event_id: int) -> None:
    """Let a person follow an event no more, whatever they trade in it."""
    apply(tx, _FOLLOW_EVENT, [(event_id, user_id, False, False, now_ms(tx))])


def _make_space(tx: WriteTx, user_id: int) -> None:
    """Raise `TooManyFollows`, unless a follow of the person's by a trade can make space."""
    if _count(tx, event_follows, user_id, IS_FOLLOWED) >= FOLLOWS_MAX and not _has_made_space(tx, user_id):
        raise TooManyFollows


def _has_made_space(tx: WriteTx, user_id: int) -> bool:
    """End the follow of the oldest event that a person follows by a trade; False where there is none."""
    by_trade = sa.select(_E.event_id).where(_E.user_id == user_id, IS_FOLLOWED, _E.by_trade == sa.true())
    oldest = tx.execute(by_trade.order_by(_E.event_id).limit(1)).scalar()
    if oldest is not None:
        tx.execute(event_follows.delete().where(_E.user_id == user_id, _E.event_id == oldest))
    return oldest is not None


def follow_user(tx: WriteTx, user_id: int, followed_id: int) -> None:
    """Let a person follow another; `TooManyFollows`."""
    _follow(tx, user_follows, user_id, _U.followed_id == followed_id, {"followed_id": followed_id})


def unfollow_user(tx: WriteTx, user_id: int, followed_id: int) -> bool:
    """Let a person follow another no more; return whether they did."""
    return bool(tx.execute(user_follows.delete().where(_U.user_id == user_id, _U.followed_id == followed_id)).rowcount)


def follow_tag(tx: WriteTx, user_id: int, tag: str) -> None:
    """Let a person follow a tag; `TooManyFollows`."""
    _follow(tx, tag_follows, user_id, _T.tag == tag, {"tag": tag})


def unfollow_tag(tx: WriteTx, user_id: int, tag: str) -> None:
    """Let a person follow a tag no more."""
    tx.execute(tag_follows.delete().where(_T.user_id == user_id, _T.tag == tag))


def _follow(
    tx: WriteTx, table: sa.Table, user_id: int, is_it: sa.ColumnElement[bool], values: Mapping[str, Any]
) -> None:
    # Locked, so that two at once are not both the last.
    lock_person(tx, user_id)
    if tx.execute(sa.select(table.c.user_id).where(table.c.user_id == user_id, is_it)).first() is not None:
        return
    if _count(tx, table, user_id) >= FOLLOWS_MAX:
        raise TooManyFollows
    tx.execute(table.insert().values(user_id=user_id, followed_at_ms=now_ms(tx), **values))


def _count(tx: ReadTx, table: sa.Table, user_id: int, *conditions: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(table).where(table.c.user_id == user_id, *conditions)
    return int(tx.execute(query).scalar_one())


def does_follow_event(tx: ReadTx, user_id: int, event_id: int) -> bool:
    """Return whether a person follows an event."""
    own = sa.and_(_E.event_id == event_id, _E.user_id == user_id, IS_FOLLOWED)
    return tx.execute(sa.select(_E.user_id).where(own)).first() is not None


class Follows(NamedTuple):
    """What a person follows: events newest first, users by id, tags by their letters."""

    event_ids: Collection[int]
    user_ids: Collection[int]
    tags: Collection[str]


def follows_of(tx: ReadTx, user_id: int) -> Follows:
    """Return what a person follows."""
    of_events = sa.select(_E.event_id).where(_E.user_id == user_id, IS_FOLLOWED).order_by(_E.event_id.desc())
    of_users = sa.select(_U.followed_id).where(_U.user_id == user_id).order_by(_U.followed_id)
    of_tags = sa.select(_T.tag).where(_T.user_id == user_id).order_by(_T.tag)
    return Follows(*(tx.execute(query).scalars().all() for query in (of_events, of_users, of_tags)))


class FollowByTrade(NamedTuple):
    """An event that a trader is to follow, unless they said what they want."""

    event_id: int
    user_id: int
    traded_at_ms: int


def new_follows_by_trade(tx: ReadTx, traded: Collection[FollowByTrade]) -> list[FollowByTrade]:
    """Return those who neither follow their event nor have unfollowed it."""
    rows = as_rows([(one.event_id, one.user_id) for one in traded])
    known = {(event_id, user_id) for event_id, user_id in _KNOWN.fetch(tx, {"rows": rows})} if traded else set()
    return [one for one in traded if (one.event_id, one.user_id) not in known]


def follow_by_trade(tx: WriteTx, new: Collection[FollowByTrade]) -> None:
    """Let traders follow events; who has said meanwhile what they want keeps it, and so does who can follow no more."""
    counts: Counter[int] = Counter()
    for chunk in chunks({one.user_id for one in new}):
        query = sa.select(_E.user_id, sa.func.count()).where(_E.user_id.in_(chunk), IS_FOLLOWED)
        counts.update(dict(map(tuple, tx.execute(query.group_by(_E.user_id)))))
    rows: list[tuple[int, int, bool, bool, int]] = []
    for one in sorted(new):
        if counts[one.user_id] < FOLLOWS_MAX:
            rows.append((one.event_id, one.user_id, True, True, one.traded_at_ms))
        counts[one.user_id] += 1
    apply(tx, _FOLLOW_BY_TRADE, rows)


def followed_events(tx: ReadTx, event_ids: Collection[int]) -> set[int]:
    """Return which of these events anyone follows, or has followed."""
    rows = as_rows([(event_id,) for event_id in event_ids])
    return {event_id for (event_id,) in _FOLLOWED.fetch(tx, {"rows": rows})} if event_ids else set()


def was_followed(tx: ReadTx, event_id: int, *, from_ms: int, until_ms: int) -> bool:
    """Return whether anyone followed an event at a moment of these, or between them."""
    now = sa.and_(IS_FOLLOWED, _E.followed_at_ms <= until_ms)
    earlier = sa.and_(_E.earlier_from_ms <= until_ms, _E.earlier_until_ms > from_ms)
    query = sa.select(_E.user_id).where(_E.event_id == event_id, sa.or_(now, earlier)).limit(1)
    return tx.execute(query).first() is not None


def forget(tx: WriteTx, user_id: int) -> int:
    """Delete what a person follows and their price alerts, and who follows them; return how many rows there were."""
    deleted = tx.execute(user_follows.delete().where(_U.followed_id == user_id)).rowcount
    for table in (event_follows, user_follows, tag_follows, price_alerts, rule_notices):
        deleted += tx.execute(table.delete().where(table.c.user_id == user_id)).rowcount
    return deleted


def note_comment(tx: WriteTx, *, event_id: int, comment_id: int, user_id: int) -> None:
    """Note a new comment for the followers of its event: who follows it by a trade may not be known yet."""
    tx.execute(followed_comments.insert().values(event_id=event_id, comment_id=comment_id, user_id=user_id))


def _known(dialect: str) -> sa.Select[Any]:
    rows = values_table(dialect, "rows", {"event_id": Int64, "user_id": Int64})
    is_same = sa.and_(_E.event_id == rows.c.event_id, _E.user_id == rows.c.user_id)
    return sa.select(_E.event_id, _E.user_id).join_from(rows, event_follows, is_same)


def _followed(dialect: str) -> sa.Select[Any]:
    rows = values_table(dialect, "rows", {"event_id": Int64})
    return sa.select(rows.c.event_id).where(sa.exists().where(_E.event_id == rows.c.event_id, IS_OR_WAS_FOLLOWED))


_KNOWN = CompiledQuery(_known)
_FOLLOWED = CompiledQuery(_followed)
_COLUMNS = ("event_id", "user_id", "is_on", "by_trade", "followed_at_ms")


def _if_ended(value: str, name: str) -> str:
    """Return the SQL of a column that becomes `value` where a follow ends."""
    return f"CASE WHEN event_follows.is_on AND NOT excluded.is_on THEN {value} ELSE event_follows.{name} END"


_FOLLOW_EVENT = Insert(
    event_follows,
    _COLUMNS,
    conflict=on_conflict(
        event_follows,
        is_on="excluded.is_on",
        by_trade="excluded.by_trade",
        followed_at_ms="CASE WHEN event_follows.is_on = excluded.is_on THEN event_follows.followed_at_ms "
        "ELSE excluded.followed_at_ms END",
        earlier_from_ms=_if_ended("event_follows.followed_at_ms", "earlier_from_ms"),
        earlier_until_ms=_if_ended("excluded.followed_at_ms", "earlier_until_ms"),
    ),
)
_FOLLOW_BY_TRADE = Insert(event_follows, _COLUMNS, conflict=on_conflict(event_follows))
