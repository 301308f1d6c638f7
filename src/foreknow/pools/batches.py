"""Several pools as one JSON array, cached once for every order of their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from foreknow.pools.schemas import Pool

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class PoolBatch:
    """Pools as a JSON array in id order; `offsets` are each pool's start and end in the body."""

    body: bytes
    offsets: Mapping[int, tuple[int, int]]

    def in_order(self, pool_ids: Sequence[int]) -> bytes:
        """Return the pools in the order of `pool_ids`, without duplicates and without ids missing here."""
        present_ids = [pool_id for pool_id in dict.fromkeys(pool_ids) if pool_id in self.offsets]
        if present_ids == list(self.offsets):
            return self.body
        encoded = (self.body[start:end] for start, end in map(self.offsets.__getitem__, present_ids))
        return b"[" + b",".join(encoded) + b"]"


def pool_batch(pools: Sequence[Pool]) -> PoolBatch:
    """Encode pools, which are in id order."""
    offsets: dict[int, tuple[int, int]] = {}
    encoded: list[bytes] = []
    start = len(b"[")
    for pool in pools:
        encoded.append(_encode(pool))
        offsets[pool.id] = (start, start + len(encoded[-1]))
        start += len(encoded[-1]) + len(b",")
    return PoolBatch(b"[" + b",".join(encoded) + b"]", offsets)
