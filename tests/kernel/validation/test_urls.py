"""What the API's document says of URLs, and what the service takes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.urls import URL_LENGTH_MAX, URL_SCHEMA, optional_url
from tests.support.proofs import proves

PATTERN = str(URL_SCHEMA["pattern"])


@given(st.from_regex(PATTERN.removesuffix("$") + r"\Z").filter(lambda url: len(url) <= URL_LENGTH_MAX))
def test_every_url_that_the_document_allows_is_taken(url: str) -> None:
    assert optional_url("avatar_url", url) == url


@proves("decisions: URLs sent are absolute http(s), at most 2,048 characters")
@pytest.mark.parametrize(
    "url",
    [
        "http://a",
        "HTTPS://x.org/a?b#c",
        "https://x_y.org:18733/a",
        "https://u:p@x.org/",
        "https://[::1]/a",
        "http://a:65535",
    ],
)
def test_the_document_allows_what_the_service_takes(url: str) -> None:
    assert re.search(PATTERN, url)
    assert optional_url("avatar_url", url) == url


@pytest.mark.parametrize(
    "url", ["x.org", "//x.org/a", "ftp://x.org", "https://", "https://x.org:port/", "https://a b/"]
)
def test_what_is_no_absolute_url_is_refused(url: str) -> None:
    with pytest.raises(BadRequest):
        optional_url("avatar_url", url)
