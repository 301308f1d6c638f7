"""News of a pool for who holds shares of it: written in the transaction of its cause, as one row however many hold;
`trading/settlement/notifying.py` sends it in pieces.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS
from foreknow.people.follows.tables import pool_news, rule_notices
from foreknow.people.notifications.kinds import AnyContent
from foreknow.people.notifications.kinds.verdicts import RulesClarified
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.jobs.piecewise import LEASE_MS

#: A person is notified of an event's clearer rules at most once in this time.
CLARIFIED_EVERY_MS = HOUR_MS
_C = pool_news.c
_T = rule_notices.c

#: `attempts` counts those since the last piece.
POOL_NEWS = JobTable(_C.id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)


class NewsPool(Protocol):
    """A pool that there is news of."""

    @property
    def id(self) -> int:
        """Its id."""
        ...

    @property
    def event_id(self) -> int:
        """Its event."""
        ...

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def name_ru(self) -> str:
        """Its Russian name, or ""."""
        ...


class NewsStage(enum.IntEnum):
    """Who is notified, one after the other."""

    HOLDERS = 0
    #: With open orders in the pool.
    ORDERERS = 1
    #: Of the event.
    FOLLOWERS = 2


class PaidVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a verdict pays: a later one may stand in the pool's row by the time that all are notified of this."""

    #: As `pools.resolution` and `pools.void_prices`.
    resolution: dict[str, Any]
    void_prices: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNews:
    """News that some have not been notified of; the columns are described in `tables`."""

    id: int
    kind: str
    pool_id: int
    event_id: int
    params: Mapping[str, Any]
    verdict: Any
    without_id: int | None
    created_at_ms: int
    stage: int
    outcome_index: int
    after_id: int


_WAITING = sa.select(*(_C[name] for name in PoolNews.__slots__))


def write(
    tx: WriteTx,
    pool: NewsPool,
    content: AnyContent,
    *,
    at_ms: int,
    verdict: PaidVerdict | None = None,
    without_id: int | None = None,
) -> None:
    """Write news of a pool that happened at `at_ms`, to be sent from now on."""
    row = {
        "kind": content.about.kind,
        "pool_id": pool.id,
        "event_id": pool.event_id,
        "params": content.params(),
        "verdict": verdict,
        "without_id": without_id,
        "created_at_ms": at_ms,
        "due_at_ms": now_ms(tx),
    }
    tx.execute(pool_news.insert().values(row))


def write_clarified(tx: WriteTx, pool: NewsPool, *, by_id: int, at_ms: int) -> None:
    """Write that a pool's rules were made clearer, by whom: for who holds shares, has open orders there, or follows its
    event; of an event each is notified once in 60 minutes.
    """
    write(tx, pool, RulesClarified(pool_name=pool.name, pool_name_ru=pool.name_ru), at_ms=at_ms, without_id=by_id)


def lock(tx: WriteTx, news_id: int) -> PoolNews | None:
    """Lock news until the transaction ends; None where everyone is notified.

    That of an event's clearer rules is locked with all such news of the event, in one order: a person is notified of
    one of them.
    """
    own = _C.id == news_id
    kind, event_id = tx.execute(sa.select(_C.kind, _C.event_id).where(own)).one_or_none() or ("", 0)
    if kind == RulesClarified.about.kind:
        same = sa.and_(_C.event_id == event_id, _C.kind == kind)
        tx.execute(sa.select(_C.id).where(same).order_by(_C.id).with_for_update()).all()
    row = tx.execute(_WAITING.where(own).with_for_update()).mappings().one_or_none()
    return None if row is None else PoolNews(**row)


def oldest_of_pool(tx: ReadTx, pool_id: int, *, kind: str) -> int | None:
    """Return the id of the oldest news of a pool of a kind that some wait for."""
    query = sa.select(_C.id).where(_C.pool_id == pool_id, _C.kind == kind).order_by(_C.id).limit(1)
    return tx.execute(query).scalar()


def note_notified(tx: WriteTx, news: PoolNews, *, stage: NewsStage, outcome_index: int = 0, after_id: int = 0) -> None:
    """Note up to whom locked news is sent."""
    place = {"stage": stage.value, "outcome_index": outcome_index, "after_id": after_id}
    tx.execute(pool_news.update().where(_C.id == news.id).values(place))


def forget(tx: WriteTx, news_id: int) -> None:
    """Delete locked news that everyone is notified of."""
    tx.execute(pool_news.delete().where(_C.id == news_id))


def not_notified_of_rules(tx: WriteTx, news: PoolNews, user_ids: Collection[int]) -> list[int]:
    """Return those of some people who were not notified of an event's rules for an hour; from now on they are.

    All such news of the event is locked.
    """
    since_ms = news.created_at_ms - CLARIFIED_EVERY_MS
    notified = {
        user_id
        for (user_id,) in _NOTIFIED.fetch(tx, {"event_id": news.event_id, "since_ms": since_ms, "ids": list(user_ids)})
    }
    new = sorted(set(user_ids) - notified)
    if new:
        apply(tx, _NOTIFY, [(news.event_id, user_id, news.created_at_ms) for user_id in new])
    return new


_NOTIFIED = CompiledQuery(
    sa.select(_T.user_id).where(
        _T.event_id == sa.bindparam("event_id", type_=Int64),
        in_array(_T.user_id),
        _T.notified_at_ms > sa.bindparam("since_ms", type_=Int64),
    )
)
_NOTIFY = Insert(
    rule_notices,
    ("event_id", "user_id", "notified_at_ms"),
    conflict=on_conflict(rule_notices, notified_at_ms="excluded.notified_at_ms"),
)
