"""Rows of clarifications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.clarifications.tables import clarifications

#: As what a clarification was written.
Author = Literal["creator", "admin"]
_C = clarifications.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationRow:
    """A clarification; the columns are described in `tables`."""

    id: int
    pool_id: int
    user_id: int
    author: Author
    text: str
    text_ru: str
    created_at_ms: int
    hidden_at_ms: int | None


_SELECT = sa.select(*(_C[name] for name in ClarificationRow.__slots__))


def newest_of(tx: ReadTx, pool_id: int) -> ClarificationRow | None:
    """Return a pool's newest clarification; None where it has none."""
    return _one(tx, _SELECT.where(_C.pool_id == pool_id).order_by(_C.id.desc()).limit(1))


def oldest_of(tx: ReadTx, pool_id: int, *, after_id: int, limit: int) -> list[ClarificationRow]:
    """Return a pool's clarifications, oldest first, with ids over `after_id`."""
    query = _SELECT.where(_C.pool_id == pool_id, _C.id > after_id).order_by(_C.id).limit(limit)
    return [ClarificationRow(**row) for row in tx.execute(query).mappings()]


def lock(tx: WriteTx, clarification_id: int) -> ClarificationRow | None:
    """Lock a clarification until the transaction ends; None where there is none."""
    return _one(tx, _SELECT.where(_C.id == clarification_id).with_for_update())


def insert(
    tx: WriteTx, *, pool_id: int, user_id: int, author: Author, text: str, text_ru: str, at_ms: int
) -> ClarificationRow:
    """Write a clarification of a locked pool, and return it."""
    values = {
        "pool_id": pool_id,
        "user_id": user_id,
        "author": author,
        "text": text,
        "text_ru": text_ru,
        "created_at_ms": at_ms,
    }
    new_id = int(tx.execute(clarifications.insert().values(values).returning(_C.id)).scalar_one())
    return ClarificationRow(
        id=new_id,
        pool_id=pool_id,
        user_id=user_id,
        author=author,
        text=text,
        text_ru=text_ru,
        created_at_ms=at_ms,
        hidden_at_ms=None,
    )


def hide(tx: WriteTx, clarification_id: int, *, at_ms: int | None) -> None:
    """Hide a locked clarification; None: show it again."""
    tx.execute(clarifications.update().where(_C.id == clarification_id).values(hidden_at_ms=at_ms))


def targets_of(user_id: int) -> sa.Select[Any]:
    """Return the query of a user's clarifications as the admin log names them."""
    return sa.select(sa.literal("clarification:").concat(sa.cast(_C.id, Text))).where(_C.user_id == user_id)


def _one(tx: ReadTx, query: sa.Select[Any]) -> ClarificationRow | None:
    row = tx.execute(query).mappings().one_or_none()
    return None if row is None else ClarificationRow(**row)
