"""Hosts, with or without a port; origins."""

from __future__ import annotations

import pytest

from foreknow.kernel.hosts import is_host, parse_origin


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "localhost:8000",
        "example.org",
        "Example.ORG.:443",
        "xn--c1ad6a.example",
        "my_host-1:65535",
        "127.0.0.1:1",
        "[::1]",
        "[2001:DB8::1]:8080",
        "[::ffff:10.0.0.1]",
    ],
)
def test_a_host_may_have_a_port(text: str) -> None:
    assert is_host(text)
    assert parse_origin(f"https://{text}") == parse_origin(f"https://{text}/") == f"https://{text}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        ":80",
        "a:",
        "a:0",
        "a:65536",
        "a:٣",
        "a:80:80",
        "a..b",
        "-a.b",
        "a/b",
        "a?b",
        "a#b",
        "a\\b",
        "me@a",
        "a b",
        "a,b",
        "a%41",
        "a\n",
        "é.example",
        "::1",
        "[::1",
        "[]",
        "[:::]",
        "[127.0.0.1]",
        "x" * 64,
        "a." * 200 + "a",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_host(text)
    with pytest.raises(ValueError, match="form http"):
        parse_origin(f"https://{text}")


@pytest.mark.parametrize("text", ["", "example.org", "//example.org", "ftp://example.org", "https:example.org"])
def test_an_origin_begins_with_http(text: str) -> None:
    with pytest.raises(ValueError, match="form http"):
        parse_origin(text)
    assert parse_origin("HTTP://example.org") == "HTTP://example.org"
