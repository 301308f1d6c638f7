"""A line to a service that a test writes: what is answered, what was sent, and how long a call waited."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from foreknow_client import endpoints, models
from foreknow_client.calls import Call
from foreknow_client.credentials import Credentials
from foreknow_client.exchange import exchange
from foreknow_client.steps import Lost, Pause, Reply, Send, Session

T = TypeVar("T")

ADDRESS = "http://markets.example"
BET = endpoints.place_bet(market_id=7, token_type="YES", amount_kopecks=1000)
NEVER_SENT, NO_ANSWER = Lost("no route", was_sent=False), Lost("reset", was_sent=True)
RECEIPT = models.Bet(
    id=1,
    market_id=7,
    token_type="YES",
    amount_kopecks=1000,
    fee_kopecks=0,
    shares=1990,
    avg_price=5025,
    probability_before=0.5,
    probability_after=0.505,
    balance_kopecks=0,
    capped=False,
    created_at=datetime(2026, 3, 1, 18, tzinfo=UTC),
)


class Line:
    """Answers a call with what is planned, and notes what was sent and how long it waited."""

    def __init__(self, *answers: Reply | Lost, credentials: Credentials | None = None, is_met: bool = True) -> None:
        self._answers = iter(answers)
        self.sent: list[Send] = []
        self.pauses_s: list[float] = []
        self.time_s = 0.0
        self.session = Session(
            ADDRESS,
            credentials or Credentials(),
            retry_s=60,
            order_retry_s=600,
            now_s=lambda: self.time_s,
            user_agent="test",
            is_met=is_met,
            chance=lambda: 1.0,
        )

    def run(self, call: Call[T]) -> T:
        steps = exchange(call, self.session)
        reply: Reply | Lost | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as ended:
                result: T = ended.value
                return result
            if isinstance(step, Pause):
                self.pauses_s.append(step.seconds)
                self.time_s += step.seconds
                reply = None
            else:
                self.sent.append(step)
                reply = next(self._answers)

    @property
    def keys(self) -> list[str]:
        return [send.headers["idempotency-key"] for send in self.sent]


def answer(status: int, code: str = "", **headers: str) -> Reply:
    body = msgspec.json.encode({"error": code, "message": "No."} if code else RECEIPT)
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)
