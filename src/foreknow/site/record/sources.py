"""The record of what others than the market said: of the crowd and of people, in a row of sums a source and tag."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.record.moments import BINS, Horizon, RecordMoment, bin_of
from foreknow.site.record.tables import source_records

#: The crowd among the sources; all others are people, by id.
CROWD = 0
#: Sums are whole numbers of it: a term is right to twelve digits, and a million of them fit into 64 bits.
UNIT = Fraction(1, 2**40)


class BinSums(msgspec.Struct, array_like=True):
    """Markets whose probability was in one tenth, those of them that won, and the sum of the probabilities."""

    markets: int = 0
    won: int = 0
    probability: int = 0


class HorizonSums(msgspec.Struct, array_like=True):
    """What is summed up of one horizon; squared errors of the source, of first probabilities, of the market's."""

    pools: int = 0
    markets: int = 0
    brier: int = 0
    base_brier: int = 0
    market_brier: int = 0
    bins: list[BinSums] = []

    def add(self, said: Sequence[float], market: Sequence[float], moment: RecordMoment) -> None:
        """Add a pool."""
        if not self.bins:
            self.bins = [BinSums() for _ in range(BINS)]
        self.pools += 1
        self.markets += len(moment.won)
        for own, price, first, won in zip(said, market, moment.first, moment.won, strict=True):
            self.brier += _units((own - won) ** 2)
            self.base_brier += _units((first - won) ** 2)
            self.market_brier += _units((price - won) ** 2)
            place = self.bins[bin_of(own)]
            place.markets += 1
            place.won += won
            place.probability += _units(own)


#: Sums by horizon, those without pools left out.
SourceSums = dict[Horizon, HorizonSums]


@dataclass(frozen=True, slots=True)
class Compared:
    """A source beside the market at a moment, the YES probabilities of the markets of then."""

    said: Sequence[float]
    market: Sequence[float]
    moment: RecordMoment


def add(tx: WriteTx, by_source: Mapping[int, Sequence[Compared]], tags: Collection[str]) -> None:
    """Add a pool to the records of sources, by their ids, in those of all tags and of each of `tags`."""
    keys = [(source, tag) for source in sorted(by_source) if by_source[source] for tag in ("", *dict.fromkeys(tags))]
    if not keys:
        return
    known = _known(tx, {source for source, _ in keys}, {tag for _, tag in keys})
    rows: list[tuple[Any, ...]] = []
    for key in keys:
        sums = known.get(key, {})
        for one in by_source[key[0]]:
            sums.setdefault(one.moment.horizon, HorizonSums()).add(one.said, one.market, one.moment)
        rows.append((*key, msgspec.json.encode(sums).decode()))
    apply(tx, _RECORDS, rows)


def sums_of(tx: ReadTx, source: int, *, tag: str, horizon: Horizon) -> HorizonSums:
    """Return the sums of a source at a horizon, of pools with a tag, of all for ""."""
    return _known(tx, {source}, {tag}).get((source, tag), {}).get(horizon, HorizonSums())


def forget(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete some of a person's records; return how many."""
    own = sa.select(_C.tag).where(_C.user_id == user_id).order_by(_C.tag).limit(most)
    return tx.execute(source_records.delete().where(_C.user_id == user_id, _C.tag.in_(own))).rowcount


def _known(tx: ReadTx, sources: Collection[int], tags: Collection[str]) -> dict[tuple[int, str], SourceSums]:
    query = sa.select(_C.user_id, _C.tag, _C.sums).where(_C.user_id.in_(sources), _C.tag.in_(tags))
    return {(source, tag): msgspec.convert(sums, SourceSums) for source, tag, sums in tx.execute(query)}


def _units(value: float) -> int:
    return round(value * UNIT.denominator)


_C = source_records.c
_RECORDS = Insert(
    source_records, ("user_id", "tag", "sums"), conflict=on_conflict(source_records, sums="excluded.sums")
)
