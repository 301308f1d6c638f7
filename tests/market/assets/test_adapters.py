"""Adapters read what providers answer, exactly, and refuse everything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.market.assets.providers.binance import binance_prices
from foreknow.market.assets.providers.central_banks import cbr_rates, ecb_rates
from foreknow.market.assets.providers.coinbase import coinbase_price
from foreknow.platform.fetching import BadResponse
from tests.support.providers import BINANCE, CBR, COINBASE, ECB

ADAPTERS: dict[str, tuple[Callable[[bytes], object], bytes]] = {
    "binance": (binance_prices, BINANCE),
    "coinbase": (coinbase_price, COINBASE),
    "cbr": (cbr_rates, CBR),
    "ecb": (ecb_rates, ECB),
}


def test_tickers_are_read_and_what_is_no_price_is_left_out() -> None:
    assert binance_prices(BINANCE) == {"ETHBTC": 0.0517, "BTCUSDT": 64250.01, "ETHUSDT": 3321.45}
    assert coinbase_price(COINBASE) == 64249.545


def test_roubles_are_divided_by_the_nominal_exactly() -> None:
    assert cbr_rates(CBR) == {
        ("USD", "RUB"): 90.125,
        ("EUR", "RUB"): 98.5066,
        ("JPY", "RUB"): 0.610301,
        ("UZS", "RUB"): 0.00712345,
    }


def test_euros_are_read() -> None:
    assert ecb_rates(ECB) == {("EUR", "USD"): 1.093, ("EUR", "JPY"): 161.41, ("EUR", "GBP"): 0.8413}


def test_rows_that_make_no_sense_are_left_out() -> None:
    odd = CBR.replace(b"<Nominal>100</Nominal>", b"<Nominal>0</Nominal>").replace(b"98,5066</Value>", b"n/a</Value>")
    assert set(cbr_rates(odd)) == {("USD", "RUB"), ("UZS", "RUB")}
    for wrong in (b"-1.0930", b"NaN", b"Infinity", b"1e999", b"1_000", b"", b"1.0930 USD", b"0"):
        assert ("EUR", "USD") not in ecb_rates(ECB.replace(b"1.0930", wrong))
    assert set(ecb_rates(ECB.replace(b"'USD'", b"'US&#36;'"))) == {("EUR", "JPY"), ("EUR", "GBP")}


@pytest.mark.parametrize("name", ADAPTERS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]x",
        b"{}",
        b"[1]",
        b'{"price": 5}',
        b'{"price": "free"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"<html><body>Service unavailable</body></html>",
        b"<ValCurs></ValCurs>",
        b"<a>" * 100_000,
        b"\xff\xfe\x00",
        b"<?xml version='1.0' encoding='no-such-encoding'?><ValCurs/>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]><ValCurs>&b;</ValCurs>",
    ],
)
def test_other_answers_are_refused(name: str, body: bytes) -> None:
    read, _ = ADAPTERS[name]
    with pytest.raises(BadResponse):
        read(body)


@pytest.mark.parametrize("name", ["cbr", "ecb"])
def test_xml_can_neither_swell_nor_reach_out(name: str) -> None:
    read, good = ADAPTERS[name]
    head, _, rest = good.partition(b"?>")
    laughs = b"<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '" + b"&a;" * 50 + b"'><!ENTITY c '" + b"&b;" * 50 + b"'>]>"
    outside = b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'>"
    for evil in (laughs, outside):
        with pytest.raises(BadResponse):
            read(head + b"?>" + evil + rest)


@given(st.sampled_from(sorted(ADAPTERS)), st.data())
def test_damaged_answers_give_positive_numbers_or_none(name: str, data: st.DataObject) -> None:
    read, good = ADAPTERS[name]
    raw = bytearray(good[: data.draw(st.integers(0, len(good)))])
    for _ in range(data.draw(st.integers(0, 5)) if raw else 0):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = read(bytes(raw))
    except BadResponse:
        return
    for number in found.values() if isinstance(found, dict) else [found]:
        assert isinstance(number, float)
        assert 0 < number < float("inf")
