"""Percent escapes are decoded alike, however long the text is."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from foreknow.web.decoding import percent_decoded

PIECES = st.sampled_from(
    [
        b"%41",
        b"%0a",
        b"%0D",
        b"%3d",
        b"%25",
        b"%C3%a9",
        b"%2",
        b"%",
        b"%zz",
        b"=",
        b"=41",
        b"_",
        b" ",
        b"\t",
        b"\r\n",
        b"a",
    ]
)


@given(st.lists(PIECES))
def test_a_long_text_is_decoded_as_a_short_one(pieces: list[bytes]) -> None:
    raw = b"".join(pieces)

    assert percent_decoded(raw + b"x" * 1_000) == unquote_to_bytes(raw).decode() + "x" * 1_000
