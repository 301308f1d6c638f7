"""Bodies of requests about one's own data."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import TIME_EXAMPLE, Time
from foreknow.people.users.schemas import CheckedPassword


class DeletionOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The password, "" where the account has none."""

    password: CheckedPassword


class OwnData(msgspec.Struct, frozen=True):
    """All that is kept of a person, without secrets. Names are those of the database; times are UTC."""

    exported_at: Annotated[Time, Meta(description="When the export began, UTC.", examples=[TIME_EXAMPLE])]
    tables: Annotated[
        dict[str, list[dict[str, Any]]],
        Meta(
            description="Rows by table. Amounts of money end in `_kopecks`, times in `_at`.",
            examples=[{"balance": [{"balance_kopecks": 99000}], "comments": []}],
        ),
    ]
