"""The markets, trade by trade: opened, traded in the order of history, resolved as history resolved them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from foreknow.pricing import loss_bound_kopecks, prior_weights
from foreknow.replay import texts
from foreknow.replay.accounts import Cast, Run
from foreknow.replay.client import ApiClient, Refused
from foreknow.replay.history import History, MarketKey, Trade
from foreknow.replay.results import MarketResult, Outcome
from foreknow.replay.side_by_side import side_by_side

#: How the markets of the time began: with a liquidity of 100 tokens, at 0.5, without a margin.
B_KOPECKS = 10_000
PRIOR = 0.5
BOUND_KOPECKS = loss_bound_kopecks(b=B_KOPECKS, weights=prior_weights([PRIOR]))
#: Markets traded on at once; within each, one trade follows the other.
MARKETS_AT_ONCE = 64
#: What a page of the list of events holds at most.
PAGE = 100


class Watcher(Protocol):
    """Is told how far the replay is."""

    def stage(self, what: str, steps: int) -> None:
        """Begin something of so many steps."""
        ...

    def step(self) -> None:
        """Count one step."""
        ...


@dataclass(slots=True)
class Replayer:
    """One market while it is played."""

    history: History
    event_id: int
    pool_id: int
    market_id: int
    price: float = PRIOR
    price_errors: list[float] = field(default_factory=list)
    #: Sales of less than a kopeck, which were refused.
    too_small: int = 0
    #: What the trades paid in less what they took out.
    taken_kopecks: int = 0
    #: What each trader's balance changed by.
    changes_kopecks: Counter[str] = field(default_factory=Counter)
    #: Shares held, by trader and side.
    shares: Counter[tuple[str, str]] = field(default_factory=Counter)
    won: str = ""

    def note(self, trade: Trade, answer: Mapping[str, Any]) -> None:
        """Take down what a trade came to."""
        if trade.action == "buy":
            paid, shares = answer["amount_kopecks"], answer["shares"]
        else:
            paid, shares = -answer["payout_kopecks"], -answer["shares"]
        self.taken_kopecks += paid
        self.changes_kopecks[trade.trader] -= paid
        self.shares[trade.trader, trade.side] += shares
        self.price = answer["probability_after"]
        self.compare(trade)

    def compare(self, trade: Trade) -> None:
        """Take down how far the price after a trade is from the recorded one."""
        self.price_errors.append(abs(self.price - trade.recorded_price))

    def settle(self, won: str) -> None:
        """Take down that a side won: one kopeck a share."""
        self.won = won
        for (trader, side), shares in self.shares.items():
            if side == won:
                self.changes_kopecks[trader] += shares

    def result(self) -> MarketResult:
        """Sum up."""
        owed_kopecks = {side: sum(n for (_, held), n in self.shares.items() if held == side) for side in ("YES", "NO")}
        return MarketResult(
            history=self.history,
            event_id=self.event_id,
            price_errors=self.price_errors,
            too_small=self.too_small,
            price=self.price,
            won=self.won,
            house_kopecks=self.taken_kopecks - (owed_kopecks[self.won] if self.won else max(owed_kopecks.values())),
            bound_kopecks=BOUND_KOPECKS,
        )


class Stage:
    """Where a run's markets are played."""

    def __init__(self, site: ApiClient, cast: Cast, run: Run, watcher: Watcher) -> None:
        """Play with `cast` on `site`."""
        self._site = site
        self._cast = cast
        self._run = run
        self._watcher = watcher

    async def play(self, history: History, event: Mapping[str, Any] | None) -> Replayer:
        """Open a market (or take the `event` that an earlier run of the same name left) and make its trades."""
        creator = self._cast.creator
        if event is None:
            body = texts.event(history, run=self._run.name, b_kopecks=B_KOPECKS, prior=PRIOR)
            event = await self._cast.call(creator, "POST", "/events/create-full", body=body)
        if event["status"] == "new":
            event = await self._cast.call(creator, "POST", f"/events/{event['id']}/publish")
        pool = event["pools"][0]
        play = Replayer(history, event["id"], pool["id"], pool["markets"][0]["id"])
        for number, trade in enumerate(history.trades, start=1):
            try:
                play.note(trade, await self._trade(play, trade, number))
            except Refused as refused:
                # Some sold a share cent or two, worth less than a kopeck: the market maker of the time paid fractions,
                # ours refuses. The price it leaves is compared all the same.
                if trade.action != "sell" or refused.code != "amount_too_small":
                    raise
                play.too_small += 1
                play.compare(trade)
            self._watcher.step()
        return play

    async def resolve(self, play: Replayer) -> None:
        """Resolve a market as its study turned out."""
        replicated = play.history.finding.replicated
        body = {"won_side": 0 if replicated else 1}
        await self._cast.call(self._cast.creator, "POST", f"/pools/{play.pool_id}/resolve", body=body)
        play.settle("YES" if replicated else "NO")
        self._watcher.step()

    async def check(self, plays: Sequence[Replayer]) -> list[str]:
        """Compare what the service now shows with what it answered; return what differs, a line each."""
        changes_kopecks: Counter[str] = Counter()
        for play in plays:
            changes_kopecks.update(play.changes_kopecks)

        def check_balance(trader: str) -> Awaitable[str]:
            return self._check_balance(trader, changes_kopecks[trader])

        markets = await side_by_side(self._check_price, plays, at_once=MARKETS_AT_ONCE)
        traders = await side_by_side(check_balance, self._cast.traders, at_once=MARKETS_AT_ONCE)
        return [problem for problem in [*markets, *traders] if problem]

    async def _trade(self, play: Replayer, trade: Trade, number: int) -> Any:
        account = self._cast.traders[trade.trader]
        key = self._run.key(play.history.name, number)
        body: dict[str, Any] = {"market_id": play.market_id, "token_type": trade.side}
        if trade.action == "buy":
            return await self._cast.call(
                account, "POST", "/market/bets", body=body | {"amount_kopecks": trade.amount}, key=key
            )
        return await self._cast.call(
            account, "POST", "/market/positions/sell", body=body | {"shares": trade.amount}, key=key
        )

    async def _check_price(self, play: Replayer) -> str:
        market = await self._site.call("GET", f"/markets/{play.market_id}")
        if market["yes_probability"] == play.price:
            return ""
        return f"{play.history.name} shows {market['yes_probability']}, its last trade left it at {play.price}"

    async def _check_balance(self, trader: str, change_kopecks: int) -> str:
        expected = self._cast.funded_kopecks(trader) + change_kopecks
        balance = await self._cast.balance_kopecks(trader)
        return "" if balance == expected else f"trader {trader} has {balance} kopecks and should have {expected}"


async def replay(
    *,
    url: str,
    admin: AbstractAsyncContextManager[str],
    histories: Sequence[History],
    run: Run,
    watcher: Watcher,
    left_open: Collection[MarketKey] = (),
) -> Outcome:
    """Replay `histories` on the service at `url`, resolving all but those `left_open`.

    `admin` gives an admin's access token, and is held only while the traders are funded and the creator is made one.
    Raises `ReplayFailed` where the service cannot be reached or refuses what it should accept.
    """
    async with ApiClient(url) as site:
        cast = Cast(site, run, histories)
        watcher.stage("Accounts", len(cast.traders) + 1)
        await cast.enter(watcher.step)
        async with admin as token:
            await cast.equip(token)
        stage = Stage(site, cast, run, watcher)
        events = await find_events(site, run, token=cast.creator.token) if run.goes_on else {}
        watcher.stage("Trades", sum(len(history.trades) for history in histories))
        began = time.perf_counter()
        plays = await side_by_side(
            lambda one: stage.play(one, events.get(one.name)), histories, at_once=MARKETS_AT_ONCE
        )
        seconds = time.perf_counter() - began
        ended = [play for play in plays if play.history.key not in left_open]
        watcher.stage("Resolutions", len(ended))
        await side_by_side(stage.resolve, ended, at_once=MARKETS_AT_ONCE)
        problems = await stage.check(plays)
    return Outcome([play.result() for play in plays], seconds=seconds, problems=problems)


async def find_events(site: ApiClient, run: Run, *, token: str | None = None) -> dict[str, Any]:
    """Return the events that a run has opened, by the name of their market; unpublished ones only with a token."""
    found: dict[str, Any] = {}
    statuses = ("new", "active", "closed", "resolved", "cancelled")
    for status in statuses if token is not None else statuses[1:]:
        cursor = None
        while True:
            query = {"tag": texts.TAG, "status": status, "limit": PAGE} | ({"cursor": cursor} if cursor else {})
            page = await site.call("GET", "/events", token, query=query)
            for event in page["events"]:
                mark = event["pools"][0]["metadata"].get(texts.MARK)
                if isinstance(mark, dict) and mark.get("run") == run.name:
                    found[str(mark.get("market"))] = event
            cursor = page["next_cursor"]
            if cursor is None:
                break
    return found


async def is_complete(
    site: ApiClient, run: Run, histories: Sequence[History], *, left_open: Collection[MarketKey]
) -> bool:
    """Tell whether a run has finished on this service, by what everybody sees."""
    events = await find_events(site, run)
    for history in histories:
        event = events.get(history.name)
        if event is None or (event["status"] == "active" and history.key not in left_open):
            return False
        staked_kopecks = sum(trade.amount for trade in history.trades if trade.action == "buy")
        # Volume counts stakes and payouts, so it passes the stakes with the last sales at the latest; nobody but the
        # run itself trades before it is complete.
        if event["pools"][0]["markets"][0]["volume"] < staked_kopecks:
            return False
    return True
