"""Accounts and sign-in as requests bring them and as responses show them (decisions.md, "Accounts and sign-in")."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from foreknow.kernel.access.callers import KeyScope
from foreknow.kernel.languages import SiteLanguage
from foreknow.kernel.schema_types import (
    SECRET,
    SESSIONS,
    TIME_EXAMPLE,
    CreatedAt,
    HasMore,
    HeldKopecks,
    Id,
    KeyLastUse,
    NextCursor,
    Time,
    UserBalance,
    UserId,
)
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.kernel.validation.urls import URL_SCHEMA

EMAIL_LENGTH_MAX = 254
NAME_LENGTH_MAX = 200
KEY_NAME_LENGTH_MAX = 100
PASSWORD_LENGTH_MIN = 8
PASSWORD_LENGTH_MAX = 128

# Bounds for the API page only: they hold after NFC, and `profiles` checks them.
_EMAIL_FORM = Meta(extra_json_schema={"format": "email", "maxLength": EMAIL_LENGTH_MAX})
NAME_FORM = Meta(extra_json_schema=required_text_schema(NAME_LENGTH_MAX))
_NICKNAME_PATTERN = r"^([\p{L}\p{Nd}_.-][\p{L}\p{Nd}\p{Mn}\p{Mc}_.-]{2,31})?$"
NICKNAME_FORM = Meta(extra_json_schema={"maxLength": 32, "pattern": _NICKNAME_PATTERN})
URL_FORM = Meta(extra_json_schema=URL_SCHEMA)
_PASSWORD_LENGTH = Meta(extra_json_schema={"minLength": PASSWORD_LENGTH_MIN, "maxLength": PASSWORD_LENGTH_MAX})

#: Of the web client and of mails.
UserLanguage: TypeAlias = SiteLanguage

# Fields of several structs.
USER = Meta(description="The user.")
InvitationLinkEnd = Annotated[
    str,
    Meta(
        description="The last part of an invitation's link.", examples=["1hD2bX7cQpWm0s9vKzTfYg3aLrNe8uJi5oBt6wEd4xM"]
    ),
    SECRET,
]
IsCreator = Annotated[bool, Meta(description="May create events.", examples=[False])]
IsAdmin = Annotated[bool, Meta(description="May administer the service.", examples=[False])]
IsStatsViewer = Annotated[bool, Meta(description="May see the statistics.", examples=[False])]
IsOperator = Annotated[bool, Meta(description="May answer the support chat.", examples=[False])]
IsActive = Annotated[
    bool, Meta(description="Whether the account may sign in; false ends its sessions.", examples=[True])
]
EmailVerified = Annotated[
    bool,
    Meta(
        description="Whether the address is known to be the account's: by a mailed link, a sign-in provider, or an "
        "administrator.",
        examples=[True],
    ),
]
EmailRefused = Annotated[
    bool,
    Meta(
        description="Whether the mailbox of the address, or of the new one, is dead: no more notices are mailed to it.",
        examples=[False],
    ),
]
EmailPending = Annotated[
    str,
    Meta(
        description='The address that will take its place once it is verified; "" for none.',
        examples=["ann@example.net"],
    ),
]
MailLanguage = Annotated[UserLanguage, Meta(description="The language of mails.", examples=["en"])]
TimeZone = Annotated[
    str,
    Meta(description="IANA name of your time zone: daily mails come at 8 there.", examples=["Europe/Berlin"]),
]
Email = Annotated[
    str, Meta(description="The e-mail address, unique without regard to case.", examples=["ann@example.org"])
]
Password = Annotated[str, Meta(description="8 to 128 characters.", examples=["correct horse battery"])]
CheckedPassword = Annotated[
    str,
    Meta(
        description='The password; "" where the account has none, within ten minutes of signing in.',
        examples=["correct horse battery"],
    ),
]
DisplayName = Annotated[str, Meta(description="The display name.", examples=["Ann"])]
Nickname = Annotated[
    str,
    Meta(
        description='Unique without regard to case: 3–32 letters, digits, `_ . -`; "" where none is set.',
        examples=["ann"],
    ),
]
KeyName = Annotated[str, Meta(description="What the key is for.", examples=["Price bot"])]
KeyScopeField = Annotated[
    KeyScope,
    Meta(description="What it may do: read what you may read, or place bets and sell, too.", examples=["trade"]),
]
AvatarUrl = Annotated[
    str,
    Meta(
        description="Address of the avatar; of an uploaded one below FOREKNOW_PUBLIC_URL where that is set, else a "
        'path of this host. "" where none is set.',
        examples=["https://example.org/picture.png"],
    ),
]
MutedUntil = Annotated[
    Time | None,
    Meta(
        description="Until when an operator or admin has muted the account, UTC, also where that is past; null: not at "
        "all. Until then it writes no comments, reactions or reports, makes no events, and keeps its name, nickname "
        "and avatar.",
        examples=[None],
    ),
]
ShowHolds = Annotated[
    bool,
    Meta(
        description="Whether your comments show what you held when you wrote them. Holders and trades stay public.",
        examples=[True],
    ),
]
ShowForecast = Annotated[
    bool,
    Meta(
        description="Whether your comments show what you thought when you wrote them. Your forecasts stay public.",
        examples=[True],
    ),
]
ProfileHidden = Annotated[bool, Meta(description="Whether others see neither name nor profit.", examples=[False])]


class SignUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new account. `invitation` and `terms` where the site asks for them (GET /site)."""

    email: Annotated[Email, _EMAIL_FORM]
    password: Annotated[Password, _PASSWORD_LENGTH]
    name: Annotated[DisplayName, NAME_FORM]
    nickname: Annotated[Nickname, NICKNAME_FORM] | None = None
    invitation: InvitationLinkEnd | None = None
    terms: (
        Annotated[str, Meta(description="The version of the site's terms that you agree to.", examples=["2026-03-01"])]
        | None
    ) = None


class FirstAdmin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first admin's account, and the token of the link that the server has printed."""

    token: Annotated[
        str, Meta(description="What stands after # in the link.", examples=["pWm0s9vKzTfYg3aLrNe8uA"]), SECRET
    ]
    email: Annotated[Email, _EMAIL_FORM]
    password: Annotated[Password, _PASSWORD_LENGTH]
    name: Annotated[DisplayName, NAME_FORM]
    nickname: Annotated[Nickname, NICKNAME_FORM] | None = None


class SignIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Credentials; a password of any length is tried."""

    login: Annotated[str, Meta(description="E-mail address or nickname.", examples=["ann"])]
    password: Password


class ProfileChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to change of one's own profile; what is left out stays, "" clears nickname and avatar_url."""

    name: Annotated[DisplayName, NAME_FORM] | None = None
    nickname: Annotated[Nickname, NICKNAME_FORM] | None = None
    avatar_url: Annotated[AvatarUrl, URL_FORM] | None = None
    profile_hidden: ProfileHidden | None = None
    language: MailLanguage | None = None
    time_zone: TimeZone | None = None
    show_holds: ShowHolds | None = None
    show_forecast: ShowForecast | None = None

    @property
    def changes_looks(self) -> bool:
        """Whether it changes what others see of the account's owner."""
        return self.name is not None or self.nickname is not None or self.avatar_url is not None


class EmailChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another address, and the password, "" where the account has none."""

    email: Annotated[Email, _EMAIL_FORM]
    password: CheckedPassword


class ForgottenPassword(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The address of an account."""

    email: Annotated[Email, _EMAIL_FORM]


class MailedToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token of a mailed link."""

    token: Annotated[
        str,
        Meta(description="The last part of the link.", examples=["7.1796117460.pWm0s9vKzTfYg3aLrNe8uJi5oBt6wEd4xM"]),
    ]


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The old password, "" where the account has none yet, and the new one."""

    old: Annotated[
        str,
        Meta(description='The password until now; "" where the account has none yet.', examples=["the battery before"]),
    ]
    new: Annotated[
        str,
        _PASSWORD_LENGTH,
        Meta(description="The password from now on, 8 to 128 characters.", examples=["staple battery horse"]),
    ]


class PasswordReset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token of a reset link, and the new password."""

    token: Annotated[
        str,
        Meta(description="The last part of a reset link.", examples=["1hD2bX7cQpWm0s9vKzTfYg3aLrNe8uJi5oBt6wEd4xM"]),
    ]
    password: Annotated[Password, _PASSWORD_LENGTH]


class User(msgspec.Struct, frozen=True):
    """An account as its owner and admins see it."""

    id: UserId
    email: Email
    name: DisplayName
    nickname: Nickname
    avatar_url: AvatarUrl
    profile_hidden: ProfileHidden
    is_creator: IsCreator
    is_admin: IsAdmin
    is_stats_viewer: IsStatsViewer
    is_operator: IsOperator
    balance_kopecks: UserBalance
    held_kopecks: HeldKopecks
    created_at: CreatedAt
    email_verified: EmailVerified
    email_refused: EmailRefused
    email_pending: EmailPending
    language: MailLanguage
    time_zone: TimeZone
    muted_until: MutedUntil
    show_holds: ShowHolds
    show_forecast: ShowForecast


class ManagedUser(User, frozen=True):
    """An account as admins see it."""

    is_active: IsActive


class PublicUser(msgspec.Struct, frozen=True):
    """An account as others see it."""

    id: UserId
    name: Annotated[
        str, Meta(description='The display name; "Hidden trader" where the profile is hidden.', examples=["Ann"])
    ]
    nickname: Nickname
    profile_hidden: ProfileHidden
    avatar_url: AvatarUrl


class SignedIn(msgspec.Struct, frozen=True):
    """A session has begun or goes on; both cookies are set. `expires_in`: seconds the access token lives from now."""

    user: Annotated[User, USER]
    access_token: Annotated[
        str,
        Meta(description="The JWT for `Authorization: Bearer …`.", examples=["eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"]),
        SECRET,
    ]
    expires_in: Annotated[int, Meta(description="Seconds that the access token lives from now.", examples=[1200])]


class Session(msgspec.Struct, frozen=True):
    """A live session. `last_used_at` lags behind by up to 20 minutes."""

    id: Id
    created_at: CreatedAt
    last_used_at: Annotated[
        Time, Meta(description="When it was last seen, UTC; up to 20 minutes behind.", examples=[TIME_EXAMPLE])
    ]
    user_agent: Annotated[
        str,
        Meta(
            description='What the browser called itself when it signed in; "" where that is not known.',
            examples=["Mozilla/5.0"],
        ),
    ]
    current: Annotated[bool, Meta(description="Whether it is the session that asks.", examples=[True])]


class KeyOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An API key to be made."""

    # For the API page only: the bound holds after NFC, where the service checks it.
    name: Annotated[
        str,
        Meta(
            description="What the key is for; 1 to 100 characters.",
            examples=["Price bot"],
            extra_json_schema=required_text_schema(KEY_NAME_LENGTH_MAX),
        ),
    ]
    scope: KeyScopeField


class OwnKey(msgspec.Struct, frozen=True):
    """A live API key, without the key itself. `last_used_at` lags behind by up to two minutes."""

    id: Id
    name: KeyName
    scope: KeyScopeField
    created_at: CreatedAt
    last_used_at: KeyLastUse


class OwnKeys(msgspec.Struct, frozen=True):
    """A user's live API keys, oldest first, at most 20."""

    keys: Annotated[list[OwnKey], Meta(description="Your live keys.")]


class NewOwnKey(msgspec.Struct, frozen=True):
    """A new API key, which is shown this once."""

    id: Id
    name: KeyName
    scope: KeyScopeField
    key: Annotated[
        str, Meta(description="The key, shown this once: `Authorization: Bearer …`.", examples=["fku_5b1f0…"]), SECRET
    ]
    created_at: CreatedAt


class SessionPage(msgspec.Struct, frozen=True):
    """A page of live sessions, newest first."""

    sessions: Annotated[list[Session], SESSIONS]
    next_cursor: NextCursor
    has_more: HasMore
