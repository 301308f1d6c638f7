"""Values kept in memory: bounded in bytes, fetched once for all who want them at the same time.

bounded        a mapping that drops its oldest entries over a number of bytes
single_flight  one call for all who want its result at the same time
batched        the same for many values: overlapping batches fetch each value once
expiring       one value, fetched again when it is too old
"""

from foreknow.cache.batched import BatchedSingleFlight
from foreknow.cache.bounded import BoundedCache, compact
from foreknow.cache.expiring import ExpiringValue
from foreknow.cache.single_flight import SingleFlight

__all__ = ["BatchedSingleFlight", "BoundedCache", "ExpiringValue", "SingleFlight", "compact"]
