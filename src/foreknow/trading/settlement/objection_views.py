"""Objections as a reader sees them, and hiding them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel, may
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.service import visible_pool
from foreknow.market.pools.store import load_pools
from foreknow.people import admin_log
from foreknow.people.users import require_live_session
from foreknow.people.users.profiles import public_user
from foreknow.people.users.schemas import PublicUser
from foreknow.people.users.store import find_people
from foreknow.people.users.tables import users
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.settlement import objection_store as store
from foreknow.trading.settlement.objection_schemas import Objection, objection_view
from foreknow.trading.settlement.objection_store import ObjectionRow
from foreknow.trading.settlement.objections import ObjectionNotFound


def page(tx: ReadTx, pool_id: int, visitor: UserCaller | None, *, before_id: int | None, limit: int) -> list[Objection]:
    """Return the objections to a pool's results, newest first; `PoolNotFound`."""
    visible_pool(tx, pool_id, visitor)
    return views(tx, store.newest(tx, pool_id, before_id=before_id, limit=limit), visitor)


def visible_objection(tx: ReadTx, objection_id: int, visitor: UserCaller | None) -> ObjectionRow:
    """Return an objection that the visitor may see; `ObjectionNotFound`."""
    row = store.find(tx, objection_id)
    if row is None:
        raise ObjectionNotFound
    try:
        visible_pool(tx, row.pool_id, visitor)
    except PoolNotFound as hidden:
        raise ObjectionNotFound from hidden
    return row


def hide(tx: WriteTx, objection_id: int, caller: UserCaller, *, hidden: bool, note: str) -> Objection:
    """Hide what an objection says from all but its author, operators and admins, or show it again; it holds all the
    same. Each change is logged. `ObjectionNotFound`.
    """
    operator = require_live_session(tx, caller, AuthLevel.OPERATOR)
    row = visible_objection(tx, objection_id, operator)
    if hidden != (row.hidden_at_ms is not None):
        at_ms = now_ms(tx)
        store.hide(tx, objection_id, at_ms=at_ms if hidden else None)
        admin_log.record(
            tx,
            operator,
            action="objection.hide" if hidden else "objection.show",
            target=f"objection:{objection_id}",
            details={"pool_id": row.pool_id, "user_id": row.user_id, "note": note},
            at_ms=at_ms,
        )
    return view(tx, objection_id, operator)


def view(tx: ReadTx, objection_id: int, reader: UserCaller | None) -> Objection:
    """Show an objection that is there to a reader; None for a partner or a stranger."""
    row = store.find(tx, objection_id)
    assert row is not None
    return views(tx, [row], reader)[0]


def views(tx: ReadTx, rows: Sequence[ObjectionRow], reader: UserCaller | None, *, own: bool = False) -> list[Objection]:
    """Show objections to a reader; `own`: all of them are the reader's, a partner."""
    at_ms = now_ms(tx)
    pools = load_pools(tx, {row.pool_id for row in rows})
    people = find_people(tx, list({row.user_id for row in rows}))
    others = _sub_accounts(tx, {row.user_id for row in rows} - people.keys())
    is_operator = reader is not None and may(reader, AuthLevel.OPERATOR)

    def shows_text(row: ObjectionRow) -> bool:
        if own or is_operator or (reader is not None and reader.user_id == row.user_id):
            return True
        author = people.get(row.user_id)
        is_muted = author is not None and author.muted_until_ms is not None and author.muted_until_ms > at_ms
        return row.hidden_at_ms is None and not is_muted

    return [
        objection_view(
            row,
            public_user(people[row.user_id]) if row.user_id in people else others[row.user_id],
            shows_text=shows_text(row),
            final_at_ms=pools[row.pool_id].resolved_since_ms(at_ms),
        )
        for row in rows
    ]


def _sub_accounts(tx: ReadTx, user_ids: Collection[int]) -> Mapping[int, PublicUser]:
    """Return partners' users as others see them: by the partner's name, without a profile."""
    query = sa.select(users.c.id, users.c.name).where(users.c.id.in_(user_ids))
    return {
        user_id: PublicUser(id=user_id, name=name, nickname="", profile_hidden=True, avatar_url="")
        for user_id, name in tx.execute(query)
    }
