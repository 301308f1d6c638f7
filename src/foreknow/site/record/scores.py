"""Scores of what is counted."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.transactions import ReadTx
from foreknow.site.record.counting import BINS, BOUNDS, UNIT, Horizon
from foreknow.site.record.schemas import RecordBin, TrackRecord
from foreknow.site.record.tables import record_bins, record_sums

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
