"""The cookie that knows a browser again: ours alone, for one account, for a year."""

from __future__ import annotations

import pytest

from foreknow.people.users.devices import DEVICE_COOKIE, DEVICE_MS, DeviceCookies
from foreknow.web.responses import cookie_header

NOW_MS = 1_800_000_000_000
DEVICES = DeviceCookies(b"k" * 32, secure=True)


def found(value: str, *, user_id: int | None = 7, now_ms: int = NOW_MS, devices: DeviceCookies = DEVICES) -> str | None:
    return devices.find({DEVICE_COOKIE: ["x", value]}, user_id=user_id, now_ms=now_ms)


def test_a_browser_is_known_for_a_year_after_it_signed_in() -> None:
    value = DEVICES.cookie(7, now_ms=NOW_MS).value

    number = found(value)
    assert number is not None
    assert found(value, now_ms=NOW_MS + DEVICE_MS - 1) == number
    assert found(value, now_ms=NOW_MS + DEVICE_MS) is None
    assert found(DEVICES.cookie(7, now_ms=NOW_MS).value) not in {number, None}


def test_it_is_good_for_one_account_on_servers_with_one_key() -> None:
    value = DEVICES.cookie(7, now_ms=NOW_MS).value

    assert found(value, user_id=8) is None
    assert found(value, user_id=None) is None
    assert found(value, devices=DeviceCookies(b"x" * 32, secure=True)) is None
    assert found(value, devices=DeviceCookies(b"k" * 32, secure=False)) is not None
    assert DEVICES.find({}, user_id=7, now_ms=NOW_MS) is None


@pytest.mark.parametrize("place", [0, 1, 2])
def test_nothing_of_it_can_be_changed(place: int) -> None:
    parts = DEVICES.cookie(7, now_ms=NOW_MS).value.split(".")
    parts[place] = "1" + parts[place][1:] if parts[place][0] != "1" else "2" + parts[place][1:]

    assert found(".".join(parts)) is None


@pytest.mark.parametrize("value", ["", ".", "..", "...", "1800000000", "1800000000.x.", "é.é.é", "x" * 10_000])
def test_any_other_text_is_no_device(value: str) -> None:
    assert found(value) is None


def test_the_cookie_says_nothing_of_the_account_and_no_script_reads_it() -> None:
    cookie = DEVICES.cookie(123456789, now_ms=NOW_MS)

    assert "123456789" not in cookie.value
    header = cookie_header(cookie)[1].decode()
    assert header.endswith("; Max-Age=31536000; Path=/; SameSite=Lax; HttpOnly; Secure")
