"""Whose request it is: X-Forwarded-For counts only where a proxy of ours wrote it."""

from __future__ import annotations

import pytest

from foreknow.kernel.networks import parse_networks
from foreknow.web.client_ip import UNKNOWN, ClientAddresses, is_loopback, rate_limit_key

OURS = "10.0.0.0/8, 192.0.2.1 2001:db8:1::/48"


def client(peer: str | None, *lines: str, trusted: str = OURS) -> str:
    headers = [(b"host", b"example.org"), *((b"x-forwarded-for", line.encode("latin-1")) for line in lines)]
    scope = {"client": (peer, 1234) if peer is not None else None, "headers": headers}
    return ClientAddresses(parse_networks(trusted)).client(scope)


def test_no_proxy_is_trusted_by_default() -> None:
    assert client("10.0.0.1", "203.0.113.9", trusted="") == "10.0.0.1"


def test_a_stranger_cannot_say_who_they_are() -> None:
    assert client("198.51.100.1", "203.0.113.9") == "198.51.100.1"


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ((), "10.0.0.1"),
        (("203.0.113.9",), "203.0.113.9"),
        # What stands left of the first stranger was written by that stranger.
        (("1.1.1.1, 203.0.113.9",), "203.0.113.9"),
        (("1.1.1.1, 203.0.113.9, 10.2.3.4",), "203.0.113.9"),
        (("203.0.113.9", "192.0.2.1, 10.2.3.4"), "203.0.113.9"),
        (("10.9.9.9, 10.2.3.4",), "10.9.9.9"),
        (("203.0.113.9:4711",), "203.0.113.9"),
        (("[2001:db8:2::7]:4711",), "2001:db8:2::7"),
        (("::ffff:203.0.113.9",), "203.0.113.9"),
        # No address: the proxy that wrote it is all we know.
        (("203.0.113.9, unknown",), "10.0.0.1"),
        (("203.0.113.9, nonsense, 10.2.3.4",), "10.2.3.4"),
        (("",), "10.0.0.1"),
        (("203.0.113.9,",), "10.0.0.1"),
        (("1.1.1.1, " * 10_000 + "203.0.113.9",), "203.0.113.9"),
    ],
)
def test_the_list_is_walked_from_the_right(lines: tuple[str, ...], address: str) -> None:
    assert client("10.0.0.1", *lines) == address


def test_a_peer_without_an_address_is_unknown() -> None:
    assert client(None) == UNKNOWN
    assert client(None, "203.0.113.9") == UNKNOWN


def test_an_ipv6_network_is_one() -> None:
    assert (
        rate_limit_key("2001:db8:1:2:aaaa::1") == rate_limit_key("2001:db8:1:2::") != rate_limit_key("2001:db8:1:3::")
    )
    assert rate_limit_key("::ffff:203.0.113.9") == rate_limit_key("203.0.113.9") == "203.0.113.9"
    assert rate_limit_key("::nonsense::") == "::nonsense::"


@pytest.mark.parametrize(
    ("address", "own"),
    [("127.0.0.1", True), ("::1", True), ("::ffff:127.0.0.1", True), ("10.0.0.1", False), ("x", False)],
)
def test_loopback_is_recognised(address: str, own: bool) -> None:
    assert is_loopback(address) is own
