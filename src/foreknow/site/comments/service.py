"""Rules of comments: who may see, write, rate, delete and hide them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel, may
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import Forbidden
from foreknow.kernel.pagination import RankedPlace
from foreknow.kernel.validation.fields import optional_text, required_text, wrong_field
from foreknow.market.events.service import visible_event
from foreknow.market.events.store import load_events
from foreknow.market.pools.store import load_pools
from foreknow.people import admin_log, notifications
from foreknow.people.follows.store import note_comment
from foreknow.people.notifications.choices import choices_of
from foreknow.people.notifications.kinds.own import CommentMentioned, CommentReply
from foreknow.people.users import require_live_session
from foreknow.people.users.active_days import note_active
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import find_people, lock_person, person
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.comments import holdings, mentions, store
from foreknow.site.comments.errors import CommentNotFound, ParentNotFound
from foreknow.site.comments.schemas import (
    CONTENT_MAX,
    NOTE_MAX,
    Comment,
    CommentBody,
    CommentInThread,
    CommentMention,
    HidingBody,
    comment_view,
)
from foreknow.site.comments.store import CommentRow, Reaction
from foreknow.site.forecasts.hidden import hidden_pools


def check(body: CommentBody) -> str:
    """Return the content of a new comment as stored; raises `BadRequest`."""
    return required_text("content", body.content, most=CONTENT_MAX)


def write(tx: WriteTx, body: CommentBody, caller: UserCaller, *, content: str) -> Comment:
    """Write a comment, whose `content` passed `check`; notify the author of the parent comment and whom it names.

    Replies to a deleted comment and to one's own notify no one. Raises `EventNotFound`, `CommentNotFound` for the
    parent, `BadRequest` for a parent on another event.
    """
    event = visible_event(tx, body.event_id, caller)
    mentioned = mentions.find(tx, mentions.runs_in(content))
    if mentioned:
        # So that of several at once no more are notified than the bound allows.
        lock_person(tx, caller.user_id)
    parent: CommentRow | None = None
    if body.parent_id is not None:
        parent = _lock_visible(tx, body.parent_id, caller)
        if parent.event_id != event.id:
            raise wrong_field("parent_id", "must be a comment on the same event")
    # After the lock, so that times follow the order of replies.
    at_ms = now_ms(tx)
    author = person(tx, caller.user_id)
    comment_id = store.insert_comment(
        tx,
        event_id=event.id,
        user_id=caller.user_id,
        parent=parent,
        content=content,
        held=holdings.largest_of(tx, caller.user_id, event, now_ms=at_ms) if author.show_holds else None,
        thought=holdings.thought_of(tx, caller.user_id, event) if author.show_forecast else None,
        at_ms=at_ms,
    )
    note_active(tx, caller.user_id, at_ms=at_ms)
    new = notifications.NewNotifications(event, at_ms=at_ms)
    replied_to: int | None = None
    if parent is not None and parent.deleted_at_ms is None and parent.user_id != caller.user_id:
        new.add(parent.user_id, CommentReply(), comment_id=comment_id)
        if mentioned and choices_of(tx, [parent.user_id]).of(parent.user_id, CommentReply.about.kind).is_any:
            replied_to = parent.user_id
    for user_id in mentions.write(
        tx, mentioned, event, comment_id=comment_id, author_id=caller.user_id, replied_to=replied_to, at_ms=at_ms
    ):
        new.add(user_id, CommentMentioned(), comment_id=comment_id)
    notifications.record(tx, new)
    if parent is None:
        note_comment(tx, event_id=event.id, comment_id=comment_id, user_id=caller.user_id)
    return _view(tx, comment_id, caller)


def react(tx: WriteTx, comment_id: int, reaction: Reaction | None, caller: UserCaller) -> Comment:
    """Replace the caller's reaction to a comment; None removes it. Raises `CommentNotFound`."""
    _lock_visible(tx, comment_id, caller)
    old = store.reaction_of(tx, comment_id=comment_id, user_id=caller.user_id)
    if reaction != old:
        store.replace_reaction(tx, comment_id=comment_id, user_id=caller.user_id, old=old, new=reaction)
    return _view(tx, comment_id, caller)


def delete(tx: WriteTx, comment_id: int, caller: UserCaller) -> None:
    """Clear a comment's content; its position, replies and reactions stay. Deleting it again changes nothing.

    Raises `CommentNotFound`, and `Forbidden` for callers other than its author and admins. Deletions by admins are
    logged.
    """
    comment = _lock_visible(tx, comment_id, caller)
    is_author = comment.user_id == caller.user_id
    if not is_author and not caller.is_admin:
        raise Forbidden("Only its author and admins may delete a comment.")
    if comment.deleted_at_ms is not None:
        return
    at_ms = now_ms(tx)
    store.clear_content(tx, comment, at_ms=at_ms)
    _end_news(tx, [comment_id], at_ms=at_ms)
    if not is_author:
        admin_log.record(
            tx,
            caller,
            action="comment.delete",
            target=f"comment:{comment_id}",
            details={"event_id": comment.event_id, "user_id": comment.user_id},
            at_ms=at_ms,
        )


def erase_some(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete up to `most` comments of a user, and mentions of and by them; return how many there were."""
    at_ms = now_ms(tx)
    erased = store.erase_some(tx, user_id, most=most, at_ms=at_ms)
    _end_news(tx, erased, at_ms=at_ms)
    return len(erased) + mentions.forget(tx, user_id, most=most)


def _end_news(tx: WriteTx, deleted: Collection[int], *, at_ms: int) -> None:
    """End what deleted comments have notified of, and the nicknames that they had."""
    notified = store.replied_to(tx, deleted) + mentions.notified_by(tx, deleted)
    notifications.mark_of_comments(tx, notified, at_ms=at_ms)
    mentions.clear(tx, deleted)


def check_note(body: HidingBody) -> str:
    """Return the note of a hiding as logged; raises `BadRequest`."""
    return optional_text("note", body.note, most=NOTE_MAX)


def hide(tx: WriteTx, comment_id: int, caller: UserCaller, *, hidden: bool, note: str) -> Comment:
    """Hide a comment from all but its author, operators and admins, or show it again; each change is logged.

    Raises `CommentNotFound`, and `Unauthorized` and `Forbidden` for who is neither operator nor admin any more.
    """
    operator = require_live_session(tx, caller, AuthLevel.OPERATOR)
    comment = _lock_visible(tx, comment_id, operator)
    if hidden != (comment.hidden_at_ms is not None):
        at_ms = now_ms(tx)
        store.hide(tx, comment_id, at_ms=at_ms if hidden else None)
        admin_log.record(
            tx,
            operator,
            action="comment.hide" if hidden else "comment.show",
            target=f"comment:{comment_id}",
            details={"event_id": comment.event_id, "user_id": comment.user_id, "note": note},
            at_ms=at_ms,
        )
    return _view(tx, comment_id, operator)


def top_level(
    tx: ReadTx, event_id: int, visitor: UserCaller | None, *, before_id: int | None, limit: int
) -> list[Comment]:
    """Return an event's comments without replies, newest first; raises `EventNotFound`."""
    visible_event(tx, event_id, visitor)
    rows = store.newest_top_level(
        tx, event_id=event_id, reader_id=_reader_id(visitor), before_id=before_id, limit=limit
    )
    return _views(tx, rows, visitor)


def most_liked(
    tx: ReadTx, event_id: int, visitor: UserCaller | None, *, place: RankedPlace, limit: int
) -> list[Comment]:
    """Return an event's comments without replies from a place on, those that most like first.

    Raises `EventNotFound`.
    """
    visible_event(tx, event_id, visitor)
    rows = store.most_liked_top_level(tx, event_id=event_id, reader_id=_reader_id(visitor), place=place, limit=limit)
    return _views(tx, rows, visitor)


def one(tx: ReadTx, comment_id: int, visitor: UserCaller | None) -> CommentInThread:
    """Return a comment and the root of its thread; raises `CommentNotFound`."""
    row = store.load_comment(tx, comment_id, reader_id=_reader_id(visitor))
    if row is None or not _is_visible(tx, row, visitor):
        raise CommentNotFound
    return CommentInThread(_views(tx, [row], visitor)[0], store.root_of(tx, row))


def replies(tx: ReadTx, parent_id: int, visitor: UserCaller | None, *, offset: int, limit: int) -> list[Comment]:
    """Return direct replies to a comment, oldest first; raises `ParentNotFound`."""
    reader_id = _reader_id(visitor)
    parent = store.load_comment(tx, parent_id, reader_id=None)
    if parent is None or not _is_visible(tx, parent, visitor):
        raise ParentNotFound
    rows = store.oldest_replies(tx, parent_id=parent_id, reader_id=reader_id, offset=offset, limit=limit)
    return _views(tx, rows, visitor)


def _lock_visible(tx: WriteTx, comment_id: int, caller: UserCaller) -> CommentRow:
    comment = store.lock_comment(tx, comment_id)
    if comment is None or not _is_visible(tx, comment, caller):
        raise CommentNotFound
    return comment


def _is_visible(tx: ReadTx, comment: CommentRow, visitor: UserCaller | None) -> bool:
    """Return whether a visitor may see a comment: those who may see its event."""
    return is_visible_to(visitor, load_events(tx, [comment.event_id])[comment.event_id])


def _reader_id(visitor: UserCaller | None) -> int | None:
    return None if visitor is None else visitor.user_id


def _view(tx: ReadTx, comment_id: int, reader: UserCaller) -> Comment:
    row = store.load_comment(tx, comment_id, reader_id=reader.user_id)
    assert row is not None
    return _views(tx, [row], reader)[0]


def _views(tx: ReadTx, rows: Sequence[CommentRow], reader: UserCaller | None) -> list[Comment]:
    shown = {row.id for row in rows if _reads(reader, row)}
    named = mentions.of_comments(tx, [row.id for row in rows if row.id in shown and row.deleted_at_ms is None])
    named_ids = {mention.user_id for of_comment in named.values() for mention in of_comment}
    people = find_people(tx, list({row.user_id for row in rows} | named_ids))
    thought_of = {row.forecast_pool_id for row in rows if row.forecast_pool_id is not None}
    pools = load_pools(tx, thought_of) if thought_of else {}
    secret = hidden_pools(tx, pools.values(), _reader_id(reader), now_ms=now_ms(tx)) if pools else set[int]()
    # A hidden author is hidden in their own comments and from themselves, too (decisions.md, "Comments").
    return [
        comment_view(
            row,
            people[row.user_id],
            shows_content=row.id in shown,
            shows_forecast=row.forecast_pool_id not in secret,
            mentions=[
                CommentMention(mention.nickname, public_user(one))
                for mention in named.get(row.id, ())
                if (one := people[mention.user_id]).is_active and not one.profile_hidden
            ],
        )
        for row in rows
    ]


def _reads(reader: UserCaller | None, row: CommentRow) -> bool:
    """Return whether a reader sees the content of a comment; of a hidden one its author, operators and admins do."""
    if row.hidden_at_ms is None:
        return True
    return reader is not None and (reader.user_id == row.user_id or may(reader, AuthLevel.OPERATOR))
