"""Bytes as text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.text import base64url, from_base64url


@given(st.binary(max_size=40))
def test_bytes_are_read_as_they_were_written(raw: bytes) -> None:
    text = base64url(raw)
    assert from_base64url(text) == raw
    assert re.fullmatch("[A-Za-z0-9_-]*", text)


@pytest.mark.parametrize(
    "text",
    ["AB", "_w==", "_w=", "/w", "_w\n", " _w", "_.w", "A", "AAAAA", "Ж", "\ud800", "=", "===="],
)
def test_no_text_but_ours_is_read(text: str) -> None:
    assert base64url(b"\xff") == "_w"
    assert from_base64url(text) is None
