"""Profiles: validation of each field, and views for the owner, admins and the public."""

from __future__ import annotations

import functools
import importlib.util
import re
import unicodedata
from pathlib import Path
from typing import Any

import msgspec

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.email_addresses import ascii_domain, is_routed
from foreknow.kernel.look_alikes import joined_skeleton
from foreknow.kernel.text import fold, is_seen, nfc_within
from foreknow.kernel.time_zones import UTC_NAME, zone_names
from foreknow.kernel.validation.fields import required_text, wrong_field
from foreknow.people.users.schemas import (
    EMAIL_LENGTH_MAX,
    NAME_LENGTH_MAX,
    PASSWORD_LENGTH_MAX,
    PASSWORD_LENGTH_MIN,
    ManagedUser,
    PublicUser,
    User,
)
from foreknow.people.users.store import UserRow

NICKNAME_LENGTH_MIN = 3
NICKNAME_LENGTH_MAX = 32
#: What nicknames are made of beside letters, their marks, and digits.
NICKNAME_MARKS = "_.-"
#: Display name of traders with a hidden profile, in comments and in the feed.
HIDDEN_NAME = "Hidden trader"
#: Name of a deleted account, whose profile is hidden.
DELETED_NAME = "Deleted trader"
#: One @ between a local part and a domain; only a message shows whether an address works.
_EMAIL = re.compile(r"[^@\s]+@(?P<domain>[^@\s]+)")


def read_email(text: str) -> str:
    """Return an e-mail address in NFC; `BadRequest` for anything else."""
    email = nfc_within(text, EMAIL_LENGTH_MAX)
    parts = _EMAIL.fullmatch(email) if email is not None and email.isprintable() else None
    if email is None or parts is None or ascii_domain(parts["domain"]) is None or is_routed(email):
        what = f'must be an e-mail address of at most {EMAIL_LENGTH_MAX} characters, without "%" or "!" before the @'
        raise wrong_field("email", what)
    return email


def read_nickname(text: str) -> str:
    """Return a nickname in NFC, or "" for none; `BadRequest` for anything else."""
    nickname = nfc_within(text, NICKNAME_LENGTH_MAX)
    if nickname is None or (nickname and not _is_nickname(nickname)):
        raise wrong_field(
            "nickname",
            f'must be "" or have {NICKNAME_LENGTH_MIN} to {NICKNAME_LENGTH_MAX} letters, digits, "_", "." or "-"',
        )
    if nickname:
        _check_own("nickname", nickname)
    return nickname


def read_name(text: str) -> str:
    """Return a person's name in NFC; `BadRequest` for anything else."""
    name = required_text("name", text, most=NAME_LENGTH_MAX)
    _check_own("name", name)
    return name


def is_reserved(name: str) -> bool:
    """Return whether a name looks like one that the service gives people itself."""
    return joined_skeleton("".join(name.split())) in set(map(joined_skeleton, (HIDDEN_NAME, DELETED_NAME)))


def _check_own(path: str, name: str) -> None:
    if is_reserved(name):
        raise wrong_field(path, f'must not look like "{HIDDEN_NAME}" or "{DELETED_NAME}"')


def read_password(text: str, *, field: str = "password") -> str:
    """Return a new password in NFC, the same from every keyboard; `field` is its name in the request.

    `BadRequest` if it is too short, too long or too common. Existing passwords are not checked: they still sign in.
    """
    password = nfc_within(text, PASSWORD_LENGTH_MAX)
    if password is None or len(password) < PASSWORD_LENGTH_MIN:
        raise wrong_field(field, f"must have {PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX} characters")
    if is_common(password):
        raise wrong_field(field, f"must not be one of the {COMMON_PASSWORDS:,} commonest; choose another")
    return password


def read_time_zone(text: str) -> str:
    """Return the name of a time zone; `BadRequest` for anything else."""
    if text not in zone_names():
        raise wrong_field("time_zone", "must be the name of a time zone, such as Europe/Berlin")
    return text


def own_view(row: UserRow, *, balance_kopecks: int, held_kopecks: int) -> User:
    """Return the owner's view of an account."""
    return User(
        id=row.id,
        email=row.email,
        name=row.name,
        nickname=row.nickname,
        avatar_url=row.avatar_url,
        profile_hidden=row.profile_hidden,
        is_creator=row.is_creator,
        is_admin=row.is_admin,
        is_stats_viewer=row.is_stats_viewer,
        is_operator=row.is_operator,
        balance_kopecks=balance_kopecks,
        held_kopecks=held_kopecks,
        created_at=iso(row.created_at_ms),
        email_verified=row.email_verified,
        email_refused=row.refused_email in {row.email, row.email_pending} and row.refused_email is not None,
        email_pending=row.email_pending or "",
        language=row.language or "en",
        time_zone=row.time_zone or UTC_NAME,
        muted_until=iso_or_none(row.muted_until_ms),
        show_holds=row.show_holds,
        show_forecast=row.show_forecast,
    )


def managed_view(row: UserRow, *, balance_kopecks: int, held_kopecks: int) -> ManagedUser:
    """Return an admin's view of an account."""
    own = msgspec.structs.asdict(own_view(row, balance_kopecks=balance_kopecks, held_kopecks=held_kopecks))
    return ManagedUser(**own, is_active=row.is_active)


def name_if_hidden(name: str) -> str:
    """Return what stands for the name of a hidden profile."""
    return name if name == DELETED_NAME else HIDDEN_NAME


def public_user(row: UserRow, *, unhidden: bool = False) -> PublicUser:
    """Return the public view of an account; a hidden profile is shown to operators only (`unhidden`)."""
    if row.profile_hidden and not unhidden:
        return PublicUser(id=row.id, name=name_if_hidden(row.name), nickname="", profile_hidden=True, avatar_url="")
    return PublicUser(
        id=row.id,
        name=row.name,
        nickname=row.nickname,
        profile_hidden=row.profile_hidden,
        avatar_url=row.avatar_url,
    )


def _is_nickname(text: str) -> bool:
    if len(text) < NICKNAME_LENGTH_MIN:
        return False
    # Many scripts write vowels as marks, which Unicode does not count as letters; no word starts with one.
    return not _is_mark(text[0]) and all(map(is_in_nicknames, text))


def is_in_nicknames(character: str) -> bool:
    """Return whether nicknames may have a character: a letter, a mark on one, a digit, or one of `NICKNAME_MARKS`."""
    category = unicodedata.category(character)
    is_letter_or_digit = (category.startswith("L") or category == "Nd") and is_seen(character)
    return is_letter_or_digit or character in NICKNAME_MARKS or _is_mark(character)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in {"Mn", "Mc"}


#: The commonest of zxcvbn's 30,000 that are long enough to be a password here. (OWASP ASVS 5, 6.2.4, requires 3,000
#: such; those among the 10,000 commonest of any length are included.)
COMMON_PASSWORDS = 10_000


def is_common(password: str) -> bool:
    """Return whether a password, ignoring case, is one of the commonest."""
    return fold(password) in _common_passwords()


@functools.cache
def _common_passwords() -> frozenset[str]:
    """Load the list on first use: some 15 ms and 1 MB.

    Executes the package's module of lists alone: importing the package would keep 93,000 words in memory.
    """
    package: Any = importlib.util.find_spec("zxcvbn")
    lists: Any = importlib.util.spec_from_file_location(
        "frequency_lists", Path(package.origin).with_name("frequency_lists.py")
    )
    module: Any = importlib.util.module_from_spec(lists)
    lists.loader.exec_module(module)
    ranked: list[str] = module.FREQUENCY_LISTS["passwords"]
    return frozenset([text for text in ranked if len(text) >= PASSWORD_LENGTH_MIN][:COMMON_PASSWORDS])
