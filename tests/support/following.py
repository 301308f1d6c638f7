"""A service whose events follow a source of odds on a local port, round by round as a test says."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from foreknow.market.events.odds_events import OddsRow, load_odds
from foreknow.people.users.tables import HOUSE_TRADER_KEY
from foreknow.trading.odds import Budget, OddsRounds, open_sources
from foreknow.trading.odds.rounds import OnMove
from tests.support.odds import encoded, polymarket_group
from tests.support.providers import Provider, Reply, provider
from tests.support.service import Service, expect, pool

#: Over the interval between two rounds, and within the time in which odds are fresh.
ROUND_MS = 31_000
STALE_MS = 120_000
STEP_KOPECKS, BUDGET_KOPECKS = 10_000, 25_000
HOUSE = "The Bank"


class Follower:
    """The service, and the site that it follows. Rounds run when a test says so and at no other time."""

    def __init__(self, database_url: str, site: Provider, **settings: Any) -> None:
        self.site = site
        self._slugs = itertools.count(1)
        usual: dict[str, Any] = {
            "odds_sources": dict.fromkeys(("polymarket", "manifold", "kalshi"), site.url),
            "odds_name": HOUSE,
            "odds_step_kopecks": STEP_KOPECKS,
            "odds_budget_kopecks": BUDGET_KOPECKS,
            # Tests that share it spend each what they want.
            "odds_day_kopecks": 1_000_000_000,
        }
        self.service = Service(database_url, **(usual | settings))
        self.rounds = self.service.app.services.odds
        for worker in self.rounds._workers:
            self.service.server.run(worker.stop())

    def answer(self, event: dict[str, Any], body: Any) -> None:
        """Let the site answer with `body` (JSON, bytes or a whole reply) to requests for an event."""
        if not isinstance(body, Reply):
            body = Reply(body if isinstance(body, bytes) else encoded(body))
        self.site.replies[f"/events/slug/{event['slug']}"] = body

    def event(
        self, prices: dict[str, str] | None = None, *, answer: Any = None, publish: bool = True, **overrides: Any
    ) -> dict[str, Any]:
        """Create an event that follows one of the site's, by default with a pool of the outcomes `prices` there.

        `answer` is what the site says instead; `slug` is added to the event.
        """
        slug = f"event-{next(self._slugs)}"
        names = list(prices or {})
        body = {
            "external_event_url": f"https://polymarket.com/event/{slug}",
            "pools": [pool(names) if len(names) > 1 else pool()],
        }
        event = self.service.event(publish=publish, **(body | overrides)) | {"slug": slug}
        self.answer(event, polymarket_group(**(prices or {})) if answer is None else answer)
        return event

    def wait(self, ms: int) -> None:
        """Let time pass; those whom tests share sign in again, as their tokens may have ended."""
        self.service.clock.advance(ms)
        self.service.sign_out_shared()

    def round(self, event: dict[str, Any], *, rounds: OddsRounds | None = None, after_ms: int = ROUND_MS) -> bool:
        """Let time pass and run an event's next round; return whether it was completed."""
        self.wait(after_ms)
        done = self.service.server.run((rounds or self.rounds)._runners["polymarket"].run_due(only=[event["id"]]))
        return done == [True]

    def odds(self, event: dict[str, Any]) -> Any:
        """Return GET /events/{id}/odds as an admin sees it."""
        return expect(self.service.admin.get(f"/events/{event['id']}/odds"), 200)

    def status(self, event: dict[str, Any]) -> str:
        """Return the status of an event's odds."""
        return str(self.odds(event)["status"])

    def prices(self, event: dict[str, Any], index: int = 0) -> list[float]:
        """Return the YES probabilities of a pool."""
        pool_id = event["pools"][index]["id"]
        shown = expect(self.service.client().get(f"/pools/{pool_id}"), 200)
        return [market["yes_probability"] for market in shown["markets"]]

    def spent(self, event: dict[str, Any]) -> int:
        """Return what the house account has spent on an event's first pool."""
        return int(self.odds(event)["pools"][0]["spent_kopecks"])

    def house_trades(self, event: dict[str, Any]) -> list[Any]:
        """Return the trades of the house account in an event, in their order."""
        query = sa.text("""
            SELECT t.action, t.side, t.amount_kopecks, t.fee_kopecks, t.shares, m.outcome_index
            FROM trades t JOIN users u ON u.id = t.user_id JOIN markets m ON m.id = t.market_id
            WHERE u.nickname_key = :key AND t.event_id = :event ORDER BY t.id
        """)
        found: list[Any] = self.service.look(
            lambda tx: tx.execute(query, {"key": HOUSE_TRADER_KEY, "event": event["id"]}).all()
        )
        return found

    def bet(self, event: dict[str, Any], kopecks: int = 10, *, market: int = 0, side: str = "YES") -> dict[str, Any]:
        """Let someone bet in an event's first pool; return the receipt."""
        someone = self.service.user(balance_kopecks=kopecks)
        market_id = event["pools"][0]["markets"][market]["id"]
        body = {"market_id": market_id, "token_type": side, "amount_kopecks": kopecks}
        receipt: dict[str, Any] = expect(someone.client.post("/market/bets", json=body), 201)
        return receipt

    def row(self, event: dict[str, Any]) -> OddsRow | None:
        """Return the row of an event's rounds."""
        row: OddsRow | None = self.service.look(lambda tx: load_odds(tx, event["id"]))
        return row

    def attention(self, event: dict[str, Any]) -> list[str]:
        """Return the reasons for which an event waits for a person."""
        page = expect(self.service.admin.get("/admin/attention?limit=100"), 200)
        return [one["reason"] for one in page["entries"] if one["kind"] == "odds" and one["event_id"] == event["id"]]

    def sum(self, query: str, **values: Any) -> int:
        """Return the sum that an SQL query computes."""
        return int(self.service.look(lambda tx: tx.execute(sa.text(query), values).scalar()) or 0)

    def with_rules(
        self, *, budget: Budget | None = None, on_move: Sequence[OnMove] | None = None, **rules: Any
    ) -> OddsRounds:
        """Return rounds of the same service by other rules, which call `on_move` in place of what the service does."""
        changed = dataclasses.replace(self.rounds._rules, budget=budget or self.rounds._rules.budget, **rules)
        sources = open_sources({"polymarket": self.site.url})
        return OddsRounds(
            self.service.app.db, sources, changed, on_move=self.rounds._on_move if on_move is None else on_move
        )


@contextmanager
def following(database_url: str, **settings: Any) -> Iterator[Follower]:
    """Serve a follower while the block runs."""
    with provider() as site:
        follower = Follower(database_url, site, **settings)
        try:
            yield follower
        finally:
            follower.service.stop()
