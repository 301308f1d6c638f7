"""Random lives of pools: trades, fills, splits, pauses, moved ends, corrected verdicts, changed and ended forecasts."""

from __future__ import annotations

import random
from collections.abc import Callable

from foreknow.market.charts import ChartSplit
from foreknow.market.pools.splits import winner_then
from foreknow.site.forecast_scores.lives import PoolTimes, life_of
from foreknow.site.forecast_scores.score import Opined, Sweep, log_price, said, standing
from foreknow.site.forecasts.probabilities import raised
from foreknow.site.forecasts.reading import Earned
from tests.site.forecast_scores.reference import DAY_MS, Life, Split, Stood, Trade

USERS = 6
HOUSE = 99


def random_life(chance: random.Random) -> Life:
    """Return a pool's life, with at most a few dozen changes."""
    markets = chance.choice([1, 1, 2, 3, 5])
    is_list = markets > 2 and chance.random() < 0.6
    span_ms = chance.choice([DAY_MS // 2, DAY_MS, 3 * DAY_MS, 20 * DAY_MS, 120 * DAY_MS])
    begin_ms = 1_700_000_000_000 + chance.randrange(DAY_MS)

    def moment() -> int:
        return begin_ms + chance.randrange(span_ms)

    splits = []
    if is_list:
        moments = sorted(moment() for _ in range(chance.randrange(3)))
        splits = [
            Split(at_ms=at_ms, outcome=markets + index, percent=chance.randint(1, 99))
            for index, at_ms in enumerate(moments)
        ]
    first_ms = chance.choice([None, begin_ms + span_ms])
    finish_ms = chance.choice([None, first_ms, begin_ms + chance.randrange(1, 2 * span_ms)])
    life = Life(
        winner=chance.randrange(max(2, markets + len(splits))),
        published_ms=begin_ms,
        live_ms=chance.choice([None, None, moment()]),
        finish_ms=finish_ms,
        first_finish_ms=first_ms,
        decided_ms=sorted(moment() + span_ms // 3 for _ in range(chance.randint(1, 2))),
        other=markets - 1 if is_list else None,
        splits=splits,
        house=HOUSE,
        trading=chance.random() < 0.8,
    )
    at_ms = moment()
    for _ in range(chance.randrange(3)):
        to_ms = chance.choice([at_ms + chance.randrange(span_ms // 2), None])
        life.pauses.append((at_ms, to_ms))
        if to_ms is None:
            break
        at_ms = to_ms + chance.randrange(span_ms // 4)
    _trade(life, chance, markets, moment=moment, span_ms=span_ms)
    _say(life, chance, markets, moment=moment)
    return life


def _outcomes(life: Life, markets: int, at_ms: int) -> int:
    return markets + sum(split.at_ms <= at_ms for split in life.splits)


def _probabilities(chance: random.Random, outcomes: int) -> tuple[float, ...]:
    if outcomes == 1:
        return (chance.choice([0.0, 1.0, chance.random(), chance.random() ** 8]),)
    weights = [chance.random() ** chance.choice([1, 1, 20]) + 1e-12 for _ in range(outcomes)]
    return tuple(weight / sum(weights) for weight in weights)


def _trade(life: Life, chance: random.Random, markets: int, *, moment: Callable[[], int], span_ms: int) -> None:
    held: dict[tuple[int, int], int] = {}
    early = [life.published_ms + chance.randrange(span_ms // 3) for _ in range(chance.choice([0, 8, 14, 20]))]
    moments = sorted([*early, *(moment() for _ in range(4)), *(split.at_ms for split in life.splits)])
    life.prices.append((life.published_ms, _probabilities(chance, markets)))
    turns = {split.at_ms for split in life.splits}
    for at_ms in moments:
        if at_ms in turns:
            turns.discard(at_ms)
            split = next(one for one in life.splits if one.at_ms == at_ms)
            # Prices stay: the new outcome gets its part of Other's.
            assert life.other is not None
            values = list(life.prices[-1][1])
            share = split.percent / 100
            values.append(values[life.other] * share)
            values[life.other] *= 1 - share
            life.prices.append((at_ms, tuple(values)))
            for (user, position), shares in list(held.items()):
                if position == 10 * user and chance.random() < 0.9:
                    late_ms = at_ms + chance.randrange(2)
                    new = 10 * user + split.outcome
                    life.trades.append(Trade(at_ms=late_ms, user=user, position=new, shares=shares, is_turn=True))
                    held[user, new] = shares
            continue
        user = chance.choice([HOUSE, *range(USERS), *range(20, 24)])
        position = 10 * user + chance.randrange(2)
        shares = held.get((user, position), 0)
        change = -shares if shares and chance.random() < 0.9 else chance.randint(1, 9)
        held[user, position] = shares + change
        if not held[user, position]:
            del held[user, position]
        life.trades.append(Trade(at_ms=at_ms, user=user, position=position, shares=change))
        life.prices.append((at_ms, _probabilities(chance, _outcomes(life, markets, at_ms))))


def _say(life: Life, chance: random.Random, markets: int, *, moment: Callable[[], int]) -> None:
    for user in range(USERS):
        moments = sorted({moment() for _ in range(chance.randrange(4))})
        for index, at_ms in enumerate(moments):
            until_ms = moments[index + 1] if index + 1 < len(moments) else None
            if chance.random() < 0.2:
                # Taken back, at once or after a while.
                until_ms = min(until_ms or at_ms + DAY_MS, at_ms + chance.randrange(DAY_MS))
            sent = _probabilities(chance, _outcomes(life, markets, at_ms))
            kept = raised(sent if len(sent) > 1 else (sent[0], 1 - sent[0]))
            life.forecasts.append(Stood(user=user, probabilities=kept[: len(sent)], from_ms=at_ms, until_ms=until_ms))


def swept(life: Life) -> dict[int, Earned]:
    """Return what the product says of a life."""
    times = PoolTimes(life.published_ms, life.live_ms, life.finish_ms, life.first_finish_ms, life.decided_ms[0])
    enough_ms: int | None = -1
    if not life.trading:
        first = sorted({one.user: one.from_ms for one in reversed(life.forecasts)}.values())
        enough_ms = first[4] if len(first) > 4 else None
    splits = [ChartSplit(one.at_ms, one.outcome, one.percent / 100, 0.0) for one in life.splits]
    forecasts: list[Opined] = []
    for one in life.forecasts:
        stood = standing(one.probabilities, from_ms=one.from_ms, until_ms=one.until_ms, splits=splits)
        forecasts += said(one.user, stood, until_ms=one.until_ms, winner=life.winner, other=life.other)
    sweep = Sweep(life_of(times, life.pauses, enough_ms=enough_ms), forecasts, uncounted={HOUSE})
    changes: list[tuple[int, int, Trade | tuple[float, ...]]] = [(at_ms, 1, values) for at_ms, values in life.prices]
    changes += [(trade.at_ms, 0, trade) for trade in life.trades]
    for at_ms, _, change in sorted(changes, key=lambda one: one[:2]):
        if not isinstance(change, Trade):
            outcomes = max(2, len(change))
            sweep.price(at_ms, log_price(change, winner_then(life.winner, outcomes, life.other)))
        elif change.is_turn:
            sweep.turn(at_ms, change.user, change.position, change.shares)
        else:
            sweep.trade(at_ms, change.user, [(change.position, change.shares)])
    return sweep.earned()
