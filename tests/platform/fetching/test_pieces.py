"""What a server sends is parsed in small pieces, and what has no end is cut off after a fixed amount."""

from __future__ import annotations

import pytest

from foreknow.platform.fetching.pieces import (
    CHUNKS_MAX,
    HEAD_BYTES_MAX,
    INTERIM_MAX,
    PIECE_BYTES,
    PIECE_CHUNKS,
    Endless,
    ResponsePieces,
)
from tests.support.evil import BODIES, FAST, Script

#: What comes at a time: bytes, parts of lines, and all that the system holds.
STEPS_BYTES = [1, 100, 64 * 1024]
#: After so much at the latest, anything in `FAST` is cut off.
TAKEN_BYTES_MAX = HEAD_BYTES_MAX + 100


def pieces_of(data: bytes, *, step_bytes: int) -> list[bytes]:
    pieces, found = ResponsePieces(), []
    for at in range(0, len(data), step_bytes):
        pieces.feed(data[at : at + step_bytes])
        while (piece := pieces.take()) is not None:
            found.append(piece)
    return [*found, pieces.rest()]


HEAD = b"HTTP/1.1 200 OK\r\nServer: a\r\n\r\n"
CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\nTRANSFER-encoding: chunked\r\n\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
RESPONSES = {
    "plain": HEAD + b"body\n\nbody",
    "empty": b"HTTP/1.1 204 No Content\r\n\r\n",
    "bare line ends": b"HTTP/1.1 200 OK\nServer: a\n\nbody",
    "interim": EARLY * INTERIM_MAX + HEAD + b"body",
    "large": HEAD + b"a" * 100_000,
    "chunked": CHUNKED_HEAD + b"4\r\nbody\r\nA;name=value\r\n\r\n3\r\n\r\n\r\n1\r\n0\r\n\r\n",
    "trailers": CHUNKED_HEAD + b"1 \r\na\r\n00\r\nDigest: b\r\n\r\n",
    "large chunks": CHUNKED_HEAD + (b"10000\r\n" + b"a" * 65_536 + b"\r\n") * 3 + b"0\r\n\r\n",
    "as small as allowed": CHUNKED_HEAD + b"1\r\na\r\n" * CHUNKS_MAX + b"0\r\n\r\n",
    "more than was announced": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + HEAD,
    "no head": b"what is no HTTP",
}


@pytest.mark.parametrize("step_bytes", STEPS_BYTES)
@pytest.mark.parametrize("name", RESPONSES)
def test_nothing_of_a_response_is_lost(name: str, step_bytes: int) -> None:
    pieces = pieces_of(RESPONSES[name], step_bytes=step_bytes)
    assert b"".join(pieces) == RESPONSES[name]
    assert max(map(len, pieces)) <= PIECE_BYTES


def test_heads_come_one_at_a_time() -> None:
    assert pieces_of(EARLY + EARLY + HEAD + b"body", step_bytes=1_000) == [EARLY, EARLY, HEAD, b"body", b""]


def test_few_chunks_are_parsed_at_a_time() -> None:
    pieces = pieces_of(RESPONSES["as small as allowed"], step_bytes=64 * 1024)
    assert max(piece.count(b"a\r\n") for piece in pieces) == PIECE_CHUNKS


@pytest.mark.parametrize("step_bytes", STEPS_BYTES)
@pytest.mark.parametrize("name", FAST)
def test_what_has_no_end_is_cut_off(name: str, step_bytes: int) -> None:
    script, reason = FAST[name]
    endless = script.first + script.again * (TAKEN_BYTES_MAX // len(script.again))
    with pytest.raises(Endless, match=reason):
        pieces_of(endless, step_bytes=step_bytes)


@pytest.mark.parametrize("script", BODIES.values(), ids=list(BODIES))
def test_a_body_goes_on_in_pieces_for_the_caller_to_count(script: Script) -> None:
    pieces = pieces_of(script.first + script.again * (10 * PIECE_BYTES // len(script.again)), step_bytes=64 * 1024)
    assert len(pieces) > 10
    assert max(map(len, pieces)) <= PIECE_BYTES
