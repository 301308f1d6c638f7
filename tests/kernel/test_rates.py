"""Rates and networks as operators write them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from foreknow.kernel.rates import Rate, parse_rate
from foreknow.kernel.settings import Settings


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1000/s", Rate(1000, 2000)),
        ("600/m", Rate(10, 1200)),
        ("36/h", Rate(0.01, 72)),
        ("1000/s burst 5", Rate(1000, 5)),
        (" off ", None),
    ],
)
def test_a_rate_is_read(text: str, rate: Rate | None) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "1000", "0/s", "-1/s", "1.5/s", "10/d", "10/s burst 0", "on", "10/s burst"])
def test_anything_else_is_no_rate(text: str) -> None:
    with pytest.raises(ValueError, match="1000/s"):
        parse_rate(text)


def test_wrong_limits_keep_the_service_from_starting() -> None:
    with pytest.raises(ValidationError):
        Settings(limit_trading="fast")
    with pytest.raises(ValidationError):
        Settings(trusted_proxies="10.0.0.0/8, nonsense")
