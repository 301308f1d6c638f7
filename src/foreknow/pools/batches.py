"""A response with several pools, cached once for every order of their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from foreknow.pools.schemas import Pool
from foreknow.web.responses import Response

_encode = msgspec.json.Encoder().encode


class PoolBatchResponse(Response, frozen=True, kw_only=True):
    """Pools as a JSON array in id order; `offsets` are each pool's start and end in the body."""

    offsets: Mapping[int, tuple[int, int]]

    def in_order(self, pool_ids: Sequence[int]) -> Response:
        """Return the pools in the order of `pool_ids`, without duplicates and without ids missing here."""
        present_ids = [pool_id for pool_id in dict.fromkeys(pool_ids) if pool_id in self.offsets]
        if present_ids == list(self.offsets):
            return self
        encoded = (self.body[start:end] for start, end in map(self.offsets.__getitem__, present_ids))
        return Response(b"[" + b",".join(encoded) + b"]")


def pool_batch_response(pools: Sequence[Pool]) -> PoolBatchResponse:
    """Encode pools, which are in id order."""
    offsets: dict[int, tuple[int, int]] = {}
    encoded: list[bytes] = []
    start = len(b"[")
    for pool in pools:
        encoded.append(_encode(pool))
        offsets[pool.id] = (start, start + len(encoded[-1]))
        start += len(encoded[-1]) + len(b",")
    return PoolBatchResponse(b"[" + b",".join(encoded) + b"]", offsets=offsets)
