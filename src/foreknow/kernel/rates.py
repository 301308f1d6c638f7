"""Parses rates in settings: `1000/s`, `600/m`, `1000/s burst 5000`, or `off`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(r"([1-9][0-9]{0,8})/([smh])(?: burst ([1-9][0-9]{0,8}))?")
_UNIT_S = {"s": 1, "m": 60, "h": 3600}
#: Default burst, in periods of the rate.
_BURST_PERIODS = 2


@dataclass(frozen=True, slots=True)
class Rate:
    """A token bucket: `per_second` requests on average, up to `burst` at once."""

    per_second: float
    burst: int

    @property
    def window_s(self) -> float:
        """Time in which an empty bucket fills."""
        return self.burst / self.per_second


def parse_rate(text: str) -> Rate | None:
    """Parse a rate; None for `off`. Raises `ValueError` for anything else."""
    if text.strip() == "off":
        return None
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError("a rate is written like 1000/s, 600/m, 1000/s burst 5000, or off")
    count, unit, burst = found.groups()
    return Rate(int(count) / _UNIT_S[unit], int(burst) if burst else _BURST_PERIODS * int(count))
