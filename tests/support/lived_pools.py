"""Pools that people trade in and forecast over HTTP, while the clock stands, kept as a reference life."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.site.forecasts.tables import forecasts
from foreknow.trading.desk.tables import trade_legs, trades
from foreknow.trading.positions.tables import position_splits
from tests.site.forecast_scores.reference import Life, Split, Stood, Trade
from tests.support import forecasts as said
from tests.support.disputes import read_time
from tests.support.orders import bet, sell
from tests.support.service import PASSWORD, Person, Service, expect


def sign_in(service: Service, people: Sequence[Person]) -> None:
    """Sign people in again, whose tokens have ended."""
    service.sign_out_shared()
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"


@dataclass
class LivedPool:
    """A published pool, and what happened to it."""

    service: Service
    shown: dict[str, Any]
    life: Life
    is_paused: bool = False

    @property
    def id(self) -> int:
        """Its id."""
        return int(self.shown["id"])

    @classmethod
    def begun(cls, service: Service, shown: dict[str, Any]) -> LivedPool:
        """Take a pool that was published at this moment."""
        finish_ms = None if shown["finish_at"] is None else read_time(shown["finish_at"])
        live_ms = None if shown["live_at"] is None else read_time(shown["live_at"])
        life = Life(winner=0, published_ms=service.clock(), live_ms=live_ms, finish_ms=finish_ms)
        life.first_finish_ms, life.other = finish_ms, shown["other"]
        made = cls(service, shown, life)
        made.note(life.published_ms)
        return made

    def note(self, at_ms: int) -> None:
        """Keep its prices from a moment on."""
        markets = expect(self.service.client().get(f"/pools/{self.id}"), 200)["markets"]
        self.life.prices.append((at_ms, tuple(market["yes_probability"] for market in markets)))

    def trade(self, person: Person, chance: random.Random) -> None:
        """Buy something, or sell all of it where something is held."""
        sign_in(self.service, [person])
        held = expect(person.client.get("/market/positions", params={"limit": 100}), 200)["positions"]
        markets = [market["id"] for market in self.markets()]
        mine = [one for one in held if one["market_id"] in markets]
        outcomes = {} if self.shown["other"] is None else {"outcomes": len(markets)}
        if mine and chance.random() < 0.7:
            for one in mine:
                expect(sell(person, one["market_id"], one["token_type"], **outcomes), 201)
        else:
            side = "YES" if self.shown["other"] is not None else chance.choice(["YES", "NO"])
            stake = chance.randint(500, 30_000)
            expect(bet(person, chance.choice(markets), side, stake, **outcomes), 201)
        self.note(self.service.clock())

    def markets(self) -> list[dict[str, Any]]:
        """Return its markets."""
        found: list[dict[str, Any]] = expect(self.service.client().get(f"/pools/{self.id}"), 200)["markets"]
        return found

    def say(self, person: Person, chance: random.Random) -> None:
        """Let a person think something else, or nothing any more."""
        sign_in(self.service, [person])
        if chance.random() < 0.15:
            said.taken_back(person, self.id)
            return
        weights = [chance.random() ** 3 for _ in self.markets()]
        total = sum(weights) if len(weights) > 1 else 1
        said.said(person, self.id, [weight / total for weight in weights])

    def pause(self) -> None:
        """Pause it, or resume it."""
        verb = "resume" if self.is_paused else "pause"
        expect(self.service.creator.client.post(f"/pools/{self.id}/{verb}"), 200)
        at_ms = self.service.clock()
        if self.is_paused:
            self.life.pauses[-1] = (self.life.pauses[-1][0], at_ms)
        else:
            self.life.pauses.append((at_ms, None))
        self.is_paused = not self.is_paused

    def finished(self) -> Life:
        """Return its life, with what the service keeps of trades and forecasts."""
        life, tables = self.life, (trades.c, trade_legs.c, position_splits.c, forecasts.c)
        t, leg, turned, said_ = tables
        sign = sa.case((t.action == "buy", 1), else_=-1)
        of_pool = t.pool_id == self.id
        plain = sa.select(t.created_at_ms, t.user_id, t.position_id, sign * t.shares)
        legs = sa.select(t.created_at_ms, t.user_id, leg.position_id, sign * leg.shares)
        rows = said.kept(self.service, plain.where(of_pool, t.basket_id.is_(None)))
        rows += said.kept(self.service, legs.join_from(trades, trade_legs, leg.trade_id == t.id).where(of_pool))
        life.trades = [Trade(at_ms=row[0], user=row[1], position=row[2], shares=row[3]) for row in rows]
        turns = sa.select(turned.created_at_ms, turned.user_id, turned.new_position_id, turned.shares)
        for row in said.kept(self.service, turns.where(turned.pool_id == self.id)):
            turn = Trade(at_ms=row[0], user=row[1], position=row[2], shares=row[3], is_turn=True)
            life.trades.append(turn)
        stood = sa.select(said_.user_id, said_.probabilities, said_.since_ms, said_.ended_at_ms)
        life.forecasts = [
            Stood(user=row[0], probabilities=row[1], from_ms=row[2], until_ms=row[3])
            for row in said.kept(self.service, stood.where(said_.pool_id == self.id).order_by(said_.id))
        ]
        splits = self.service.client().get(f"/pools/{self.id}").json()["splits"]
        life.splits = [
            Split(at_ms=read_time(one["at"]), outcome=one["outcome_index"], percent=round(100 * one["share"]))
            for one in splits
        ]
        return life
