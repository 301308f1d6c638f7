"""Rate limits: a token bucket per account, partner or anonymous address, and per group of endpoints.

Where an account's requests cost much, all accounts of its address have a bucket together, too (`CostlyGroup`).

Buckets are per process: a client whose requests are spread over n processes may send up to n times as many. Limits that
must hold across servers (failed sign-ins) are counted in the database.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from foreknow.kernel.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.kernel.rates import Rate
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.endpoint import CostlyGroup, RateLimitGroup

#: A partner's rate, as a multiple of an account's: it sends for many people.
PARTNER_FACTOR = 10
#: The rate of all accounts of one address together in a `CostlyGroup`, as a multiple of an account's.
ADDRESS_FACTOR = 5
#: Keys in each of the two generations of buckets: at most some 6 MB for both.
KEYS_MAX = 16_384

Headers = tuple[tuple[bytes, bytes], ...]
Timer = Callable[[], float]

#: Whole seconds to wait before the next attempt (0: the request may pass), and headers of the response.
RateLimitResult: TypeAlias = tuple[int, Headers]

UNLIMITED: RateLimitResult = (0, ())


class Buckets:
    """The buckets of one rate, by key. `take` runs in constant time.

    A bucket is one number: the time at which it will be full again (the generic cell rate algorithm). A bucket unused
    for a window is full and need not be stored: of two generations of keys, the older is dropped after a window or once
    the younger holds `keys_max`. A flood from that many addresses loosens the limits, but does not use more memory.
    A `BoundedCache` would drop a bucket in use as soon as it is the oldest, and cost each request more.
    """

    __slots__ = ("_keys_max", "_old", "_rotate_at_s", "_timer", "_young", "interval_s", "window_s")

    def __init__(self, rate: Rate, *, timer: Timer = time.monotonic, keys_max: int = KEYS_MAX) -> None:
        """`timer` returns monotonic seconds."""
        self.window_s = rate.window_s
        self.interval_s = 1 / rate.per_second
        self._timer = timer
        self._keys_max = keys_max
        self._young: dict[int | str, float] = {}
        self._old: dict[int | str, float] = {}
        self._rotate_at_s = timer() + self.window_s

    def take(self, key: int | str) -> float:
        """Take a token; return the seconds of the window left, or, below 0, the seconds to wait for a token."""
        now_s = self._timer()
        if now_s >= self._rotate_at_s or len(self._young) >= self._keys_max:
            self._rotate(now_s)
        full_at_s = self._young.get(key)
        if full_at_s is None:
            full_at_s = self._old.get(key, now_s)
        full_at_s = max(full_at_s, now_s) + self.interval_s
        left_s = self.window_s - (full_at_s - now_s)
        # Tolerates the rounding errors of many summed intervals.
        if left_s >= -1e-9:
            self._young[key] = full_at_s
        return left_s

    def owed_s(self, key: int | str) -> float:
        """Return the seconds until the bucket holds anything; 0 or below where it does."""
        full_at_s = self._young.get(key) or self._old.get(key)
        return 0.0 if full_at_s is None else full_at_s - self._timer() - self.window_s

    def charge(self, key: int | str, tokens: float) -> None:
        """Take tokens for what was done already, those too that the bucket does not hold."""
        now_s = self._timer()
        if now_s >= self._rotate_at_s or len(self._young) >= self._keys_max:
            self._rotate(now_s)
        full_at_s = self._young.get(key) or self._old.get(key) or now_s
        self._young[key] = max(full_at_s, now_s) + tokens * self.interval_s

    @property
    def size(self) -> int:
        """Number of stored keys."""
        return len(self._young) + len(self._old)

    def _rotate(self, now_s: float) -> None:
        # After two windows without a request, the young ones are full too; not those that were overdrawn by `charge`.
        overdrawn = {key: at_s for key, at_s in self._young.items() if at_s > now_s + self.window_s}
        self._old = self._young if now_s < self._rotate_at_s + self.window_s else {}
        self._young = overdrawn if len(overdrawn) < self._keys_max else {}
        self._rotate_at_s = now_s + self.window_s


class _BucketsWithHeaders(Buckets):
    """Buckets with response headers (draft-ietf-httpapi-ratelimit-headers)."""

    __slots__ = ("_half_s", "_label", "_per_second", "_policy")

    def __init__(self, name: str, rate: Rate, timer: Timer) -> None:
        super().__init__(rate, timer=timer)
        self._per_second = rate.per_second
        self._half_s = rate.window_s / 2
        self._label = b'"%s";r=%%d;t=%%d' % name.encode()
        window_s = max(1, math.ceil(rate.window_s))
        self._policy = (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (name.encode(), rate.burst, window_s))

    def check(self, key: int | str) -> RateLimitResult:
        left_s = self.take(key)
        if left_s >= self._half_s - 1e-9:
            # Without headers while half of a burst is left: they cost more than the bucket.
            return UNLIMITED
        if left_s < -1e-9:
            wait_s = max(1, math.ceil(-left_s))
            return (wait_s, ((b"ratelimit", self._label % (0, wait_s)), self._policy))
        remaining = int(left_s * self._per_second + 1e-6)
        full_in_s = int(self.window_s - left_s) + 1
        # The policy, which never changes, is sent with a 429 only.
        return (0, ((b"ratelimit", self._label % (remaining, full_in_s)),))


class Limits:
    """All rate limits of a process."""

    def __init__(self, rates: Mapping[RateLimitGroup, Rate | None], *, timer: Timer = time.monotonic) -> None:
        """Limit the groups with a rate; other requests pass without headers."""
        given = {group: rate for group, rate in rates.items() if rate is not None}
        self._accounts = {group: _BucketsWithHeaders(group, rate, timer) for group, rate in given.items()}
        self._addresses = {group: _BucketsWithHeaders(group, rate, timer) for group, rate in given.items()}
        self._partners = {
            group: _BucketsWithHeaders(group, _times(rate, PARTNER_FACTOR), timer) for group, rate in given.items()
        }
        #: All accounts of an address.
        self._crowds: dict[RateLimitGroup, _BucketsWithHeaders] = {
            group: _BucketsWithHeaders(group, _times(rate, ADDRESS_FACTOR), timer)
            for group, rate in given.items()
            if isinstance(group, CostlyGroup)
        }
        #: Rejected requests by group, for the metrics.
        self.refused = dict.fromkeys(given, 0)

    def take(self, group: RateLimitGroup, caller: Caller | None, address: str) -> RateLimitResult:
        """Count a request of `caller`, or of an anonymous client at `address`; return whether it may pass."""
        if isinstance(caller, UserCaller):
            buckets = self._accounts.get(group)
            key: int | str = caller.user_id
        elif isinstance(caller, PartnerCaller):
            buckets = self._partners.get(group)
            key = caller.partner_id
        else:
            buckets = self._addresses.get(group)
            key = rate_limit_key(address) if buckets is not None else ""
        if buckets is None:
            return UNLIMITED
        result = buckets.check(key)
        if not result[0] and caller is not None and (crowd := self._crowds.get(group)) is not None:
            of_all = crowd.check(rate_limit_key(address))
            if of_all[0]:
                result = of_all
        if result[0]:
            self.refused[group] += 1
        return result


def _times(rate: Rate, factor: int) -> Rate:
    return Rate(rate.per_second * factor, rate.burst * factor)
