"""The body of a split."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import PROBABILITY
from foreknow.kernel.validation.fields import (
    optional_name,
    required_text,
    required_text_schema,
    wrong_field,
)
from foreknow.market.pools.shapes.base import MARKET_NAME_MAX
from foreknow.money.pricing import PERCENT_MAX, PERCENT_MIN, exact_fraction


class NewOutcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An outcome that is taken out of a list's Other."""

    name: Annotated[
        str,
        Meta(
            description="Its name; no other outcome of the list has it, without regard to case.",
            examples=["Dana"],
            extra_json_schema=required_text_schema(MARKET_NAME_MAX),
        ),
    ]
    name_ru: (
        Annotated[
            str,
            Meta(
                description="Its name in Russian.",
                examples=["Дана"],
                extra_json_schema={"maxLength": MARKET_NAME_MAX},
            ),
        ]
        | None
    ) = None
    share: Annotated[
        float,
        Meta(
            description="What part of Other it is: 0.01 … 0.99, whole hundredths.",
            examples=[0.25],
            extra_json_schema={"minimum": 0.01, "maximum": 0.99, "multipleOf": 0.01},
        ),
    ]
    probability: Annotated[
        float,
        PROBABILITY,
        Meta(
            description="The probability at which it is expected to start; over 0.005 off, it is refused (`slippage`).",
            examples=[0.125],
        ),
    ]


class CheckedOutcome(msgspec.Struct, frozen=True):
    """What a body asks for, its texts normalised."""

    name: str
    name_ru: str
    share_percent: int
    probability: Fraction


def checked(body: NewOutcome) -> CheckedOutcome:
    """Return what a body asks for; `BadRequest` for what no list takes."""
    percent = 100 * exact_fraction(body.share)
    if percent.denominator != 1 or not PERCENT_MIN <= percent <= PERCENT_MAX:
        raise wrong_field("share", "must be 0.01 … 0.99, in whole hundredths")
    return CheckedOutcome(
        name=required_text("name", body.name, most=MARKET_NAME_MAX),
        name_ru=optional_name("name_ru", body.name_ru or "", most=MARKET_NAME_MAX),
        share_percent=int(percent),
        probability=exact_fraction(body.probability),
    )
