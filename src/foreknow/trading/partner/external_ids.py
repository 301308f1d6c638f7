"""Partners' ids of their users."""

from __future__ import annotations

import unicodedata

from foreknow.kernel.errors import DomainError

LENGTH_MAX = 128


class InvalidExternalUserId(DomainError):
    code = "invalid_external_user_id"
    status = 400
    message = "external_user_id has 1 to 128 characters and no control characters."


def read_external_user_id(text: str) -> str:
    """Return the id exactly as sent; `InvalidExternalUserId` if the contract does not allow it.

    A path that is not UTF-8 arrives as NUL, a control character.
    """
    if not 1 <= len(text) <= LENGTH_MAX or any(unicodedata.category(character) == "Cc" for character in text):
        raise InvalidExternalUserId
    return text
