"""Several pools in one answer, which is kept once for all orders in which they may be asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from foreknow.pools.schemas import Pool
from foreknow.web.responses import Response

_encode = msgspec.json.Encoder().encode


class BatchAnswer(Response, frozen=True, kw_only=True):
    """Pools as JSON, in the order of their ids; `places` says where each begins and ends in the body."""

    places: Mapping[int, tuple[int, int]]

    def in_order(self, pool_ids: Sequence[int]) -> Response:
        """Return the same pools in the order of `pool_ids`, duplicates once, those that are missing here left out."""
        wanted = [pool_id for pool_id in dict.fromkeys(pool_ids) if pool_id in self.places]
        if wanted == list(self.places):
            return self
        pieces = (self.body[start:end] for start, end in map(self.places.__getitem__, wanted))
        return Response(b"[" + b",".join(pieces) + b"]")


def batch_answer(pools: Sequence[Pool]) -> BatchAnswer:
    """Write pools that are in the order of their ids."""
    places: dict[int, tuple[int, int]] = {}
    pieces: list[bytes] = []
    start = len(b"[")
    for pool in pools:
        pieces.append(_encode(pool))
        places[pool.id] = (start, start + len(pieces[-1]))
        start += len(pieces[-1]) + len(b",")
    return BatchAnswer(b"[" + b",".join(pieces) + b"]", places=places)
