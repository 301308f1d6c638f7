"""When a call is sent again, and with which key: the steps that both clients carry out, without a connection."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeVar

import msgspec
import pytest

from foreknow_client import ApiError, ConnectionFailed, FateUnknown, endpoints, errors, models
from foreknow_client.calls import Call
from foreknow_client.credentials import Credentials, SignIn
from foreknow_client.exchange import Lost, Pause, Reply, Send, Session, exchange

T = TypeVar("T")

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
    created_at=datetime(2026, 3, 1, 18, tzinfo=UTC),
)


class Line:
    """Answers a call with what is planned, and notes what was sent and how long it waited."""

    def __init__(self, *answers: Reply | Lost, credentials: Credentials | None = None) -> None:
        self._answers = iter(answers)
        self.sent: list[Send] = []
        self.pauses_s: list[float] = []
        self.time_s = 0.0
        self.session = Session(
            credentials or Credentials(),
            retry_s=60,
            order_retry_s=600,
            now_s=lambda: self.time_s,
            user_agent="test",
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


def test_an_order_is_sent_with_one_key_until_its_fate_is_known() -> None:
    line = Line(NO_ANSWER, answer(500, "internal_error"), answer(503, "unavailable", retry_after="2"), answer(201))

    assert line.run(BET).shares == 1990
    assert len(set(line.keys)) == 1
    assert len(line.sent) == 4
    assert line.pauses_s == [0.4, 0.8, 2.2]


def test_two_orders_have_two_keys_and_a_key_of_ones_own_is_kept() -> None:
    first, second = Line(answer(201)), Line(answer(201))
    first.run(BET)
    second.run(endpoints.place_bet(market_id=7, token_type="YES", amount_kopecks=1000, idempotency_key="mine"))

    assert first.keys != second.keys == ["mine"]


def test_an_order_that_is_refused_is_not_sent_again() -> None:
    line = Line(answer(409, "slippage"))

    with pytest.raises(errors.Slippage, match="409 slippage: No") as refused:
        line.run(BET)

    assert (refused.value.status, refused.value.attempts, len(line.sent)) == (409, 1, 1)


def test_an_order_whose_fate_stays_unknown_says_its_key() -> None:
    def down() -> Iterator[Reply | Lost]:
        yield NO_ANSWER
        while True:
            yield NEVER_SENT

    line = Line(*[reply for reply, _ in zip(down(), range(200), strict=False)])

    with pytest.raises(FateUnknown) as unknown:
        line.run(BET)

    assert {unknown.value.idempotency_key} == set(line.keys)
    assert 580 < line.time_s <= 600
    assert max(line.pauses_s) == 10


def test_an_order_that_was_never_sent_is_no_open_question() -> None:
    line = Line(*[NEVER_SENT] * 200)

    with pytest.raises(ConnectionFailed) as failed:
        line.run(BET)

    assert not isinstance(failed.value, FateUnknown)


def test_a_change_without_a_key_is_sent_again_only_where_it_was_not_carried_out() -> None:
    change = endpoints.update_me(name="Ann")
    for lost in (NO_ANSWER, answer(500, "internal_error")):
        line = Line(lost)
        with pytest.raises((ConnectionFailed, errors.InternalError)):
            line.run(change)
        assert len(line.sent) == 1
    line = Line(NEVER_SENT, answer(429, "rate_limited", retry_after="7"), answer(409, "nickname_taken"))
    with pytest.raises(errors.NicknameTaken):
        line.run(change)
    assert line.pauses_s == [0.4, 7.2]


def test_a_wait_past_the_end_of_retries_ends_them() -> None:
    line = Line(answer(429, "rate_limited", retry_after="61"))

    with pytest.raises(errors.RateLimited) as limited:
        line.run(endpoints.get_me())

    assert (limited.value.retry_after_s, line.pauses_s) == (61, [])


def test_an_error_of_a_later_service_or_of_a_proxy_is_an_error_all_the_same() -> None:
    for reply, code in ((answer(409, "brand_new"), "brand_new"), (Reply(404, {}, b"<html>"), "http_404")):
        with pytest.raises(ApiError) as error:
            Line(reply).run(BET)
        assert (type(error.value), error.value.error) == (ApiError, code)


def test_a_partners_codes_have_the_same_classes() -> None:
    with pytest.raises(errors.InsufficientFloat) as error:
        Line(answer(409, "INSUFFICIENT_FLOAT")).run(BET)

    assert error.value.error == "INSUFFICIENT_FLOAT"


def test_a_sign_in_that_cannot_be_had_leaves_an_orders_fate_open() -> None:
    signed_in = Reply(200, {}, b'{"access_token": "first"}', {"refresh_token": "one"})
    ended = answer(401, "unauthorized")
    line = Line(signed_in, NO_ANSWER, ended, ended, answer(401, "invalid_credentials"), credentials=SignIn("ann", "x"))

    with pytest.raises(FateUnknown):
        line.run(BET)

    assert [send.path.removeprefix("/api/v1") for send in line.sent] == [
        *("/auth/sign-in", "/market/bets", "/market/bets", "/auth/refresh", "/auth/sign-in"),
    ]
    assert line.sent[3].headers["cookie"] == "refresh_token=one"
