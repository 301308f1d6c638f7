"""A bot that keeps a market near an estimate from outside, within a budget.

    python examples/anchor_bot.py http://127.0.0.1:8000 EVENT_ID --estimate 0.62 --login you@example.org

asks for the password; with an API key in FOREKNOW_TOKEN, leave out --login. The estimate is a number of 0 … 1, or a
file that holds one and is read again after every change of the price: let your model write it. It runs until the market
is over, or Ctrl-C.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bots import ReadRules, chosen, command_line, run
from foreknow_client import Client, errors, models
from foreknow_client.pricing import PoolState, Side

#: Looks at the price in a row, where others trade in between.
LOOKS_MAX = 10


class Anchor:
    """Trades one market towards an estimate; `spent_kopecks` is what its bets cost less what its sales paid."""

    def __init__(
        self, client: Client, event: models.Event, market: models.Market, *, band: float, budget_kopecks: int
    ) -> None:
        """Leave the price of a market of an event alone while it is within `band` of the estimate."""
        self._client = client
        self._event_id = event.id
        self._market = market
        self._band = band
        self._budget_kopecks = budget_kopecks
        self._rules = ReadRules(client, client.get_pool(market.pool_id))
        self.spent_kopecks = 0

    def keep_near(self, estimate: float) -> None:
        """Trade until the price is within the band, or nothing more can be done about it."""
        for _ in range(LOOKS_MAX):
            pool = self._client.get_pool(self._market.pool_id)
            self._rules.check(pool)
            try:
                if not self._trade(pool, estimate):
                    return
            except errors.Slippage:
                # Another trade, or another outcome of a list, came between the look and the order.
                continue

    def _trade(self, pool: models.Pool, estimate: float) -> bool:
        """Trade once towards the estimate, while there are as many outcomes; return whether to look again."""
        state, outcomes = PoolState.of(pool), len(pool.markets)
        outcome = self._market.outcome_index
        now = state.probability(outcome)
        if abs(now - estimate) <= self._band:
            return False
        # Only as far as into the band: what lies between is for others to earn.
        target = min(max(estimate + (self._band if now > estimate else -self._band) / 2, 0.001), 0.999)
        side, stake = state.stake_to_reach(outcome, target)
        # First sell what it holds of the other side: that moves the price as well, and frees the budget.
        other: Side = "NO" if side == "YES" else "YES"
        shares = min(self._held(other), state.shares_to_reach(outcome, target))
        if shares and state.sale(outcome, other, shares).amount_kopecks:
            sale = self._client.sell_shares(
                market_id=self._market.id, token_type=other, shares=shares, outcomes=outcomes
            )
            self.spent_kopecks -= sale.payout_kopecks
            print(f"sold {shares} {other}: {now:.4f} → {sale.probability_after:.4f}", flush=True)
            return True
        if (side, outcome) == ("NO", pool.other):
            print(f"{now:.4f} stays: NO of {self._market.name} is not traded", flush=True)
            return False
        stake = min(stake, self._budget_kopecks - self.spent_kopecks)
        quote = state.bet(outcome, side, stake)
        if quote.shares == 0:
            print(f"{now:.4f} stays: the budget is spent, or the way is shorter than a share", flush=True)
            return False
        bet = self._client.place_bet(
            market_id=self._market.id,
            token_type=side,
            amount_kopecks=stake,
            min_shares=quote.shares,
            outcomes=outcomes,
        )
        self.spent_kopecks += stake
        print(f"bet {stake} kopecks on {side}: {now:.4f} → {bet.probability_after:.4f}", flush=True)
        return True

    def _held(self, side: Side) -> int:
        positions = self._client.iter_my_positions(event_id=self._event_id)
        mine = (each for each in positions if (each.market_id, each.token_type) == (self._market.id, side))
        return sum(position.amount for position in mine)


def probability(text: str) -> float:
    """Read a probability; `ValueError` for what is none, such as 62 for 62 %."""
    number = float(text)
    if not 0 <= number <= 1:
        raise ValueError(f"{number:g} is no probability: it is a number of 0 … 1, such as 0.62")
    return number


def estimated(given: str) -> float:
    """Read the estimate: a number, or a file that holds one. `ValueError`, `OSError` where neither holds one."""
    try:
        float(given)
    except ValueError:
        try:
            return probability(Path(given).read_text())
        except ValueError as error:
            raise ValueError(f"{given} holds no estimate: {error}") from error
    return probability(given)


def play(client: Client, given: argparse.Namespace) -> None:
    """Look at the price now and after each change, until the market is over."""
    event = client.get_event(given.event_id)
    market = chosen(event, given.outcome)
    estimate = estimated(given.estimate)
    print(f"{event.name}: kept within {given.band} of the estimate for at most {given.budget} kopecks", flush=True)
    anchor = Anchor(client, event, market, band=given.band, budget_kopecks=given.budget)
    for _ in client.watch_events([event.id]):
        try:
            estimate = estimated(given.estimate)
        except (OSError, ValueError) as unreadable:
            # It may be half written: what was read before is the estimate until it is whole.
            print(f"{unreadable}; {estimate} stays the estimate", flush=True)
        try:
            anchor.keep_near(estimate)
        except errors.MarketPaused:
            continue
        except (errors.MarketClosed, errors.MarketResolved) as over:
            print(over.message)
            return
        if given.once:
            return


if __name__ == "__main__":
    parser = command_line("Keep a market near an estimate, within a budget.", of_market=True)
    parser.add_argument("--estimate", required=True, help="the probability of YES, or a file that holds it")
    parser.add_argument("--band", type=probability, default=0.02, help="how far the price may be away")
    parser.add_argument("--budget", type=int, default=10_000, help="kopecks that bets may cost, less what sales paid")
    run(parser, play)
