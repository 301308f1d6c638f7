"""What a request accepts is read as it says."""

from __future__ import annotations

import pytest

from foreknow.site.client.negotiation import accepts_html, choose_coding

BOTH = ("br", "gzip")


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("br;q=0.5, gzip;q=0.8", "gzip"),
        ("br ; q=1.0 , gzip;q=1", "br"),
        ("*", "br"),
        ("*;q=0.5, br;q=0", "gzip"),
        ("br;q=0, gzip;q=0.000", "identity"),
        ("*;q=0", "identity"),
        ("identity", "identity"),
        ("deflate", "identity"),
        ("", "identity"),
        (",;,", "identity"),
        ("br;q=nan, gzip;q=inf", "identity"),
        ("br;q=-1, gzip;q=2", "identity"),
        ("br;q=one, gzip", "gzip"),
    ],
)
def test_a_body_comes_in_the_coding_that_the_request_likes_best(header: str, chosen: str) -> None:
    assert choose_coding(header, BOTH) == chosen


def test_a_coding_that_was_not_made_is_not_chosen() -> None:
    assert choose_coding("br, gzip;q=0.5", {"identity", "gzip"}) == "gzip"
    assert choose_coding("br, gzip", {"identity"}) == "identity"


CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    ("header", "named", "shared"),
    [
        (CHROMIUM, True, True),
        ("Text/HTML", True, True),
        ("text/html;charset=utf-8;q=0.1", True, True),
        ("text/html;q=0, */*", False, False),
        ("*/*", False, True),
        ("text/*", False, True),
        ("text/*;q=0, */*", False, False),
        ("", False, True),
        ("application/json", False, False),
        ("image/avif,image/webp,image/*", False, False),
    ],
)
def test_a_page_is_for_who_names_it_and_at_shared_addresses_for_who_takes_anything(
    header: str, named: bool, shared: bool
) -> None:
    assert accepts_html(header, wildcards=False) == named
    assert accepts_html(header, wildcards=True) == shared
