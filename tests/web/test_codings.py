"""What Accept-Encoding headers allow, and gzip streams made of pieces."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.web.codings import ACCEPT_ENCODING_BYTES_MAX, accepts_gzip, deflated, gzip_of, stored


@pytest.mark.parametrize(
    "header",
    [
        b"gzip",
        b"GZip",
        b"x-gzip",
        b"gzip, deflate, br, zstd",
        b"br;q=1.0, gzip;q=0.8, *;q=0.1",
        b"gzip;q=0.001",
        b"gzip ;\tQ=1.000",
        b"*",
        b"br, *;q=0.5",
        b"identity;q=0, gzip",
        b" , gzip,",
    ],
)
def test_gzip_is_allowed(header: bytes) -> None:
    assert accepts_gzip(header)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"br, deflate",
        b"identity",
        b"gzip;q=0",
        b"gzip; q=0.000",
        b"GZIP;Q=0, *",
        b"*;q=0",
        b"gzip;q=banana",
        b"gzip;q=2",
        b"gzip;q=-1",
        b"gzip;q=0.0001",
        b"gzip;",
        b"gzip;q",
        b"gzip;level=9",
        b"gzip;q=1;q=0",
        b"gzip, gzip;q=0",
        b"gzip gzip",
        b"\xff\xfe",
        b"gzip, " + b"a" * ACCEPT_ENCODING_BYTES_MAX,
    ],
)
def test_gzip_is_not_allowed(header: bytes) -> None:
    assert not accepts_gzip(header)


@given(header=st.binary(max_size=300))
def test_any_header_is_answered(header: bytes) -> None:
    assert accepts_gzip(header) in {True, False}


@given(pieces=st.lists(st.tuples(st.binary(max_size=3_000), st.booleans()), max_size=8))
def test_pieces_compressed_apart_join_to_one_file(pieces: list[tuple[bytes, bool]]) -> None:
    whole = b"".join(content for content, _ in pieces)
    blocks = [deflated(content) if is_compressed else stored(content) for content, is_compressed in pieces]

    assert gzip.decompress(gzip_of(blocks, whole)) == whole
