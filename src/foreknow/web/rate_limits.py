"""Rate limits: a token bucket for each account, partner and anonymous address, in each group of endpoints.

Buckets live in this process: with several processes each counts for itself, so that a client whose requests are spread
over n of them may send up to n times as many. What must hold everywhere (failed sign-ins) is counted in the database.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from foreknow.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.kernel.rates import Rate
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.endpoint import RateLimitGroup

#: A partner stands for many people: it may send so many times what one account may.
PARTNER_FACTOR = 10
#: So many keys a bucket room remembers in each of its two generations: some 6 MB at most for both.
KEYS_MAX = 16_384

Headers = tuple[tuple[bytes, bytes], ...]
Timer = Callable[[], float]


#: Whether a request may pass: 0 then, else so many whole seconds are to pass before the next try; and the answer's
#: headers.
Verdict: TypeAlias = tuple[int, Headers]

FREE: Verdict = (0, ())


class Buckets:
    """The buckets of one rate, by key. Each takes constant time and 8 bytes of state.

    A bucket is one number: the time at which it will be full again (the generic cell rate algorithm). One that was not
    touched for a whole window is full, so it need not be remembered: two generations of keys take turns, the older is
    dropped after a window, or as soon as the younger holds `keys_max`. Then whoever is flooding us from that many
    addresses makes the limits looser, and never makes us grow.
    """

    __slots__ = ("_fresh", "_keys_max", "_old", "_timer", "_turn_at_s", "interval_s", "window_s")

    def __init__(self, rate: Rate, *, timer: Timer = time.monotonic, keys_max: int = KEYS_MAX) -> None:
        """`timer` gives seconds that never go back."""
        self.window_s = rate.window_s
        self.interval_s = 1 / rate.per_second
        self._timer = timer
        self._keys_max = keys_max
        self._fresh: dict[int | str, float] = {}
        self._old: dict[int | str, float] = {}
        self._turn_at_s = timer() + self.window_s

    def take(self, key: int | str) -> float:
        """Take a token; return how much of the window (seconds) is left, or below 0 how long to wait for one."""
        now_s = self._timer()
        if now_s >= self._turn_at_s or len(self._fresh) >= self._keys_max:
            self._turn(now_s)
        full_at_s = self._fresh.get(key)
        if full_at_s is None:
            full_at_s = self._old.get(key, now_s)
        full_at_s = max(full_at_s, now_s) + self.interval_s
        left_s = self.window_s - (full_at_s - now_s)
        # Whole bursts of many intervals do not sum up exactly: a billionth of a second decides nothing.
        if left_s >= -1e-9:
            self._fresh[key] = full_at_s
        return left_s

    @property
    def size(self) -> int:
        """How many keys are remembered."""
        return len(self._fresh) + len(self._old)

    def _turn(self, now_s: float) -> None:
        # After a rest of two windows even the fresh ones are full again.
        self._old = self._fresh if now_s < self._turn_at_s + self.window_s else {}
        self._fresh = {}
        self._turn_at_s = now_s + self.window_s


class _Measure(Buckets):
    """Buckets with the headers that tell of them (draft-ietf-httpapi-ratelimit-headers)."""

    __slots__ = ("_half_s", "_label", "_per_second", "_policy")

    def __init__(self, name: str, rate: Rate, timer: Timer) -> None:
        super().__init__(rate, timer=timer)
        self._per_second = rate.per_second
        self._half_s = rate.window_s / 2
        self._label = b'"%s";r=%%d;t=%%d' % name.encode()
        window_s = max(1, math.ceil(rate.window_s))
        self._policy = (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (name.encode(), rate.burst, window_s))

    def judge(self, key: int | str) -> Verdict:
        left_s = self.take(key)
        # The rest of a burst does not sum up exactly either.
        if left_s >= self._half_s - 1e-9:
            # A header costs more than the bucket: who has most of a burst left need not be told.
            return FREE
        if left_s < -1e-9:
            wait_s = max(1, math.ceil(-left_s))
            return (wait_s, ((b"ratelimit", self._label % (0, wait_s)), self._policy))
        remaining = int(left_s * self._per_second + 1e-6)
        full_in_s = int(self.window_s - left_s) + 1
        # The policy never changes: it is told where it matters, with a 429.
        return (0, ((b"ratelimit", self._label % (remaining, full_in_s)),))


class Limits:
    """All rate limits of a process. Without rates every request passes, and no header speaks of limits."""

    def __init__(self, rates: Mapping[RateLimitGroup, Rate | None], *, timer: Timer = time.monotonic) -> None:
        """Limit the groups that have a rate."""
        given = {group: rate for group, rate in rates.items() if rate is not None}
        self._accounts = {group: _Measure(group, rate, timer) for group, rate in given.items()}
        self._addresses = {group: _Measure(group, rate, timer) for group, rate in given.items()}
        self._partners = {
            group: _Measure(group, Rate(rate.per_second * PARTNER_FACTOR, rate.burst * PARTNER_FACTOR), timer)
            for group, rate in given.items()
        }
        #: How many requests of each group were refused, for the metrics.
        self.refused: dict[RateLimitGroup, int] = {}

    def take(self, group: RateLimitGroup, caller: Caller | None, address: str) -> Verdict:
        """Count a request of `caller`, or of the anonymous client at `address`, and say whether it may pass."""
        if isinstance(caller, UserCaller):
            measure = self._accounts.get(group)
            key: int | str = caller.user_id
        elif isinstance(caller, PartnerCaller):
            measure = self._partners.get(group)
            key = caller.partner_id
        else:
            measure = self._addresses.get(group)
            key = rate_limit_key(address) if measure is not None else ""
        if measure is None:
            return FREE
        verdict = measure.judge(key)
        if verdict[0]:
            self.refused[group] = self.refused.get(group, 0) + 1
        return verdict
