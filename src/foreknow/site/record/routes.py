"""Endpoints of the track record: scores of what is counted, of the market, the crowd and people."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.schema_types import NATURAL, PROBABILITY
from foreknow.kernel.text import nfc_within
from foreknow.market.events.schemas import TAG_MAX
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.record import sources
from foreknow.site.record.counting import ALL_TAGS, UNIT
from foreknow.site.record.moments import BINS, BOUNDS, HORIZONS, Horizon
from foreknow.site.record.tables import record_bins, record_sums
from foreknow.trading.history.routes import TraderPath
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import QueryRequest, Request, get
from foreknow.web.params import Param, choice, defaulted, optional, parameters
from foreknow.web.responses import Response

RecordSource = Literal["market", "crowd"]
SOURCES: tuple[RecordSource, ...] = get_args(RecordSource)


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
    market_brier: Annotated[
        float | None, Meta(description="The same of the market's probabilities at that moment.", examples=[0.19])
    ]
    bins: Annotated[list[RecordBin], Meta(description="All ten tenths, the lowest first.")]


TAG = Param("tag", str, {"type": "string"}, "Only pools of events with exactly this tag.")
HORIZON: Param[Horizon] = choice(
    "horizon",
    HORIZONS,
    "The moment whose probabilities count: halfway from publication to the end of trading (`mid`), or that long before "
    "that end; pools that were younger then are left out.",
)
_BOUNDS = (0.0, *BOUNDS, 1.0)


SOURCE: Param[RecordSource] = choice(
    "source", SOURCES, "Whose probabilities: the market's, or those of the crowd of forecasts."
)


def track_record(tx: ReadTx, *, tag: str, horizon: Horizon) -> TrackRecord:
    """Return the market's record of pools with a tag, of all for "", at a horizon."""
    sums, bins = record_sums.c, record_bins.c
    total = sa.select(sums.pools, sums.markets, sums.brier, sums.base_brier)
    row = tx.execute(total.where(sums.tag == tag, sums.horizon == horizon)).one_or_none()
    of_bins = sa.select(bins.bin, bins.markets, bins.won, bins.probability)
    counted = {one.bin: one for one in tx.execute(of_bins.where(bins.tag == tag, bins.horizon == horizon))}
    shown = [_shown(number, counted.get(number), UNIT) for number in range(BINS)]
    if row is None:
        return TrackRecord(pools=0, markets=0, brier=None, base_brier=None, market_brier=None, bins=shown)
    brier = _mean(row.brier, row.markets)
    return TrackRecord(
        pools=row.pools,
        markets=row.markets,
        brier=brier,
        base_brier=_mean(row.base_brier, row.markets),
        market_brier=brier,
        bins=shown,
    )


def source_record(tx: ReadTx, source: int, *, tag: str, horizon: Horizon) -> TrackRecord:
    """Return the same of the crowd, or of a person by their id."""
    sums = sources.sums_of(tx, source, tag=tag, horizon=horizon)
    bins = sums.bins or [sources.BinSums()] * BINS

    def mean(total: int) -> float | None:
        return _mean(total, sums.markets, sources.UNIT) if sums.markets else None

    return TrackRecord(
        pools=sums.pools,
        markets=sums.markets,
        brier=mean(sums.brier),
        base_brier=mean(sums.base_brier),
        market_brier=mean(sums.market_brier),
        bins=[_shown(number, one, sources.UNIT) for number, one in enumerate(bins)],
    )


def _shown(number: int, one: Any, unit: Fraction) -> RecordBin:
    is_any = one is not None and one.markets > 0
    return RecordBin(
        from_=_BOUNDS[number],
        to=_BOUNDS[number + 1],
        markets=one.markets if is_any else 0,
        mean_probability=_mean(one.probability, one.markets, unit) if is_any else None,
        won=one.won if is_any else 0,
    )


def _mean(total: str | int, count: int, unit: Fraction = UNIT) -> float:
    return float(int(total) * unit / count)


@parameters
class RecordQuery:
    tag: str | None = optional(TAG)
    horizon: Horizon = defaulted(HORIZON, "mid")
    source: RecordSource = defaulted(SOURCE, "market")


@parameters
class PersonRecordQuery:
    tag: str | None = optional(TAG)
    horizon: Horizon = defaulted(HORIZON, "mid")


class RecordRoutes(FeatureRoutes):
    """How right the site's probabilities were."""

    @get("/record", AuthLevel.NONE, response=TrackRecord)
    async def get_track_record(self, request: QueryRequest[RecordQuery]) -> Response:
        """How right the site's probabilities were.

        Of all pools that are finally resolved, with one winner and at least 5 traders beside the house (without
        trading: 5 forecasters). Trading ends at the pool's finish_at, or with an earlier decision. Of the crowd, pools
        without one at that moment are left out. Up to some seconds old.
        """
        horizon, source, tag = request.query.horizon, request.query.source, _tag(request.query.tag)

        def read(tx: ReadTx) -> tuple[TrackRecord, list[int]]:
            if source == "market":
                return track_record(tx, tag=tag, horizon=horizon), []
            return source_record(tx, sources.CROWD, tag=tag, horizon=horizon), []

        return await self._context.responses.get(("record", source, tag, horizon), read)

    @get("/users/{id}/record", AuthLevel.OPTIONAL, errors=(UserNotFound,))
    async def get_record_of_user(self, request: Request[TraderPath, PersonRecordQuery, None]) -> TrackRecord:
        """How right a user's forecasts were.

        Of the same pools, those in which a forecast of theirs stood at that moment. A hidden profile's is shown to its
        owner and to admins only.
        """
        user_id, horizon, tag = request.path.id, request.query.horizon, _tag(request.query.tag)

        def read(tx: ReadTx) -> TrackRecord:
            check_shown(tx, user_id, request.visitor)
            return source_record(tx, user_id, tag=tag, horizon=horizon)

        return await self._context.db.lookup(read)


def _tag(wanted: str | None) -> str:
    # Longer than any tag, or none at all: no event has it.
    return ALL_TAGS if wanted is None else nfc_within(wanted, TAG_MAX) or " "
