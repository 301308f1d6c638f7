"""Exponential back-off after failures."""

from __future__ import annotations

from dataclasses import dataclass

#: Bounds the shift: every pause has reached its limit by then, and a number doubled for days would overflow a float.
_DOUBLINGS_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BackOff:
    """A pause of `first_ms` after the first failure, doubled after each further one up to `most_ms`."""

    first_ms: int
    most_ms: int

    def pause_ms(self, failures: int, *, jitter: float) -> int:
        """Return the pause after `failures` failures in a row (at least 1).

        `jitter` (0 … 1) shortens it by up to half, so that clients that failed together do not retry together.
        """
        whole_ms = min(self.most_ms, self.first_ms << min(failures - 1, _DOUBLINGS_MAX))
        return round(whole_ms * (1 - jitter / 2))
