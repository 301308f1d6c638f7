"""The track record as responses show it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import NATURAL, PROBABILITY


class RecordBin(msgspec.Struct, frozen=True, kw_only=True):
    """Markets whose probability was in one tenth; a probability of just `to` is in the next, 1 in the last."""

    from_: Annotated[float, Meta(description="Least probability.", examples=[0.6])] = msgspec.field(name="from")
    to: Annotated[float, Meta(description="Where the next tenth begins.", examples=[0.7])]
    markets: Annotated[int, NATURAL, Meta(description="How many markets.", examples=[12])]
    mean_probability: Annotated[
        Annotated[float, PROBABILITY] | None, Meta(description="Their mean probability of YES.", examples=[0.64])
    ]
    won: Annotated[int, NATURAL, Meta(description="In how many YES came true.", examples=[8])]


class TrackRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How right the probabilities of resolved pools were; null over nothing."""

    pools: Annotated[int, NATURAL, Meta(description="How many pools.", examples=[58])]
    markets: Annotated[int, NATURAL, Meta(description="How many markets they have.", examples=[71])]
    brier: Annotated[
        float | None,
        Meta(description="Brier score: the mean of (p − w)², w 1 where YES came true, else 0.", examples=[0.18]),
    ]
    base_brier: Annotated[float | None, Meta(description="The same of the first probabilities.", examples=[0.25])]
    bins: Annotated[list[RecordBin], Meta(description="All ten tenths, the lowest first.")]
