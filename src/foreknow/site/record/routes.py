"""The endpoint of the track record: scores of what is counted."""

from __future__ import annotations

from typing import Annotated

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.schema_types import NATURAL, PROBABILITY
from foreknow.kernel.text import nfc_within
from foreknow.market.events.schemas import TAG_MAX
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.record.counting import ALL_TAGS, BINS, BOUNDS, HORIZONS, UNIT, Horizon
from foreknow.site.record.tables import record_bins, record_sums
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import QueryRequest, get
from foreknow.web.params import Param, choice, defaulted, optional, parameters
from foreknow.web.responses import Response


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


TAG = Param("tag", str, {"type": "string"}, "Only pools of events with exactly this tag.")
HORIZON: Param[Horizon] = choice(
    "horizon",
    HORIZONS,
    "The moment whose probabilities count: halfway from publication to the end of trading (`mid`), or that long before "
    "that end; pools that were younger then are left out.",
)
_BOUNDS = (0.0, *BOUNDS, 1.0)


def track_record(tx: ReadTx, *, tag: str, horizon: Horizon) -> TrackRecord:
    """Return the record of pools with a tag, of all for "", at a horizon."""
    sums, bins = record_sums.c, record_bins.c
    total = sa.select(sums.pools, sums.markets, sums.brier, sums.base_brier)
    row = tx.execute(total.where(sums.tag == tag, sums.horizon == horizon)).one_or_none()
    of_bins = sa.select(bins.bin, bins.markets, bins.won, bins.probability)
    counted = {one.bin: one for one in tx.execute(of_bins.where(bins.tag == tag, bins.horizon == horizon))}
    shown: list[RecordBin] = []
    for number in range(BINS):
        one = counted.get(number)
        shown.append(
            RecordBin(
                from_=_BOUNDS[number],
                to=_BOUNDS[number + 1],
                markets=0 if one is None else one.markets,
                mean_probability=None if one is None else _mean(one.probability, one.markets),
                won=0 if one is None else one.won,
            )
        )
    if row is None:
        return TrackRecord(pools=0, markets=0, brier=None, base_brier=None, bins=shown)
    return TrackRecord(
        pools=row.pools,
        markets=row.markets,
        brier=_mean(row.brier, row.markets),
        base_brier=_mean(row.base_brier, row.markets),
        bins=shown,
    )


def _mean(total: str, count: int) -> float:
    return float(int(total) * UNIT / count)


@parameters
class RecordQuery:
    tag: str | None = optional(TAG)
    horizon: Horizon = defaulted(HORIZON, "mid")


class RecordRoutes(FeatureRoutes):
    """How right the site's probabilities were."""

    @get("/record", AuthLevel.NONE, response=TrackRecord)
    async def get_track_record(self, request: QueryRequest[RecordQuery]) -> Response:
        """How right the site's probabilities were.

        Of all pools that are finally resolved, with one winner and at least 5 traders beside the house. Trading ends at
        the pool's finish_at, or with an earlier decision. Up to some seconds old.
        """
        horizon, wanted = request.query.horizon, request.query.tag
        # Longer than any tag, or none at all: no event has it.
        tag = ALL_TAGS if wanted is None else nfc_within(wanted, TAG_MAX) or " "

        def read(tx: ReadTx) -> tuple[TrackRecord, list[int]]:
            return track_record(tx, tag=tag, horizon=horizon), []

        return await self._context.responses.get(("record", tag, horizon), read)
