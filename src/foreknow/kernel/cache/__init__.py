"""Values kept in memory: bounded, and fetched once for all who want them at the same time.

bounded        a mapping that drops its oldest entries over a number of bytes or entries, and those that expired
single_flight  one call for all who want its result at the same time
batched        the same for many values: overlapping batches fetch each value once
expiring       one value, fetched again when it is too old
"""

from foreknow.kernel.cache.batched import BatchedSingleFlight
from foreknow.kernel.cache.bounded import BoundedCache, compact, in_bytes, in_entries
from foreknow.kernel.cache.expiring import ExpiringValue
from foreknow.kernel.cache.single_flight import SingleFlight

__all__ = [
    "BatchedSingleFlight",
    "BoundedCache",
    "ExpiringValue",
    "SingleFlight",
    "compact",
    "in_bytes",
    "in_entries",
]
