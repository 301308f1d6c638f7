"""The markets: opened, traded in the recorded order, resolved as they were resolved."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Any, Protocol

from foreknow.commands.replay import texts
from foreknow.commands.replay.accounts import ReplayUser, Run, TraderAccounts
from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.commands.replay.concurrency import map_concurrently, until
from foreknow.commands.replay.history import History, MarketKey, RecordedTrade
from foreknow.commands.replay.results import B_KOPECKS, PRIOR, ReplayedMarket, ReplayResult
from foreknow.kernel.currency import Currency

#: Markets replayed at a time; the trades of one market run in order.
MARKETS_AT_ONCE = 64
#: Most events on a page of the list.
PAGE = 100


class Pace(Protocol):
    """Says when a market is opened, traded and resolved; each of these is a step."""

    async def begin(self, accounts: Collection[ReplayUser]) -> None:
        """Begin: all accounts are there, and have their money."""
        ...

    def step(self, market: MarketKey) -> AbstractAsyncContextManager[None]:
        """Wait until it is time for the market's next step, which is taken inside of the block."""
        ...

    def finish_at_ms(self, market: MarketKey) -> int | None:
        """Return the end of the market's trading (Unix milliseconds), None for none."""
        ...


class AtOnce:
    """A `Pace` that lets no market wait."""

    async def begin(self, accounts: Collection[ReplayUser]) -> None:
        """Begin at once."""

    def step(self, market: MarketKey) -> AbstractAsyncContextManager[None]:
        """Go on."""
        return nullcontext()

    def finish_at_ms(self, market: MarketKey) -> int | None:
        """Return None."""
        return None


class ReplayWatcher(Protocol):
    """Follows the progress of a replay."""

    def stage(self, what: str, steps: int) -> None:
        """Begin a stage of `steps` steps."""
        ...

    def step(self) -> None:
        """Count one step."""
        ...


class Replayer:
    """Replays the markets of one run."""

    def __init__(
        self, client: ApiClient, accounts: TraderAccounts, run: Run, watcher: ReplayWatcher, *, pace: Pace
    ) -> None:
        """Trade as `accounts`, through `client`, as fast as `pace` allows."""
        self._client = client
        self._accounts = accounts
        self._run = run
        self._watcher = watcher
        self._pace = pace

    async def play(self, history: History, event: Mapping[str, Any] | None, *, resolve: bool) -> ReplayedMarket:
        """Open a market (or take the `event` that an earlier run of the same name left), make its trades, resolve it.

        Without `resolve` it is left open.
        """
        async with self._pace.step(history.key):
            market = await self._open(history, event)
        for number, trade in enumerate(history.trades, start=1):
            async with self._pace.step(history.key):
                await self._trade(market, trade, number)
            self._watcher.step()
        if resolve:
            async with self._pace.step(history.key):
                await self._resolve(market)
            self._watcher.step()
        return market

    async def check(self, markets: Sequence[ReplayedMarket]) -> list[str]:
        """Compare prices and balances with the earlier responses; return the differences, one line each.

        First all that was resolved is paid.
        A run that goes on says nothing about prices: others may have traded since.
        """
        resolved = [market for market in markets if market.won]
        await map_concurrently(self._wait_until_paid, resolved, at_once=MARKETS_AT_ONCE)
        changes_kopecks: Counter[str] = Counter()
        for market in markets:
            changes_kopecks.update(market.changes_kopecks)

        def check_balance(trader: str) -> Awaitable[str]:
            return self._check_balance(trader, changes_kopecks[trader])

        unmoved = [] if self._run.goes_on else markets
        prices = await map_concurrently(self._check_price, unmoved, at_once=MARKETS_AT_ONCE)
        balances = await map_concurrently(check_balance, self._accounts.traders, at_once=MARKETS_AT_ONCE)
        return [problem for problem in [*prices, *balances] if problem]

    async def _open(self, history: History, event: Mapping[str, Any] | None) -> ReplayedMarket:
        creator = self._accounts.creator
        finish_at_ms = self._pace.finish_at_ms(history.key)
        body = texts.event(history, run=self._run.name, b_kopecks=B_KOPECKS, prior=PRIOR, finish_at_ms=finish_at_ms)
        event = await creator.publish(body, event)
        pool = event["pools"][0]
        return ReplayedMarket(history, event["id"], pool["id"], pool["markets"][0]["id"])

    async def _trade(self, market: ReplayedMarket, trade: RecordedTrade, number: int) -> None:
        try:
            market.note(trade, await self._order(market, trade, number))
        except RequestFailed as refused:
            # A few sales are of one to four share cents, worth less than a kopeck: the recorded market maker paid
            # fractions, this service refuses. The price is compared nevertheless.
            # A run that goes on may find the market closed; the price says whether anything is missing.
            if trade.action != "sell" or not (refused.code == "amount_too_small" or self._run.goes_on):
                raise
            market.too_small += 1
            market.compare(trade)

    async def _resolve(self, market: ReplayedMarket) -> None:
        """Resolve a market as its study turned out."""
        replicated = market.history.finding.replicated
        body = {"won_side": 0 if replicated else 1}
        await self._accounts.creator.call("POST", f"/pools/{market.pool_id}/resolve", body=body)
        market.settle("YES" if replicated else "NO")

    async def _order(self, market: ReplayedMarket, trade: RecordedTrade, number: int) -> Any:
        account = self._accounts.traders[trade.trader]
        key = self._run.key(market.history.name, number)
        order = account.bet if trade.action == "buy" else account.sell
        return await order(market.market_id, trade.side, trade.amount, key=key)

    async def _wait_until_paid(self, market: ReplayedMarket) -> None:
        await until(partial(is_paid, self._client, market.pool_id), f"the payment of {market.history.name}")

    async def _check_price(self, market: ReplayedMarket) -> str:
        shown = await self._client.call("GET", f"/markets/{market.market_id}")
        if shown["yes_probability"] == market.price:
            return ""
        return f"{market.history.name} shows {shown['yes_probability']}, its last trade left it at {market.price}"

    async def _check_balance(self, trader: str, change_kopecks: int) -> str:
        expected = self._accounts.funded_kopecks(trader) + change_kopecks
        balance = await self._accounts.balance_kopecks(trader)
        return "" if balance == expected else f"trader {trader} has {balance} kopecks and should have {expected}"


async def replay(
    *,
    url: str,
    admin: AbstractAsyncContextManager[str],
    histories: Sequence[History],
    run: Run,
    watcher: ReplayWatcher,
    left_open: Collection[MarketKey] = (),
    pace: Pace | None = None,
) -> ReplayResult:
    """Replay `histories` on the service at `url`, resolving all but those `left_open`.

    `admin` yields an admin's access token; it is open only while traders are funded and the creator gets the role.
    Raises `ReplayFailed` where the service cannot be reached or refuses what it should accept.
    """
    async with ApiClient(url) as client:
        accounts = TraderAccounts(client, run, histories)
        watcher.stage("Accounts", len(accounts.traders) + 1)
        await accounts.sign_in(watcher.step)
        async with admin as token:
            await accounts.fund(token)
        pace = pace or AtOnce()
        await pace.begin([accounts.creator, *accounts.traders.values()])
        replayer = Replayer(client, accounts, run, watcher, pace=pace)
        events = await find_events(client, run, token=accounts.creator.token) if run.goes_on else {}
        ended = {history.key for history in histories}.difference(left_open)
        watcher.stage("Trades", sum(len(history.trades) for history in histories) + len(ended))
        began = time.perf_counter()
        markets = await map_concurrently(
            lambda one: replayer.play(one, events.get(one.name), resolve=one.key in ended),
            histories,
            at_once=MARKETS_AT_ONCE,
        )
        seconds = time.perf_counter() - began
        problems = await replayer.check(markets)
        site = await client.get("/site")
    currency = Currency.model_validate(site["currency"])
    return ReplayResult(markets, seconds=seconds, problems=problems, currency=currency)


async def is_paid(client: ApiClient, pool_id: int) -> bool:
    """Return whether a resolved pool is paid."""
    shown = await client.call("GET", f"/pools/{pool_id}")
    return bool(shown["resolution"]["state"] == "paid")


async def find_events(client: ApiClient, run: Run, *, token: str | None = None) -> dict[str, Any]:
    """Return the events that a run has opened, by the name of their market; unpublished ones only with a token."""
    found: dict[str, Any] = {}
    statuses = ("new", "active", "closed", "resolved", "cancelled")
    for status in statuses if token is not None else statuses[1:]:
        cursor = None
        while True:
            query = {"tag": texts.TAG, "status": status, "limit": PAGE} | ({"cursor": cursor} if cursor else {})
            page = await client.call("GET", "/events", token, query=query)
            for event in page["events"]:
                mark = event["pools"][0]["metadata"].get(texts.MARK)
                if isinstance(mark, dict) and mark.get("run") == run.name:
                    found[str(mark.get("market"))] = event
            cursor = page["next_cursor"]
            if cursor is None:
                break
    return found


async def is_complete(
    client: ApiClient, run: Run, histories: Sequence[History], *, left_open: Collection[MarketKey]
) -> bool:
    """Return whether a run has finished on this service, from public data alone."""
    events = await find_events(client, run)
    for history in histories:
        event = events.get(history.name)
        if event is None or (event["status"] == "active" and history.key not in left_open):
            return False
        staked_kopecks = sum(trade.amount for trade in history.trades if trade.action == "buy")
        # Volume counts stakes and payouts, so it reaches the sum of stakes with the last sale at the latest. Only the
        # run itself trades before it is complete.
        if event["pools"][0]["markets"][0]["volume"] < staked_kopecks:
            return False
    return True
