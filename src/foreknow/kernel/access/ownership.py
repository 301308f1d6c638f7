"""Ownership: who may see and who may run what a creator made. One rule for events, pools and images."""

from __future__ import annotations

from typing import Protocol

from foreknow.kernel.access.callers import UserCaller


class Created(Protocol):
    """A row that a creator made."""

    @property
    def creator_id(self) -> int:
        """The id of the user who made it."""
        ...


class Published(Created, Protocol):
    """A row that a creator made and publishes."""

    @property
    def published_at_ms(self) -> int | None:
        """When it was published, Unix milliseconds; None before."""
        ...


def is_visible_to(visitor: UserCaller | None, row: Published) -> bool:
    """Check whether a visitor may know of a row: before it is published, only its creator and admins may."""
    return row.published_at_ms is not None or is_run_by(visitor, row)


def is_run_by(visitor: UserCaller | None, row: Created) -> bool:
    """Check whether a visitor is the row's creator or an admin, by the roles of the request."""
    return visitor is not None and (visitor.is_admin or visitor.user_id == row.creator_id)


def may_still_run(caller: UserCaller, row: Created) -> bool:
    """Check the same by roles just read from the database: a creator must have the role still."""
    return caller.is_admin or (caller.user_id == row.creator_id and caller.runs_events)


def may_still_edit(caller: UserCaller, row: Published) -> bool:
    """Check the same for changes of what is not published yet: there, who suggested it needs no role."""
    is_own_draft = caller.user_id == row.creator_id and row.published_at_ms is None
    return may_still_run(caller, row) or (is_own_draft and caller.makes_events)
