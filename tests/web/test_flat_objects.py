"""The short way of parsing a body and the strict one come to the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.errors import BadRequest
from foreknow.web.decoding import FLAT_BYTES_MAX, flat_object, parse_any, parse_json

#: Pieces of which most are part of JSON, and others nearly.
PIECES = [
    *(b"{", b"}", b"[", b"]", b":", b",", b'"', b"'", b" ", b"\n", b"\t", b"\x0b", b"\x00", b"\xc2\xa0", b"\\"),
    *(b'"a"', b'"b"', b'"a":1', b'"a":', b'"b":', b'"', b'"\\u0000"', b'"\\ud800"', b'"a:b"', b'"{"', b'"\x1f"'),
    *(b'"\x7f"', b'"\xff"', b'"\xed\xa0\x80"', b'"\xd0\xb6"', b'"\xe2\x82"', b"true", b"false", b"null", b"NaN"),
    *(b"1", b"-0", b"01", b"1.0", b"1e5", b"1e999", b"-", b"+1", b"9223372036854775807", b"9223372036854775808"),
    *(b"-9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"1" * 5000, b"\xef\xbb\xbf"),
]
VALUES = st.sampled_from(
    [b"1", b"-0", b"1.0", b"01", b"null", b"true", b'"x"', b'"\\n"', b'":"', b'"{"', b'"\xff"', b"[]", b"{}", b"NaN"]
    + [b"%d" % (base + offset) for base in (2**63, -(2**63), 2**64) for offset in (-1, 0, 1)]
)
KEYS = st.sampled_from([b'"a"', b'"b"', b'"c"', b'"a:"', b'"\\u0061"', b'""', b'"\xd0\xb6"', b'"\xff"', b"a", b"1"])
GAPS = st.sampled_from([b"", b"", b"", b" ", b"\r\n", b"\x00", b"\x0c"])
MEMBERS = st.tuples(GAPS, KEYS, GAPS, st.just(b":"), GAPS, VALUES, GAPS).map(b"".join)
OBJECTS = st.tuples(GAPS, st.lists(MEMBERS, max_size=4).map(lambda each: b"{" + b",".join(each) + b"}"), GAPS)
BODIES = st.one_of(
    OBJECTS.map(b"".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map(lambda pieces: b"{" + b"".join(pieces) + b"}"),
    st.binary(max_size=40),
)


def parsed(raw: bytes, parse: Any) -> tuple[str, Any]:
    """Return the tree, with the types of its values, or the error's text."""
    try:
        return "tree", repr(parse(raw))
    except BadRequest as error:
        return "error", error.text


@given(BODIES)
def test_both_ways_come_to_the_same(raw: bytes) -> None:
    assert parsed(raw, parse_json) == parsed(raw, parse_any)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":1}',
        b'{"a":9223372036854775808}',
        b'{"a":-9223372036854775809}',
        b'{"a":1.5}',
        b'{"a":"\\u0000"}',
        b'{"a":{}}',
        b'{"a":[]}',
        b"[" * FLAT_BYTES_MAX,
        b'{"a":"' + b"x" * FLAT_BYTES_MAX + b'"}',
    ],
)
def test_what_msgspec_would_let_through_is_left_to_the_strict_parser(raw: bytes) -> None:
    assert flat_object(raw) is None


def test_an_order_takes_the_short_way() -> None:
    raw = '{"market_id": 17, "token_type": "YES", "amount_kopecks": 1000, "note": "жук", "max": null, "x": true}'

    assert flat_object(raw.encode()) == parse_any(raw.encode())
