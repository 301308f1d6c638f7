"""What the endpoint of one's allowance shows."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.grant_settings import AllowancePeriod
from foreknow.kernel.schema_types import TIME_EXAMPLE, Time


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What who was active in a period is granted when the next one begins."""

    kopecks: Annotated[int, Meta(description="The most that is granted, kopecks.", examples=[10_000])]
    every: Annotated[AllowancePeriod, Meta(description="How often, in UTC; weeks begin on Monday.", examples=["week"])]
    up_to: Annotated[
        int, Meta(description="Balance and positions are filled up to this worth, kopecks.", examples=[50_000])
    ]
    next_at: Annotated[Time, Meta(description="When the next one is due, UTC.", examples=[TIME_EXAMPLE])]
    expected_kopecks: Annotated[
        int,
        Meta(
            description="What you would get by what you are worth now, kopecks; 0 until your e-mail address is "
            "verified, where the site asks for that.",
            examples=[7_500],
        ),
    ]


class OwnAllowance(msgspec.Struct, frozen=True):
    """The caller's allowance."""

    allowance: Annotated[Allowance | None, Meta(description="Your allowance; null where none is set.")]
