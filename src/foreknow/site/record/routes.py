"""The endpoint of the track record."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.text import nfc_within
from foreknow.market.events.schemas import TAG_MAX
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.record.counting import ALL_TAGS, HORIZONS, Horizon
from foreknow.site.record.schemas import TrackRecord
from foreknow.site.record.scores import track_record
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import QueryRequest, get
from foreknow.web.params import Param, choice, defaulted, optional, parameters
from foreknow.web.responses import Response

TAG = Param("tag", str, {"type": "string"}, "Only pools of events with exactly this tag.")
HORIZON: Param[Horizon] = choice(
    "horizon",
    HORIZONS,
    "The moment whose probabilities count: halfway from publication to the end of trading (`mid`), or that long before "
    "that end; pools that were younger then are left out.",
)


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
