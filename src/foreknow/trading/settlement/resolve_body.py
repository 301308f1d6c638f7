"""The resolution that a request names."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, millis
from foreknow.kernel.errors import BadRequest, InvalidState
from foreknow.kernel.schema_types import OUTCOMES, TIME_EXAMPLE, KnownOutcomes
from foreknow.kernel.text import nfc
from foreknow.kernel.validation.fields import optional_text, to_type, utc_ms, wrong_field
from foreknow.kernel.validation.urls import URL_SCHEMA, optional_url
from foreknow.market.pools.resolution_view import NOTE, NOTE_RU, SOURCE_URL
from foreknow.market.pools.resolutions import Resolution, read_resolution
from foreknow.market.pools.shape_view import shape_of
from foreknow.market.pools.shapes.base import MARKETS_MAX
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.joint import JointShape
from foreknow.market.pools.shapes.number import NumberShape
from foreknow.market.pools.store import PoolRow
from foreknow.market.pools.verdicts import Reasons
from foreknow.money.pricing import exact_fraction

_WonSide = Annotated[
    int,
    Meta(ge=0, description="Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO.", examples=[0]),
]
_Payouts = Annotated[
    list[Annotated[float, Meta(ge=0, le=1)]],
    Meta(
        min_length=2,
        max_length=100,
        description="What a YES share of each outcome pays, 0 … 1, together exactly 1.",
        examples=[[1, 0]],
    ),
]
_Void = Annotated[
    bool,
    Meta(
        description="Pay every share its market's last probability, or with `at` that of a moment.",
        examples=[True],
        extra_json_schema={"const": True},
    ),
]


_VoidAt = Annotated[
    datetime,
    Meta(
        tz=True,
        description="A moment between publication and now: a void pays each market's probability after the last trade "
        "until then; before any, the first.",
        examples=[TIME_EXAMPLE],
    ),
]


_Value = Annotated[
    str,
    Meta(
        description="Of a number or a date: what came; the outcome that holds it wins, on an edge the one above. A "
        "decimal of up to 18 digits before and after the point, or a time.",
        examples=["23.45"],
    ),
]
_Values = Annotated[
    list[str],
    Meta(
        max_length=MARKETS_MAX,
        description="Of several questions at once: the name of the outcome of each, in their order.",
        examples=[["Yes", "No"]],
    ),
]


NOTE_MAX = 2_000
_NOTE = Meta(extra_json_schema={"maxLength": NOTE_MAX})


class GivenReasons(msgspec.Struct, frozen=True, kw_only=True):
    """Why, in words and by where the result stands."""

    note: Annotated[str, NOTE, _NOTE] | None = None
    note_ru: Annotated[str, NOTE_RU, _NOTE] | None = None
    source_url: Annotated[str, SOURCE_URL, Meta(extra_json_schema=URL_SCHEMA)] | None = None

    def reasons(self) -> Reasons:
        """Return them normalised; `BadRequest` names the first wrong field."""
        return Reasons(
            note=optional_text("note", self.note, most=NOTE_MAX),
            note_ru=optional_text("note_ru", self.note_ru, most=NOTE_MAX),
            source_url=optional_url("source_url", self.source_url),
        )


class ResolveBody(GivenReasons, frozen=True, forbid_unknown_fields=True):
    """One of `won_side`, `payouts`, `void`, `value` and `values`; `at` beside `void` only, the rest beside any.

    `payouts`: one per outcome, [yes, no] in a single-market pool, summing to exactly 1.
    """

    won_side: _WonSide | None = None
    payouts: _Payouts | None = None
    void: _Void | None = None
    value: _Value | None = None
    values: _Values | None = None
    at: _VoidAt | None = None
    outcomes: Annotated[KnownOutcomes, OUTCOMES] | None = None

    @property
    def void_at_ms(self) -> int | None:
        """The moment whose prices a void pays, Unix milliseconds; None for the last ones."""
        return None if self.at is None else millis(self.at)


def _only(name: str, **schema: Any) -> dict[str, Any]:
    return {"required": [name], "properties": {name: schema, "at": {"type": "null"}}}


_VOID_AT = {"required": ["void"], "properties": {"void": {"const": True}}}
#: `ResolveBody` with the rule that JSON Schema cannot express in its fields: exactly one of them is given.
ResolveRequest = Annotated[
    ResolveBody,
    Meta(
        examples=[{"won_side": 0}],
        extra_json_schema={
            "oneOf": [
                _only("won_side", type="integer"),
                _only("payouts", type="array"),
                _only("value", type="string"),
                _only("values", type="array"),
                _VOID_AT,
            ]
        },
    ),
]


def check(body: ResolveBody) -> None:
    """Raise `BadRequest` for what is wrong with any pool."""
    forms = (body.won_side, body.payouts, body.void, body.value, body.values)
    if sum(form is not None for form in forms) != 1:
        raise BadRequest("Send exactly one of won_side, payouts, void, value and values.")
    if body.void is False:
        raise wrong_field("void", "must be true")
    if body.at is not None:
        _check_moment(body)
    if body.payouts is not None and sum(map(exact_fraction, body.payouts), start=Fraction(0)) != 1:
        raise wrong_field("payouts", "must sum to exactly 1")


def _check_moment(body: ResolveBody) -> None:
    if body.void is None:
        raise wrong_field("at", "must stand beside void")
    assert body.at is not None
    utc_ms("at", body.at)


def resolution_for(body: ResolveBody, *, outcomes: int) -> Resolution:
    """Return the resolution that a checked body asks for; `BadRequest` if the pool has not that many outcomes.

    A `value` or `values` stand beside the `won_side` that they name (`named_outcomes`).
    `outcomes` counts the implicit one of a single-market pool.
    """
    requested: dict[str, Any] = {"void": True}
    if body.void_at_ms is not None:
        requested["at"] = iso(body.void_at_ms)
    if body.payouts is not None:
        if len(body.payouts) != outcomes:
            raise wrong_field("payouts", f"must have {outcomes} numbers, one per outcome")
        requested = {"payouts": body.payouts}
    if body.won_side is not None:
        if body.won_side >= outcomes:
            raise wrong_field("won_side", f"must be between 0 and {outcomes - 1}")
        requested = {"won_side": body.won_side}
        requested |= {name: value for name, value in (("value", body.value), ("values", body.values)) if value}
    return read_resolution(requested, outcomes=outcomes)


_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)


class DateValue(msgspec.Struct, frozen=True):
    """A value that names a moment."""

    value: Annotated[datetime, Meta(tz=True)]


def named_outcome(body: ResolveBody, pool: PoolRow) -> ResolveBody:
    """Return a body with the `won_side` that its `value` or `values` name in a pool, if it has any.

    `BadRequest` where the pool's shape takes no such value; `InvalidState` before its edges are known.
    """
    shape = shape_of(pool)
    if body.values is not None:
        if not isinstance(shape, JointShape):
            raise wrong_field("values", "is for pools of several questions")
        values = list(map(nfc, body.values))
        return msgspec.structs.replace(body, won_side=shape.outcome_of(values), values=values)
    if body.value is None:
        return body
    if isinstance(shape, NumberShape):
        if not _NUMBER.fullmatch(body.value):
            raise wrong_field("value", "must be a decimal of up to 18 digits before and after the point")
        if shape.edges is None:
            raise InvalidState("The event was never published.")
        return msgspec.structs.replace(body, won_side=shape.outcome_of(Decimal(body.value)))
    if isinstance(shape, DateShape):
        at_ms = utc_ms("value", to_type({"value": body.value}, DateValue).value)
        return msgspec.structs.replace(body, won_side=shape.outcome_of(at_ms), value=iso(at_ms))
    raise wrong_field("value", "is for pools of a number or a date")
