"""Erases what a deleted person wrote, and what they were worth by day, in pieces that keep no one waiting for long.

Each piece is a transaction. What a killed process leaves is due again when its lease ends. A minute later all is looked
through once more: a request that another server had let in may have written meanwhile. Nothing but what the request of
the deletion itself does not find waits for that.
"""

from __future__ import annotations

from collections.abc import Callable

from foreknow.market.events.erasing import erase_draft
from foreknow.market.events.store import next_draft
from foreknow.market.images import store as images
from foreknow.money.ledger import delete_idempotency_records
from foreknow.people import admin_log, notifications
from foreknow.people.follows import store as follows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.chat import store as chat
from foreknow.site.clarifications import store as clarifications
from foreknow.site.comments import service as comments
from foreknow.site.comments.store import targets_of
from foreknow.site.forecast_scores import store as forecast_scores
from foreknow.site.forecasts import store as forecasts
from foreknow.site.moderation.store import erase_texts
from foreknow.site.worth import store as worth
from foreknow.trading.settlement import objection_store as objections
from foreknow.trading.settlement.objections import release_all_of
from foreknow.trading.settlement.service import void_draft

#: Rows of a piece: some milliseconds of SQLite, for which orders wait.
PIECE_ROWS = 200

#: Erases some rows of a user; returns how many, 0 where none is left.
_Step = Callable[[WriteTx, int], int]


def erase_some(tx: WriteTx, user_id: int) -> bool:
    """Erase a piece of what a deleted person wrote; return whether there may be more."""
    return any(step(tx, user_id) for step in _STEPS)


def _comments(tx: WriteTx, user_id: int) -> int:
    return comments.erase_some(tx, user_id, most=PIECE_ROWS)


def _objections(tx: WriteTx, user_id: int) -> int:
    """What they wrote, and what it holds; of a transaction's locks the pools' come first."""
    release_all_of(tx, user_id)
    return objections.erase_some(tx, user_id, most=PIECE_ROWS)


def _notes(tx: WriteTx, user_id: int) -> int:
    """What operators and admins wrote about them, their comments, clarifications and objections."""
    written = (targets_of(user_id), clarifications.targets_of(user_id), objections.targets_of(user_id))
    on_person = admin_log.clear_notes(tx, [f"user:{user_id}"])
    return on_person + sum(admin_log.clear_notes(tx, targets) for targets in written)


def _chat(tx: WriteTx, user_id: int) -> int:
    at_ms = now_ms(tx)
    chat.close_all_of(tx, user_id, at_ms=at_ms)
    return chat.erase_some(tx, user_id, most=PIECE_ROWS, at_ms=at_ms)


def _notifications(tx: WriteTx, user_id: int) -> int:
    return notifications.delete_some(tx, user_id, most=PIECE_ROWS)


def _follows(tx: WriteTx, user_id: int) -> int:
    """What a trade has followed since: the worker that follows trades was behind."""
    return follows.forget(tx, user_id)


def _forecasts(tx: WriteTx, user_id: int) -> int:
    """What they thought: the crowds of now are kept again without it."""
    return forecasts.forget(tx, user_id, most=PIECE_ROWS) + forecast_scores.forget(tx, user_id, most=PIECE_ROWS)


def _worth(tx: WriteTx, user_id: int) -> int:
    return worth.forget(tx, user_id, most=PIECE_ROWS)


def _idempotency_keys(tx: WriteTx, user_id: int) -> int:
    return delete_idempotency_records(tx, f"user:{user_id}", most=PIECE_ROWS)


def _drafts(tx: WriteTx, user_id: int) -> int:
    event_id = next_draft(tx, user_id)
    if event_id is None:
        return 0
    void_draft(tx, event_id)
    at_ms = now_ms(tx)
    cover = images.lock_cover(tx, event_id)
    assert cover is not None
    images.show_none(tx, cover)
    if cover.object is not None:
        images.note_unused(tx, cover.object, event_id=event_id, due_at_ms=at_ms)
    erase_draft(tx, event_id, at_ms=at_ms)
    return 1


#: One after the other: a piece is of the first that has something left.
_STEPS: tuple[_Step, ...] = (
    _objections,
    _comments,
    _chat,
    erase_texts,
    _notes,
    _notifications,
    _follows,
    _forecasts,
    _worth,
    _idempotency_keys,
    _drafts,
)
