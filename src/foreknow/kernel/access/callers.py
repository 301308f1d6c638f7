"""Authenticated callers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal

#: Who makes events (FOREKNOW_CREATORS): those with the role, every member, or every member for an admin to publish.
Creators = Literal["chosen", "members", "suggest"]
#: What a user's own API key may do: read what its user may read, or trade for them too.
KeyScope = Literal["read", "trade"]


@dataclass(frozen=True, slots=True)
class UserCaller:
    """A signed-in user; the roles come from the database (at most 1 s old), not from the token."""

    user_id: int
    session_id: int
    is_creator: bool
    is_admin: bool
    is_stats_viewer: bool
    is_operator: bool
    #: None for a session; a caller with a key has no role.
    key_scope: KeyScope | None = None
    #: See `Terms.counts_as_verified`.
    email_verified: bool = True
    #: Until when the caller may write nothing that others read, Unix milliseconds; None: no one has muted them.
    muted_until_ms: int | None = None

    #: What this site lets the caller be beside the role.
    creators: Creators = "chosen"

    @property
    def runs_events(self) -> bool:
        """Whether the caller counts as having the creator's role, and so runs the events that they made."""
        return self.is_creator or (self.creators == "members" and self.key_scope is None)

    @property
    def makes_events(self) -> bool:
        """Whether the caller may make events, at least for an admin to publish."""
        return self.runs_events or (self.creators == "suggest" and self.key_scope is None)

    def is_muted(self, now_ms: int) -> bool:
        """Whether the caller may write nothing that others read."""
        return self.muted_until_ms is not None and self.muted_until_ms > now_ms

    @property
    def scope(self) -> str:
        """Scope of the caller's idempotency keys."""
        return f"user:{self.user_id}"


@dataclass(frozen=True, slots=True)
class PartnerCaller:
    """A partner, authenticated by one of its live keys."""

    partner_id: int
    name: str
    key_id: int

    @property
    def scope(self) -> str:
        """Scope of the caller's idempotency keys: the partner's, shared by its API keys."""
        return f"partner:{self.partner_id}"


Caller = UserCaller | PartnerCaller


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Checks credentials, with what the users and partner packages know of them."""

    #: Returns the user of a live session; None for an invalid access token.
    user: Callable[[str], Coroutine[Any, Any, UserCaller | None]]
    #: Returns the partner of a live key; None for any other.
    partner: Callable[[str], Coroutine[Any, Any, PartnerCaller | None]]
    #: Both, of those in memory and without waiting; None where the functions above have to look.
    known_user: Callable[[str], UserCaller | None]
    known_partner: Callable[[str], PartnerCaller | None]
