"""Accounts and sign-in as requests bring them and as answers show them (decisions.md, "Accounts and sign-in")."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.validation.fields import required_text_schema
from foreknow.validation.urls import URL_SCHEMA

EMAIL_LENGTH_MAX = 254
NAME_LENGTH_MAX = 200
PASSWORD_LENGTH_MIN = 8
PASSWORD_LENGTH_MAX = 128

# Bounds that hold after NFC are checked in `profiles`; here they only tell the API page.
_Email = Annotated[str, Meta(extra_json_schema={"format": "email", "maxLength": EMAIL_LENGTH_MAX})]
_Name = Annotated[str, Meta(extra_json_schema=required_text_schema(NAME_LENGTH_MAX))]
_NICKNAME_PATTERN = r"^([\p{L}\p{Nd}_.-][\p{L}\p{Nd}\p{Mn}\p{Mc}_.-]{2,31})?$"
_Nickname = Annotated[str, Meta(extra_json_schema={"maxLength": 32, "pattern": _NICKNAME_PATTERN})]
_Url = Annotated[str, Meta(extra_json_schema=URL_SCHEMA)]
_NewPassword = Annotated[
    str, Meta(extra_json_schema={"minLength": PASSWORD_LENGTH_MIN, "maxLength": PASSWORD_LENGTH_MAX})
]


class SignUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new account."""

    email: _Email
    password: _NewPassword
    name: _Name
    nickname: _Nickname | None = None


class SignIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Credentials; a password of any length is tried."""

    login: str
    password: str


class ProfileChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to change of one's own profile; what is left out stays, "" clears nickname and avatar_url."""

    name: _Name | None = None
    nickname: _Nickname | None = None
    avatar_url: _Url | None = None
    profile_hidden: bool | None = None


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The old password, "" where the account has none yet, and the new one."""

    old: str
    new: _NewPassword


class PasswordReset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token of a reset link, and the new password."""

    token: str
    password: _NewPassword


class User(msgspec.Struct, frozen=True):
    """An account as its owner and admins see it."""

    id: int
    email: str
    name: str
    nickname: str
    avatar_url: str
    profile_hidden: bool
    is_creator: bool
    is_admin: bool
    is_stats_viewer: bool
    is_operator: bool
    balance_kopecks: int
    created_at: str


class ManagedUser(User, frozen=True):
    """An account as admins see it."""

    is_active: bool


class PublicUser(msgspec.Struct, frozen=True):
    """An account as others see it."""

    id: int
    name: str
    nickname: str
    profile_hidden: bool
    avatar_url: str


class SignedIn(msgspec.Struct, frozen=True):
    """A session has begun or goes on; both cookies are set. `expires_in`: seconds the access token lives from now."""

    user: User
    access_token: str
    expires_in: int


class Session(msgspec.Struct, frozen=True):
    """A live session. `last_used_at` lags behind by up to 20 minutes."""

    id: int
    created_at: str
    last_used_at: str
    user_agent: str
    current: bool


class Sessions(msgspec.Struct, frozen=True):
    """A page of live sessions, newest first."""

    sessions: list[Session]
    next_cursor: str | None
    has_more: bool
