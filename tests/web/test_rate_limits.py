"""Token buckets: what passes, what waits, and how little they remember."""

from __future__ import annotations

import random

import pytest

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.rates import Rate, parse_rate
from foreknow.trading.entry.routes import TRADING
from foreknow.web.endpoint import READS, CostlyGroup, RateLimitGroup
from foreknow.web.rate_limits import ADDRESS_FACTOR, PARTNER_FACTOR, Buckets, Limits


class Timer:
    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def timer() -> Timer:
    return Timer()


def user(user_id: int) -> UserCaller:
    return UserCaller(user_id, user_id, is_creator=False, is_admin=False, is_stats_viewer=False, is_operator=False)


def passed(buckets: Buckets, key: int | str, tries: int) -> int:
    return sum(buckets.take(key) > -1e-9 for _ in range(tries))


def test_a_burst_passes_and_not_one_more(timer: Timer) -> None:
    buckets = Buckets(Rate(10, 25), timer=timer)

    assert passed(buckets, 7, 100) == 25
    assert passed(buckets, 8, 100) == 25, "another key has a bucket of its own"


def test_tokens_come_back_at_the_rate(timer: Timer) -> None:
    buckets = Buckets(Rate(10, 25), timer=timer)
    passed(buckets, 7, 100)
    timer.now_s += 1.05

    assert passed(buckets, 7, 100) == 10
    timer.now_s += 1_000
    assert passed(buckets, 7, 100) == 25, "a bucket holds no more than the burst"


def test_a_client_that_waits_as_long_as_it_must_then_passes(timer: Timer) -> None:
    buckets = Buckets(Rate(0.5, 1), timer=timer)
    assert buckets.take(7) > -1e-9
    wait_s = -buckets.take(7)

    assert wait_s == pytest.approx(2)
    timer.now_s += wait_s
    assert buckets.take(7) > -1e-9


@pytest.mark.parametrize("seed", range(20))
def test_it_passes_what_a_plain_token_bucket_passes(timer: Timer, seed: int) -> None:
    # The plain one: tokens that grow with time up to the burst. Times in powers of two are exact in doubles.
    chance = random.Random(seed)
    rate = Rate(chance.choice([1, 4, 16]), chance.randint(1, 40))
    buckets = Buckets(rate, timer=timer)
    tokens, seen_s = {key: float(rate.burst) for key in range(3)}, dict.fromkeys(range(3), timer.now_s)
    for _ in range(2_000):
        timer.now_s += chance.choice([0, 0, 1 / 64, 1 / 16, 0.5, 0.5, 8])
        key = chance.randrange(3)
        tokens[key] = min(rate.burst, tokens[key] + (timer.now_s - seen_s[key]) * rate.per_second)
        seen_s[key] = timer.now_s
        if fits := tokens[key] >= 1:
            tokens[key] -= 1
        assert (buckets.take(key) > -1e-9) == fits


def test_a_million_addresses_do_not_make_it_grow(timer: Timer) -> None:
    buckets = Buckets(Rate(1, 100), timer=timer, keys_max=1_000)
    for number in range(100_000):
        buckets.take(f"address {number}")
        assert buckets.size <= 2_000


def test_what_has_filled_up_is_forgotten(timer: Timer) -> None:
    buckets = Buckets(Rate(10, 20), timer=timer)
    for key in range(500):
        buckets.take(key)
    timer.now_s += 2
    buckets.take(1)
    timer.now_s += 2
    buckets.take(1)

    assert buckets.size <= 2


def test_accounts_partners_and_addresses_are_counted_apart(timer: Timer) -> None:
    limits = Limits({TRADING: parse_rate("1/s burst 2"), READS: None}, timer=timer)

    def until_refused(caller: UserCaller | PartnerCaller | None, address: str) -> int:
        return next(count for count in range(1_000) if limits.take(TRADING, caller, address)[0])

    assert until_refused(user(7), "192.0.2.1") == 2
    assert until_refused(user(8), "192.0.2.1") == 2
    assert until_refused(PartnerCaller(7, "acme", key_id=1), "192.0.2.1") == 2 * PARTNER_FACTOR
    assert until_refused(None, "192.0.2.1") == 2
    assert until_refused(None, "192.0.2.2") == 2
    # Another key of the same partner, and another address of the same /64, are no new caller.
    assert until_refused(PartnerCaller(7, "acme", key_id=2), "192.0.2.9") == 0
    assert until_refused(None, "2001:db8::1") == 2
    assert until_refused(None, "2001:db8::2") == 0
    assert limits.refused == {TRADING: 8}


def test_a_costly_group_counts_all_accounts_of_an_address_together(timer: Timer) -> None:
    pictures = CostlyGroup("pictures")
    limits = Limits({pictures: parse_rate("1/h burst 2"), TRADING: parse_rate("1/h burst 2")}, timer=timer)

    def passes(group: RateLimitGroup, address: str) -> list[int]:
        return [sum(not limits.take(group, user(one), address)[0] for _ in range(3)) for one in range(7)]

    assert passes(pictures, "192.0.2.1") == [2] * ADDRESS_FACTOR + [0, 0]
    # Who was refused for the address's sake has tokens left elsewhere, others have none.
    assert passes(pictures, "192.0.2.2") == [0] * 5 + [0, 0]
    assert passes(TRADING, "192.0.2.1") == [2] * 7
    wait_s, headers = limits.take(pictures, user(8), "2001:db8::1")
    assert (wait_s, headers) == (0, ())


def test_a_group_without_a_rate_is_free(timer: Timer) -> None:
    limits = Limits({TRADING: parse_rate("1/s burst 1"), READS: None}, timer=timer)

    assert {limits.take(READS, user(7), "192.0.2.1") for _ in range(100)} == {(0, ())}
    assert Limits({}).take(TRADING, user(7), "192.0.2.1") == (0, ())


def test_headers_tell_what_is_left(timer: Timer) -> None:
    limits = Limits({TRADING: parse_rate("1/s burst 4")}, timer=timer)
    answers = [limits.take(TRADING, user(7), "") for _ in range(5)]

    assert [dict(headers).get(b"ratelimit") for _, headers in answers] == [
        # As long as half a burst is left, no header is sent.
        None,
        None,
        b'"trading";r=1;t=4',
        b'"trading";r=0;t=5',
        b'"trading";r=0;t=1',
    ]
    assert [wait_s for wait_s, _ in answers] == [0, 0, 0, 0, 1]
    assert dict(answers[-1][1])[b"ratelimit-policy"] == b'"trading";q=4;w=4'
