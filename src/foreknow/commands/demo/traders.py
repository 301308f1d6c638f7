"""The demo's traders: a few strategies of some lines each, and two who quote, which go on through the interface.

Where outcomes are ranges or answers to several questions, the others trade by baskets.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from foreknow.commands.demo import baskets, forecasts, questions
from foreknow.commands.demo.calendar import PAST_MS
from foreknow.commands.demo.people import FORECASTERS, MAKERS, TRADERS, Person, account_of
from foreknow.commands.replay.accounts import ReplayUser, Run
from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.commands.replay.errors import ReplayFailed
from foreknow.kernel.clock import SECOND_MS, system_clock

#: Mean pause of one trader between two orders.
PAUSE_S = 30.0
STAKES_KOPECKS = (100, 900)
#: What the makers quote: the newest events, 2 % below the price or 3 %, and more lots with each further bid.
QUOTED_CARDS = 20
QUOTES_NEAREST = 2
QUOTED_LOTS = (10, 20, 40)
#: How far a price may be from what a trader believes, or have moved, without an order.
TOLERANCE = 0.03
#: Beliefs swing around a market's price of a day ago within hours, so prices keep moving and end at neither side.
_SWING, _SWING_S = 0.12, 2_700.0
_BELIEVED_MIN, _BELIEVED_MAX = 0.06, 0.94


@dataclass(frozen=True, slots=True)
class Look:
    """What a strategy looks at: a market, its probability of YES, and what that was a day and a look ago."""

    market_id: int
    probability: float
    day_ago: float
    before: float

    @property
    def moved(self) -> float:
        """How far the probability has moved since the last look."""
        return self.probability - self.before


_CHANCE = random.Random()  # noqa: S311 - nothing to guess

#: The side to buy; None for none.
Strategy = Callable[[Look], str | None]


def believed(look: Look, *, at_s: float) -> float:
    """Return the probability that the trader of values believes in: a slow wave, another one for each market."""
    wave = _SWING * math.sin(at_s / _SWING_S + 2.4 * look.market_id)
    return min(_BELIEVED_MAX, max(_BELIEVED_MIN, look.day_ago + wave))


def value(look: Look) -> str | None:
    """Buy towards what is believed."""
    gap = believed(look, at_s=system_clock() / SECOND_MS) - look.probability
    return None if abs(gap) < TOLERANCE else "YES" if gap > 0 else "NO"


def momentum(look: Look) -> str | None:
    """Buy what has risen."""
    return None if abs(look.moved) < TOLERANCE / 4 else "YES" if look.moved > 0 else "NO"


def contrarian(look: Look) -> str | None:
    """Buy what has fallen."""
    side = momentum(look)
    return side and ("NO" if side == "YES" else "YES")


def chance(look: Look) -> str | None:
    """Buy the likelier side more often."""
    return "YES" if random.random() < look.probability else "NO"  # noqa: S311 - nothing to guess


_STRATEGIES: Mapping[str, Strategy] = {
    "vera": value,
    "max": momentum,
    "cora": contrarian,
    "rita": chance,
    "pavel": value,
    "nora": contrarian,
}


class DemoTraders:
    """All traders, in a thread of their own beside the service."""

    def __init__(self, run: Run, *, trade: bool = True) -> None:
        """Trade with the accounts of `run`, and forecast; where orders are not taken (`trade`), forecast alone."""
        self._run = run
        self._trades = trade
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="demo-traders", daemon=True)
        self._stopping = threading.Event()
        self._url = ""
        self._task: asyncio.Task[None] | None = None

    def start(self, url: str) -> None:
        """Begin to trade at the service at `url`."""
        self._url = url
        self._thread.start()

    def stop(self) -> None:
        """End; an order under way may still be carried out."""
        self._stopping.set()
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._cancel)
            self._thread.join(timeout=5)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._trade())
        self._loop.close()

    async def _trade(self) -> None:
        self._task = asyncio.current_task()
        async with ApiClient(self._url) as client, asyncio.TaskGroup() as group:
            for person in FORECASTERS:
                group.create_task(self._forecast_as(client, person))
            for person in TRADERS if self._trades else ():
                group.create_task(self._trade_as(client, person))
            for number, person in enumerate(MAKERS if self._trades else ()):
                group.create_task(self._quote_as(client, person, nearest=QUOTES_NEAREST + number))

    async def _trade_as(self, client: ApiClient, person: Person) -> None:
        seen: dict[int, float] = {}
        account = account_of(client, self._run, person)
        while not self._stopping.is_set():
            await asyncio.sleep(random.expovariate(1 / PAUSE_S))
            # Closed, paused, moved or spent meanwhile: another market comes next. Or the service is gone, or going.
            with contextlib.suppress(ReplayFailed):
                if not await _sell_some(account):
                    await _buy(account, _STRATEGIES[person.local_part], seen)

    async def _forecast_as(self, client: ApiClient, person: Person) -> None:
        account = account_of(client, self._run, person)
        while not self._stopping.is_set():
            with contextlib.suppress(ReplayFailed):
                await forecasts.go_on(account, self._stopping.is_set)

    async def _quote_as(self, client: ApiClient, person: Person, *, nearest: int) -> None:
        account = account_of(client, self._run, person)
        quoted: dict[int, int] = {}
        while not self._stopping.is_set():
            with contextlib.suppress(ReplayFailed):
                for market in await _open_markets(account):
                    price = round(100 * market["probability"])
                    if quoted.get(market["market_id"]) == price:
                        continue
                    # Paused or closed meanwhile: the next one.
                    with contextlib.suppress(ReplayFailed):
                        await quote(account, market["market_id"], price, nearest=nearest)
                    quoted[market["market_id"]] = price
            await asyncio.sleep(random.expovariate(1 / PAUSE_S))


async def _open_markets(account: ReplayUser) -> list[dict[str, Any]]:
    cards = (await account.call("GET", "/cards", query={"limit": QUOTED_CARDS}))["cards"]
    open_cards = [card for card in cards if card["pool"]["won_side"] is None and not card["pool"]["paused"]]
    return [market for card in open_cards for market in card["pool"]["top"]]


async def quote(account: ReplayUser, market_id: int, price: int, *, nearest: int) -> None:
    """Take one's bids of a market back, and bid for YES and NO at several prices below theirs, more at each."""
    await account.call("POST", "/market/orders/cancel", body={"market_id": market_id})
    for step, lots in enumerate(QUOTED_LOTS):
        for side, of_side in (("YES", price), ("NO", 100 - price)):
            percent = of_side - nearest - 2 * step
            if percent < 1:
                continue
            order = {"market_id": market_id, "token_type": side, "action": "buy", "shares": 100 * lots}
            terms = {"price_bps": 100 * percent, "post_only": True}
            # The price may have moved there: the next look quotes again.
            with contextlib.suppress(RequestFailed):
                await account.call("POST", "/market/orders", body=order | terms)


async def _buy(account: ReplayUser, strategy: Strategy, seen: dict[int, float]) -> None:
    cards = (await account.call("GET", "/cards", query={"limit": 50}))["cards"]
    open_cards = [card for card in cards if card["pool"]["won_side"] is None and not card["pool"]["paused"]]
    if not open_cards:
        return
    card: dict[str, Any] = random.choice(open_cards)  # noqa: S311 - nothing to guess
    stake_kopecks = random.randint(*STAKES_KOPECKS)  # noqa: S311 - nothing to guess
    if card["pool"]["quantiles"] is not None or questions.JOINT_TAG in card["tags"]:
        pool = await account.client.get(f"/pools/{card['pool']['pool_id']}")
        body = baskets.order(pool, _CHANCE, part=system_clock() / PAST_MS, stake_kopecks=stake_kopecks)
        if body is not None:
            await account.basket(body)
        return
    shown: dict[str, Any] = random.choice(card["pool"]["top"])  # noqa: S311 - nothing to guess
    market_id, probability, day_ago = shown["market_id"], shown["probability"], shown["probability_24h"]
    side = strategy(Look(market_id, probability, day_ago, seen.get(market_id, day_ago)))
    seen[market_id] = probability
    if side is not None:
        await account.bet(market_id, side, stake_kopecks)


async def _sell_some(account: ReplayUser) -> bool:
    """Sell half of a position, one time in five; always while the balance is low."""
    me = await account.call("GET", "/users/me")
    if me["balance_kopecks"] > STAKES_KOPECKS[1] * 10 and random.random() > 0.2:  # noqa: S311 - nothing to guess
        return False
    positions = (await account.call("GET", "/users/me/positions", query={"state": "open", "limit": 50}))["positions"]
    if not positions:
        return False
    position = random.choice(positions)  # noqa: S311 - nothing to guess
    await account.sell(position["market_id"], position["token_type"], max(1, position["amount"] // 2))
    return True
