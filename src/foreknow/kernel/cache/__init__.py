"""Values kept in memory: bounded, and fetched once for all who want them at the same time.

bounded        a mapping that drops its oldest entries over a number of bytes or entries, and those that expired
single_flight  one fetch for all who want its result at the same time: of one value, of many, of one kept for a time
"""

from foreknow.kernel.cache.bounded import BoundedCache, compact, in_bytes, in_entries
from foreknow.kernel.cache.single_flight import BatchedSingleFlight, ExpiringValue, SingleFlight

__all__ = [
    "BatchedSingleFlight",
    "BoundedCache",
    "ExpiringValue",
    "SingleFlight",
    "compact",
    "in_bytes",
    "in_entries",
]
