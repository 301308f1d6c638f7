"""A trader whose bets have keys, who records the answered ones and sends the others again after the fault."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from dataclasses import dataclass, field

import httpx

from faults.killing import run_apart
from foreknow.platform.db.engine import open_database
from tests.support.books import audit_database
from tests.support.service import Person, Service

STAKE_KOPECKS = 100
RICH_KOPECKS = 10**9


class AnsweredAndLost(AssertionError):
    """A bet answered with 201 is missing, or was executed twice."""


@dataclass(slots=True)
class Trader:
    """Bets on one market."""

    person: Person
    market_id: int
    #: Key → id of the bet, of those that were answered.
    answered: dict[str, int] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    #: Responses other than a success or a 503 with Retry-After.
    wrong: list[str] = field(default_factory=list)
    #: Keys of bets that were answered 503 or not at all: their outcome is unknown.
    refused: list[str] = field(default_factory=list)
    unanswered: int = 0
    longest_s: float = 0.0
    _keys: itertools.count[int] = field(default_factory=itertools.count)

    def bet(self, *, key: str | None = None) -> tuple[str, int]:
        """Bet, or send a bet again under its key; return the key and the status, 0 where no answer came."""
        key = key or f"fault-{next(self._keys)}"
        order = {"market_id": self.market_id, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
        began_s = time.monotonic()
        try:
            answer = self.person.client.post("/market/bets", json=order, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            self.unanswered += 1
            self.refused.append(key)
            return key, 0
        self.longest_s = max(self.longest_s, time.monotonic() - began_s)
        self.note(answer)
        if answer.status_code == 201:
            bet_id = int(answer.json()["id"])
            if self.answered.setdefault(key, bet_id) != bet_id:
                raise AnsweredAndLost(f"{key} was bet {self.answered[key]} and is {bet_id} now")
        else:
            self.refused.append(key)
        return key, answer.status_code

    def look(self, *paths: str) -> None:
        """Read some pages."""
        for path in paths:
            self.note(self.person.client.get(path))

    def note(self, answer: httpx.Response) -> None:
        """Count a response, and record an unexpected one."""
        self.statuses[answer.status_code] += 1
        if answer.status_code >= 400 and (answer.status_code != 503 or "Retry-After" not in answer.headers):
            self.wrong.append(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text}")

    def check(self, database_url: str) -> None:
        """Raise `AnsweredAndLost` unless every answered bet is in the database, and the books are right."""
        missing = set(self.answered.values()) - set(trades_in(database_url))
        if missing:
            raise AnsweredAndLost(f"{len(missing)} answered bets are gone: {sorted(missing)[:5]}")
        audit_database(database_url)


def open_trader(service: Service) -> Trader:
    """Make a rich trader and a market of their own."""
    market_id = int(service.event()["pools"][0]["markets"][0]["id"])
    return Trader(service.user(balance_kopecks=RICH_KOPECKS), market_id)


def trades_in(database_url: str) -> list[int]:
    """Return the ids of all trades but those of limit orders."""
    return [trade_id for trade_id, _ in _trades(database_url)]


def orders_in(database_url: str) -> set[str]:
    """Return what all trades were made by: bets by their ids, baskets by theirs, as `placed` writes them."""
    return {
        f"bet {trade_id}" if basket_id is None else f"basket {basket_id}"
        for trade_id, basket_id in _trades(database_url)
    }


def _trades(database_url: str) -> list[tuple[int, int | None]]:
    async def read() -> list[tuple[int, int | None]]:
        database = open_database(database_url)
        try:
            query = "SELECT id, basket_id FROM trades WHERE order_id IS NULL"
            found = await database.read(lambda tx: tx.exec_driver_sql(query).all())
        finally:
            await database.close()
        return [(trade_id, basket_id) for trade_id, basket_id in found]

    return run_apart(read())
