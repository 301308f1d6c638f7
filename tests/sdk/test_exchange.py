"""When a call is sent again, and with which key: the steps that both clients carry out, without a connection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foreknow_client import AnswerNotUnderstood, ApiError, ConnectionFailed, FateUnknown, endpoints, errors
from foreknow_client.credentials import SignIn
from foreknow_client.steps import Lost, Reply
from tests.sdk.line import ADDRESS, BET, NEVER_SENT, NO_ANSWER, Line, answer


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


def test_each_retry_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    Line(NO_ANSWER, answer(503, "unavailable", retry_after="2"), answer(201)).run(BET)

    assert [(record.name, record.levelname, record.getMessage()) for record in caplog.records] == [
        ("foreknow_client", "WARNING", f"place_bet at {ADDRESS}: reset; attempt 2 follows in 0.4 s"),
        ("foreknow_client", "WARNING", f"place_bet at {ADDRESS}: answered with 503; attempt 3 follows in 2.2 s"),
    ]


@pytest.mark.parametrize(
    "reply", [Reply(200, {}, b"<html>"), Reply(302, {"location": "/elsewhere"}, b""), Reply(200, {}, b"\xff")]
)
def test_an_answer_of_another_program_leaves_an_orders_fate_open(reply: Reply) -> None:
    order = Line(reply)
    with pytest.raises(FateUnknown, match=f"place_bet at {ADDRESS}: ") as unknown:
        order.run(BET)
    assert [unknown.value.idempotency_key] == order.keys
    with pytest.raises(AnswerNotUnderstood):
        Line(reply).run(endpoints.delete_comment(7))


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
    # Of a proxy that has its own page for everything: no reason to give up.
    another = Reply(200, {}, b"<html>")
    ended = answer(401, "unauthorized")
    line = Line(
        another, signed_in, NO_ANSWER, ended, ended, answer(401, "invalid_credentials"), credentials=SignIn("ann", "x")
    )

    with pytest.raises(FateUnknown):
        line.run(BET)

    assert [send.path.removeprefix("/api/v1") for send in line.sent] == [
        *("/auth/sign-in", "/auth/sign-in", "/market/bets", "/market/bets", "/auth/refresh", "/auth/sign-in"),
    ]
    assert line.sent[4].headers["cookie"] == "refresh_token=one"
