"""Bodies of requests about one's own data."""

from __future__ import annotations

import msgspec

from foreknow.people.users.schemas import CheckedPassword


class DeletionOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The password, "" where the account has none."""

    password: CheckedPassword
