"""How much of what a history holds."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.kernel.clock import DAY_MS, HOUR_MS

#: All times of a template move by multiples of the longest bucket of a chart, so that its buckets move as a whole.
BEAT_MS = 6 * HOUR_MS
#: One cohort of events follows the other; none is traded once the next begins.
COHORT_MS = 5 * DAY_MS
#: Longest trading time of a pool; it may begin up to three beats after its cohort.
LIFE_MS = 4 * DAY_MS
MARKETS_A_POOL = 2.0
TRADES_A_COHORT = 100_000
#: How many templates: enough that no two events next to each other are alike.
TEMPLATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The requested sizes; properties derive the others. `end_ms` is about now."""

    trades: int
    markets: int
    users: int
    end_ms: int
    #: At least about as many days, up to 500, in smaller cohorts where trades are few.
    days: int = 0
    seed: int = 1

    @property
    def pools(self) -> int:
        """About half as many as markets."""
        return max(TEMPLATES // 10, round(self.markets / MARKETS_A_POOL))

    @property
    def cohorts(self) -> int:
        """Enough that one cohort fits into memory."""
        return min(100, max(5, self.trades // TRADES_A_COHORT, self.days * DAY_MS // COHORT_MS))

    @property
    def open_cohorts(self) -> int:
        """The last tenth of the events is still open."""
        return max(1, self.cohorts // 10)

    @property
    def begin_ms(self) -> int:
        """When the first cohort is published: a multiple of `BEAT_MS`."""
        return (self.end_ms - self.cohorts * COHORT_MS) // BEAT_MS * BEAT_MS

    @property
    def people_first(self) -> int:
        """How many users are there before the first cohort; the rest come with the cohorts, evenly."""
        return self.users // 2

    def users_at(self, cohort: int) -> int:
        """How many users there are once a cohort begins."""
        return self.people_first + (self.users - self.people_first) * (cohort + 1) // self.cohorts

    @property
    def templates(self) -> int:
        """How many pools are really traded."""
        return min(TEMPLATES, self.pools)

    def template_trades(self) -> list[int]:
        """Return how many trades each template has: few have many (Pareto), all together fit the plan."""
        shares = [((number + 0.5) / self.templates) ** -0.75 for number in range(self.templates)]
        mean = self.trades / self.pools
        scale = mean * self.templates / sum(shares)
        return [max(3, round(share * scale)) for share in shares]
