"""Bodies of settlement (site.md, "Money and newcomers")."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

NOTE_MAX = 500


class Cancellation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why an event is cancelled, for its creator."""

    note: (
        Annotated[
            str,
            Meta(
                extra_json_schema={"maxLength": NOTE_MAX},
                description="Why, for the creator's notification; at most 500 characters.",
                examples=["Please say who decides."],
            ),
        ]
        | None
    ) = None
