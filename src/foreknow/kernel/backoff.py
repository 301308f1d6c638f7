"""Pauses after failures: whoever does not answer is asked ever more rarely."""

from __future__ import annotations

from dataclasses import dataclass

#: By then every pause has long reached its bound; numbers that double for days would outgrow what a float holds.
_DOUBLINGS_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BackOff:
    """The pause after a first failure; it doubles with each further one, up to the most."""

    first_ms: int
    most_ms: int

    def pause_ms(self, failures: int, *, jitter: float) -> int:
        """Return the pause after so many failures in a row, at least one.

        `jitter` (0 … 1) takes up to half of it away, so that those who failed together do not come back together.
        """
        whole_ms = min(self.most_ms, self.first_ms << min(failures - 1, _DOUBLINGS_MAX))
        return round(whole_ms * (1 - jitter / 2))
