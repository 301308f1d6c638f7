"""Auth levels: who may call an endpoint, and the role it needs."""

from __future__ import annotations

import enum

from foreknow.kernel.access.callers import UserCaller

#: To who has not the role of `CREATOR`.
NOT_CREATOR = "Only creators make events here: ask an admin of this site for the role (GET /site, `creators`)."


class AuthLevel(enum.Enum):
    """Auth levels of the interface (section 5), and those of operators, admins and partners."""

    NONE = "None"
    OPTIONAL = "Optional"
    REQUIRED = "Required"
    CREATOR = "Creator"
    STATS_VIEWER = "StatsViewer"
    OPERATOR = "Operator"
    ADMIN = "Admin"
    PARTNER = "Partner key"


def may(user: UserCaller, level: AuthLevel) -> bool:
    """Return whether a signed-in user has the role of a level; an admin has the operator's too."""
    allowed = {
        AuthLevel.CREATOR: user.makes_events,
        AuthLevel.STATS_VIEWER: user.is_stats_viewer,
        AuthLevel.OPERATOR: user.is_operator or user.is_admin,
        AuthLevel.ADMIN: user.is_admin,
    }
    return allowed.get(level, True)
