"""Who calls: what the pipeline knows of a caller after its credentials were checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class UserCaller:
    """A signed-in user; the roles are the database's (at most a second old), never the token's."""

    user_id: int
    session_id: int
    is_creator: bool
    is_admin: bool
    is_stats_viewer: bool
    is_operator: bool

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are."""
        return f"user:{self.user_id}"


@dataclass(frozen=True, slots=True)
class PartnerCaller:
    """A partner, known by one of its live keys."""

    partner_id: int
    name: str
    key_id: int

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are: the partner's, whichever of its API keys it used."""
        return f"partner:{self.partner_id}"


Caller = UserCaller | PartnerCaller


class Authenticator(Protocol):
    """Checks credentials. The users and partner rooms stand behind it."""

    async def user(self, access_token: str) -> UserCaller | None:
        """Return the user of a live session, or None for any token that is not good now."""
        ...

    async def partner(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key, or None."""
        ...
