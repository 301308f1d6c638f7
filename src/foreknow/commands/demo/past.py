"""What the demo's own people did in the weeks before its start: they bet, sold, made an event, and wrote comments.

They do it through the interface, each step at its time, beside the recorded markets. Idempotency keys and a look at
what is there make an interrupted past go on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from foreknow.commands.demo import follows, forecasts, polls, shaped
from foreknow.commands.demo.calendar import PAST_MS, Lifetime
from foreknow.commands.demo.people import OLGA, TESS, TRADERS
from foreknow.commands.demo.schedule import Actor, Schedule
from foreknow.commands.replay.accounts import ReplayUser, Run
from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.commands.replay.concurrency import all_of
from foreknow.commands.replay.history import History, MarketKey
from foreknow.commands.replay.replayer import find_events
from foreknow.kernel.clock import DAY_MS, HOUR_MS

#: Mean time between two bets of the demo's traders: in a market left open, from its last recorded trade on; in the
#: creator's event.
OPEN_EVERY_MS = 3 * HOUR_MS
POLL_EVERY_MS = 4 * HOUR_MS
_POLL = ("poll",)
_TALK = ("talk",)
_TESS = ("tess",)
#: Errors that a past meets which goes on: done already, over, moved or spent.
_DONE = {"idempotency_key_reused", "market_closed", "market_resolved", "insufficient_shares", "insufficient_funds"}


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on one of the open markets (by its number, from 0 on; -1: the creator's event)."""

    market: int
    who: str
    text: str
    #: An answer, and whose.
    answer: str = ""
    answered_by: str = ""
    #: Who likes it.
    liked_by: tuple[str, ...] = ()


#: From the oldest to the newest.
REMARKS = (
    Remark(
        0,
        "vera",
        "A small sample and a surprising effect: I lean towards No.",
        "Small, yes, but it was registered in advance.",
        "nora",
        ("max", "trader"),
    ),
    Remark(
        1,
        "max",
        "Three studies in a row point the same way, so I hold Yes.",
        "Three by the same laboratory, though.",
        "cora",
        ("rita",),
    ),
    Remark(-1, "nora", "Four of ten would be what such projects found before.", "", "", ("vera", "pavel", "trader")),
    Remark(2, "pavel", "Выборка маленькая, эффект большой — обычно это плохой знак.", "Поэтому я и продаю.", "nora"),
    Remark(
        3,
        "rita",
        "Who has read the materials? The instructions look hard to repeat.",
        "I have. They are clearer than the paper.",
        "vera",
    ),
    Remark(
        -1,
        "trader",
        "Economics did better last time. I expect the same here.",
        "By how much? The rule asks for five points.",
        "cora",
        ("max",),
    ),
    Remark(4, "cora", "The price has run ahead of the evidence."),
    Remark(5, "vera", "Effects of this kind halve when they are measured again, and a half may still count."),
    Remark(
        0,
        "trader",
        "I sold half of mine. What is left pays for the wait.",
        "Sensible at this price.",
        "max",
        ("nora",),
    ),
)
#: What a trader writes to an operator.
QUESTION = "Hello! My study closed yesterday. When is a market resolved after it has closed?"


@dataclass(frozen=True, slots=True)
class _Deal:
    """A bet of the trader to sign in as: on the outcome that won or lost, or on YES of a market left open."""

    at_ms: int
    history: History
    side: str
    stake_kopecks: int


class OwnPast:
    """The past of the demo's own people."""

    def __init__(
        self,
        client: ApiClient,
        run: Run,
        histories: Sequence[History],
        lives: Mapping[MarketKey, Lifetime],
        *,
        began_ms: int,
    ) -> None:
        """Plan it; nothing is sent yet."""
        self._client = client
        self._run = run
        self._began_ms = began_ms
        self._end_ms = began_ms + PAST_MS
        self._open = [history for history in histories if lives[history.key].resolved_ms is None]
        self._open_ms = {
            history.key: self._moments(lives[history.key].trades_ms[-1], history) for history in self._open
        }
        self._poll_ms = self._poll_moments()
        self._deals = self._plan_deals(histories, lives)
        self._forecasts = forecasts.moments(histories, lives, began_ms=began_ms)
        self._talk_ms = [self._end_ms - 12 * DAY_MS + n * 26 * HOUR_MS for n in range(len(REMARKS))]
        self._accounts: Mapping[str, ReplayUser] = {}
        self._events: dict[str, Any] = {}

    def steps(self) -> dict[Actor, Sequence[int]]:
        """Return when each actor takes its steps."""
        return {
            **{self._actor(history): self._open_ms[history.key] for history in self._open},
            _POLL: self._poll_ms,
            _TALK: self._talk_ms,
            _TESS: [deal.at_ms for deal in self._deals],
            forecasts.ACTOR: [moment.at_ms for moment in self._forecasts],
            follows.ACTOR: follows.moments(self._began_ms),
            **shaped.steps(self._began_ms),
        }

    async def play(self, schedule: Schedule, accounts: Mapping[str, ReplayUser]) -> None:
        """Take the steps, at the times of `schedule`."""
        self._accounts = accounts
        own = [self._hold_poll(schedule), self._talk(schedule), self._deal(schedule)]
        own.append(follows.live(schedule, accounts, self._open, self._event))
        own.append(forecasts.live(schedule, accounts, self._forecasts, self._event))
        own.append(shaped.trade(schedule, accounts, self._run, began_ms=self._began_ms))
        own.append(shaped.grow(schedule, accounts, self._run))
        await all_of([*(self._trade_on(schedule, history) for history in self._open), *own])

    async def ask_support(self) -> None:
        """Let the trader to sign in as wait for an operator."""
        tess = self._accounts[TESS.local_part]
        session = await tess.call("POST", "/chat/session")
        if not session["messages"]:
            await tess.call("POST", "/chat/session/call-operator")
            await tess.call("POST", "/chat/message", body={"text": QUESTION})

    async def _trade_on(self, schedule: Schedule, history: History) -> None:
        """Let the demo's traders move a market around its last recorded price."""
        random = Random("-".join(history.key))  # noqa: S311 - nothing to guess
        turn, times = random.random(), self._open_ms[history.key]
        anchor = history.trades[-1].recorded_price
        for number, at_ms in enumerate(times):
            async with schedule.step(self._actor(history)):
                market_id = (await self._event(history.name))["pools"][0]["markets"][0]["id"]
                shown = await self._client.get(f"/markets/{market_id}")
                wave = math.sin(2 * math.pi * (turn + (at_ms - times[0]) / (30 * HOUR_MS)))
                believed = min(0.93, max(0.07, anchor + 0.16 * wave + random.uniform(-0.06, 0.06)))
                side = "YES" if believed > shown["yes_probability"] else "NO"
                stake_kopecks = random.randint(150, 1_100)
                await self._bet(_anyone(random), market_id, side, stake_kopecks, ("open", history.name, number))

    async def _hold_poll(self, schedule: Schedule) -> None:
        """Make the creator's event, and trade in it."""
        random = Random("poll")  # noqa: S311 - nothing to guess
        body = polls.event(self._began_ms)
        starts = [pool["metadata"]["market_probabilities"] for pool in body["pools"]]
        async with schedule.step(_POLL):
            olga = self._accounts[OLGA.local_part]
            event = await olga.publish(body, await olga.newest_event(polls.TAG))
        for number, at_ms in enumerate(self._poll_ms[1:]):
            async with schedule.step(_POLL):
                index = 0 if random.random() < 0.7 else 1
                pool = await self._client.get(f"/pools/{event['pools'][index]['id']}")
                believed = polls.beliefs(starts[index], (at_ms - self._began_ms) / PAST_MS)
                outcome = random.randrange(len(believed))
                gap = believed[outcome] + random.uniform(-0.05, 0.05) - pool["markets"][outcome]["yes_probability"]
                stake_kopecks = round(min(15_000, 1_000 + abs(gap) * random.uniform(30_000, 110_000)))
                side = "YES" if gap > 0 else "NO"
                market_id = pool["markets"][outcome]["id"]
                await self._bet(_anyone(random), market_id, side, stake_kopecks, ("poll", number))

    async def _deal(self, schedule: Schedule) -> None:
        for number, deal in enumerate(self._deals):
            async with schedule.step(_TESS):
                market_id = (await self._event(deal.history.name))["pools"][0]["markets"][0]["id"]
                await self._bet(TESS.local_part, market_id, deal.side, deal.stake_kopecks, ("deal", number))

    async def _talk(self, schedule: Schedule) -> None:
        for remark in REMARKS:
            async with schedule.step(_TALK):
                event_id = await self._talked_about(remark)
                there = (await self._client.get(f"/events/{event_id}/comments"))["comments"]
                if any(one["content"] == remark.text for one in there):
                    continue
                body = {"event_id": event_id, "content": remark.text}
                made = await self._accounts[remark.who].call("POST", "/comments", body=body)
                if remark.answer:
                    answer = {"event_id": event_id, "content": remark.answer, "parent_id": made["id"]}
                    await self._accounts[remark.answered_by].call("POST", "/comments", body=answer)
                for who in remark.liked_by:
                    path = f"/comments/{made['id']}/reaction"
                    await self._accounts[who].call("PUT", path, body={"type": "like"})

    async def _talked_about(self, remark: Remark) -> int:
        if remark.market >= 0:
            return int((await self._event(self._open[remark.market % len(self._open)].name))["id"])
        return int((await self._client.get("/events", tag=polls.TAG, status="active", limit=1))["events"][0]["id"])

    async def _event(self, name: str) -> Any:
        """Return the event of a recorded market that is open to the public."""
        if name not in self._events:
            self._events = await find_events(self._client, self._run)
        return self._events[name]

    async def _bet(self, who: str, market_id: int, side: str, stake_kopecks: int, step: tuple[str | int, ...]) -> None:
        try:
            await self._accounts[who].bet(market_id, side, stake_kopecks, key=self._run.key(*step))
        except RequestFailed as refused:
            if refused.code not in _DONE:
                raise

    def _moments(self, from_ms: int, history: History) -> list[int]:
        random = Random(f"{'-'.join(history.key)} moments")  # noqa: S311 - nothing to guess
        from_ms += HOUR_MS
        count = (self._end_ms - from_ms) // OPEN_EVERY_MS
        return sorted(random.randrange(from_ms, self._end_ms) for _ in range(count))

    def _poll_moments(self) -> list[int]:
        random = Random("poll moments")  # noqa: S311 - nothing to guess
        opens_ms = self._began_ms + 2 * DAY_MS
        count = (self._end_ms - opens_ms) // POLL_EVERY_MS
        return [opens_ms, *sorted(random.randrange(opens_ms + HOUR_MS, self._end_ms) for _ in range(count))]

    def _plan_deals(self, histories: Sequence[History], lives: Mapping[MarketKey, Lifetime]) -> list[_Deal]:
        """Plan a bet in every fourth market that ends, one of three of them lost, and in each second one left open."""
        ended = [history for history in histories if lives[history.key].resolved_ms is not None][::4]
        deals: list[_Deal] = []
        for number, history in enumerate(ended):
            wins_yes = history.finding.replicated == (number % 3 != 2)
            at_ms = lives[history.key].finish_ms - 2 * HOUR_MS
            deals.append(_Deal(at_ms, history, "YES" if wins_yes else "NO", 2_500 + 700 * (number % 5)))
        for number, history in enumerate(self._open[1::2]):
            at_ms = lives[history.key].trades_ms[-1] + (1 + number) * HOUR_MS
            deals.append(_Deal(at_ms, history, "NO" if number % 3 == 1 else "YES", 3_000 + 900 * number))
        return sorted(deals, key=lambda deal: deal.at_ms)

    @staticmethod
    def _actor(history: History) -> Actor:
        return ("open", *history.key)


def _anyone(random: Random) -> str:
    return random.choice(TRADERS).local_part
