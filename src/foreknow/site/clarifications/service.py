"""Rules of clarifications: who may write and hide them, and who reads a hidden one."""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel, may
from foreknow.kernel.errors import InvalidState
from foreknow.market.pools.service import visible_pool
from foreknow.market.pools.store import PoolRow, PoolState, lock_pools, update_pool
from foreknow.people import admin_log
from foreknow.people.follows.pool_news import write_clarified
from foreknow.people.users import require_live_session, require_run_by
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.clarifications import store
from foreknow.site.clarifications.errors import ClarificationNotFound, TooManyClarifications
from foreknow.site.clarifications.schemas import Clarification, clarification_view
from foreknow.site.clarifications.store import ClarificationRow

#: Clarifications of a pool, hidden ones too.
CLARIFICATIONS_MAX = 20


def clarify(tx: WriteTx, pool_id: int, caller: UserCaller, *, text: str, text_ru: str) -> tuple[Clarification, bool]:
    """Write a clarification of a pool's rules; return it, and whether it is new: the newest one's texts again are not.

    Its event's creator may until trading ends, an admin until the result. Who holds shares, has open orders or follows
    the event is notified. Raises `PoolNotFound`, `Forbidden`,
    `InvalidState`, `TooManyClarifications`.
    """
    row = visible_pool(tx, pool_id, caller)
    require_run_by(tx, caller, row, "Only the event's creator and admins may clarify its pools' rules.")
    writer = require_live_session(tx, caller)
    # From here on no other clarification comes, and no result.
    pool = lock_pools(tx, [pool_id])[pool_id]
    newest = store.newest_of(tx, pool_id)
    if newest is not None and (newest.text, newest.text_ru) == (text, text_ru):
        return _view(newest, writer), False
    at_ms = now_ms(tx)
    _check_state(pool, writer, at_ms=at_ms)
    if pool.clarifications >= CLARIFICATIONS_MAX:
        raise TooManyClarifications
    is_by_creator = writer.user_id == pool.creator_id and not pool.is_over(at_ms)
    written = store.insert(
        tx,
        pool_id=pool_id,
        user_id=writer.user_id,
        author="creator" if is_by_creator else "admin",
        text=text,
        text_ru=text_ru,
        at_ms=at_ms,
    )
    update_pool(tx, pool_id, clarifications=pool.clarifications + 1)
    write_clarified(tx, pool, by_id=writer.user_id, at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        writer,
        owner_id=pool.creator_id,
        action="pool.clarify",
        target=f"pool:{pool_id}",
        details={"clarification_id": written.id},
        at_ms=at_ms,
    )
    return _view(written, writer), True


def page(tx: ReadTx, pool_id: int, visitor: UserCaller | None, *, after_id: int, limit: int) -> list[Clarification]:
    """Return a pool's clarifications with ids over `after_id`, oldest first; raises `PoolNotFound`."""
    visible_pool(tx, pool_id, visitor)
    return [_view(row, visitor) for row in store.oldest_of(tx, pool_id, after_id=after_id, limit=limit)]


def hide(tx: WriteTx, clarification_id: int, caller: UserCaller, *, hidden: bool, note: str) -> Clarification:
    """Hide a clarification from all but its author, operators and admins, or show it again; each change is logged.

    Raises `ClarificationNotFound`, and `Unauthorized` and `Forbidden` for who is neither operator nor admin any more.
    """
    operator = require_live_session(tx, caller, AuthLevel.OPERATOR)
    row = store.lock(tx, clarification_id)
    if row is None:
        raise ClarificationNotFound
    if hidden != (row.hidden_at_ms is not None):
        at_ms = now_ms(tx)
        store.hide(tx, clarification_id, at_ms=at_ms if hidden else None)
        admin_log.record(
            tx,
            operator,
            action="clarification.hide" if hidden else "clarification.show",
            target=f"clarification:{clarification_id}",
            details={"pool_id": row.pool_id, "user_id": row.user_id, "note": note},
            at_ms=at_ms,
        )
    return clarification_view(row, shows_text=True, is_hidden=hidden)


def _check_state(pool: PoolRow, writer: UserCaller, *, at_ms: int) -> None:
    if pool.state is PoolState.NEW:
        raise InvalidState("The event is not published: its rules can be edited.")
    if pool.is_decided:
        raise InvalidState("The pool has its result.")
    if pool.is_over(at_ms) and not writer.is_admin:
        raise InvalidState("The pool is past its finish_at: only admins may clarify its rules.")


def _view(row: ClarificationRow, reader: UserCaller | None) -> Clarification:
    is_own = reader is not None and reader.user_id == row.user_id
    is_read = row.hidden_at_ms is None or is_own or (reader is not None and may(reader, AuthLevel.OPERATOR))
    return clarification_view(row, shows_text=is_read, is_hidden=row.hidden_at_ms is not None)
