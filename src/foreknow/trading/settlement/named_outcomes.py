"""Results that name a value: which outcome of a shape holds a number, a moment, or answers to its questions."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.text import nfc
from foreknow.kernel.validation.fields import to_type, utc_ms, wrong_field
from foreknow.market.pools.shape_view import shape_of
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.joint import JointShape
from foreknow.market.pools.shapes.number import NumberShape
from foreknow.market.pools.store import PoolRow
from foreknow.trading.settlement.resolve_body import ResolveBody

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
