"""Ways to score without knowing more than the price, played many times: none gains but those that the docs price."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from tests.site.forecast_scores.random_lives import swept
from tests.site.forecast_scores.reference import DAY_MS, Life, Stood, Trade
from tests.support.proofs import proves

BEGIN_MS = 1_700_000_000_000
DAYS = 12
#: Bounds of a price: beyond, a floor of 0.001 would count.
LOW, HIGH = 0.02, 0.98
#: What a person without knowledge may see: the prices so far, the newest last. Returns what they say; None: nothing.
Way = Callable[[Sequence[float], random.Random], float | None]


def walk(chance: random.Random, *, days: int = DAYS) -> tuple[list[float], bool]:
    """Return prices that are right, a day each, and what happens in the end.

    Each is the mean of what may follow it, so it is the chance of YES whatever one knows of the past.
    """
    price, prices = chance.choice([0.1, 0.3, 0.5, 0.8]), []
    for _ in range(days):
        prices.append(price)
        step = chance.choice([0.02, 0.1, 0.3]) * min(price - LOW, HIGH - price)
        price += chance.choice([-step, step])
    return prices, chance.random() < price


def constant(value: float) -> Way:
    """Always say the same."""
    return lambda _prices, _chance: value


def shifted(by: float, *, after: int = 0, until: int = DAYS) -> Way:
    """Say more or less than the price, in log odds, on some of the days."""

    def say(prices: Sequence[float], _chance: random.Random) -> float | None:
        if not after <= len(prices) - 1 < until:
            return None
        return 1 / (1 + (1 / prices[-1] - 1) * math.exp(-by))

    return say


def trend(weight: float) -> Way:
    """Go on as the price went, or against it."""

    def say(prices: Sequence[float], _chance: random.Random) -> float:
        past = prices[-2] if len(prices) > 1 else prices[-1]
        return min(HIGH, max(LOW, prices[-1] + weight * (prices[-1] - past)))

    return say


def when(condition: Callable[[Sequence[float]], bool], way: Way) -> Way:
    """Say something on days on which the past looks good alone: so one chooses what counts."""
    return lambda prices, chance: way(prices, chance) if condition(prices) else None


def noise(width: float) -> Way:
    """Guess around the price."""
    return lambda prices, chance: min(0.999, max(0.001, prices[-1] + chance.uniform(-width, width)))


def stop_after_loss(way: Way) -> Way:
    """Say no more once the price has gone against one."""
    return when(lambda prices: prices[-1] >= prices[0], way)


WAYS: dict[str, Way] = {
    **{f"always {value}": constant(value) for value in (0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 1)},
    **{f"odds times e^{by}": shifted(by) for by in (-3, -1, -0.3, -0.1, 0.1, 0.3, 1, 3)},
    **{f"late, odds times e^{by}": shifted(by, after=9) for by in (-2, -0.5, 0.5, 2)},
    **{f"early, odds times e^{by}": shifted(by, until=3) for by in (-2, -0.5, 0.5, 2)},
    **{f"one day {day}": shifted(0.7, after=day, until=day + 1) for day in range(DAYS)},
    **{f"trend {weight}": trend(weight) for weight in (-3, -2, -1, -0.5, -0.2, 0.2, 0.5, 1, 2, 3)},
    **{f"noise {width}": noise(width) for width in (0.01, 0.05, 0.1, 0.3, 0.6, 1)},
    **{
        f"{name}, odds times e^{by}": when(condition, shifted(by))
        for by in (-1.5, -0.5, 0.5, 1.5)
        for name, condition in {
            "above half": lambda prices: prices[-1] > 0.5,
            "below half": lambda prices: prices[-1] < 0.5,
            "near certain": lambda prices: not 0.1 < prices[-1] < 0.9,
            "after a rise": lambda prices: len(prices) > 1 and prices[-1] > prices[-2],
            "after a fall": lambda prices: len(prices) > 1 and prices[-1] < prices[-2],
            "at its highest": lambda prices: prices[-1] == max(prices),
            "at its lowest": lambda prices: prices[-1] == min(prices),
        }.items()
    },
    **{f"until it falls, {value}": stop_after_loss(constant(value)) for value in (0.3, 0.6, 0.9, 0.97)},
    **{f"until it falls, odds times e^{by}": stop_after_loss(shifted(by)) for by in (-1, -0.5, 0.5, 1)},
    **{f"until it falls, trend {weight}": stop_after_loss(trend(weight)) for weight in (-1, 0.5, 1, 2)},
    **{
        f"seldom, noise {width}": when(lambda prices: len(prices) % 3 == 0, noise(width))
        for width in (0.05, 0.1, 0.2, 0.4, 0.8)
    },
}


def life_of(prices: Sequence[float], *, happens: bool) -> Life:
    """Return a pool of one market with these prices by day, from its fifth trader on."""
    end_ms = BEGIN_MS + len(prices) * DAY_MS
    life = Life(winner=0 if happens else 1, published_ms=BEGIN_MS, first_finish_ms=end_ms, decided_ms=[end_ms])
    life.prices = [(BEGIN_MS + day * DAY_MS, (price,)) for day, price in enumerate(prices)]
    life.trades = [Trade(at_ms=BEGIN_MS, user=user, position=user, shares=1) for user in range(-9, -4)]
    return life


def play(chance: random.Random) -> dict[str, float]:
    """Return what each way earns in a pool; nothing where nothing counted."""
    prices, happens = walk(chance)
    life, names = life_of(prices, happens=happens), list(WAYS)
    for user, name in enumerate(names):
        for day in range(len(prices)):
            value = WAYS[name](prices[: day + 1], chance)
            if value is not None:
                kept = max(value, 0.001) / (max(value, 0.001) + max(1 - value, 0.001))
                from_ms = BEGIN_MS + day * DAY_MS
                life.forecasts.append(
                    Stood(user=user, probabilities=(kept,), from_ms=from_ms, until_ms=from_ms + DAY_MS)
                )
    return {names[user]: earned.score or 0.0 for user, earned in swept(life).items()}


def test_no_way_gains_that_sees_prices_and_not_the_future(pytestconfig: pytest.Config) -> None:
    assert len(WAYS) >= 100
    pools = 20_000 if pytestconfig.getoption("--long") else 120
    sums, squares = dict.fromkeys(WAYS, 0.0), dict.fromkeys(WAYS, 0.0)
    for number in range(pools):
        for name, score in play(random.Random(number)).items():
            sums[name] += score
            squares[name] += score * score
    for name in WAYS:
        mean = sums[name] / pools
        error = math.sqrt(max(0.0, squares[name] / pools - mean * mean) / pools)
        # Of a hundred ways one is beyond three standard errors now and then.
        assert mean <= 4 * error, f"{name}: {mean} ± {error}"


@proves("forecasts: A second account can push prices; what it costs is in the docs.")
def test_pushing_a_price_costs_b_over_100_a_point_and_more() -> None:
    # The truth is 0.5; an account pushes to 0.3 and holds to the end, the other says 0.5 while the price is 0.3.
    b, truth, pushed = 100_000, 0.5, 0.3
    kl = truth * math.log(truth / pushed) + (1 - truth) * math.log((1 - truth) / (1 - pushed))
    for days, whole in ((12, 1.0), (3, 0.25)):
        gained = 0.0
        for happens, weight in ((True, truth), (False, 1 - truth)):
            prices = [pushed] * days + [truth] * (DAYS - days)
            life = life_of(prices, happens=happens)
            life.forecasts = [Stood(user=0, probabilities=(truth,), from_ms=BEGIN_MS, until_ms=None)]
            gained += weight * (swept(life)[0].score or 0)
        # NO is bought up to 0.7: x shares of it cost b · ln(0.5 + 0.5·e^(x/b)), and pay x where it does not happen.
        shares = b * math.log((1 - pushed) / (1 - truth) * truth / pushed)
        cost = b * math.log(truth + (1 - truth) * math.exp(shares / b))
        lost = cost - (1 - truth) * shares
        assert abs(lost - b * kl) < 1e-6 * b
        assert abs(gained - 100 * kl * whole) < 1e-6
        assert lost / gained >= b / 100 / whole - 1e-6


def test_of_many_guesses_one_is_lucky_and_all_together_lose() -> None:
    chance, accounts, total, best = random.Random(1), 20, 0.0, 0.0
    for _ in range(40):
        prices, happens = walk(chance)
        life = life_of(prices, happens=happens)
        life.forecasts = [
            Stood(user=user, probabilities=(chance.random(),), from_ms=BEGIN_MS, until_ms=None)
            for user in range(accounts)
        ]
        scores = [earned.score or 0 for earned in swept(life).values()]
        total += sum(scores)
        best += max(scores)
    assert best > 0 > total
