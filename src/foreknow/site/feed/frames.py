"""WebSocket frames: the feed encodes each message once, as bytes that all sockets share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct

#: The first byte of a frame: text, continued text; with the bit of the last frame of a message.
_TEXT, _CONTINUED, _LAST = 0x01, 0x00, 0x80
#: Bytes of a frame of a long message, so that one is never held as a whole for a socket.
FRAME_BYTES_MAX = 16 * 1024
_SHORT_MAX, _MEDIUM_MAX = 125, 2**16 - 1
_short_head, _medium_head, _long_head = Struct(">BB").pack, Struct(">BBH").pack, Struct(">BBQ").pack


def text_frame(payload: bytes) -> bytes:
    """Return a whole text message as a server sends it (RFC 6455, section 5.2): one frame, not masked."""
    return _frame(_TEXT | _LAST, payload)


def text_frames(parts: Sequence[bytes]) -> list[bytes]:
    """Return a message, joined of `parts`, in one frame or, if it is long, in several (section 5.4)."""
    if sum(map(len, parts)) <= FRAME_BYTES_MAX:
        return [text_frame(b"".join(parts))]
    pieces = list(_pieces(parts))
    kinds = [_TEXT] + [_CONTINUED] * (len(pieces) - 1)
    kinds[-1] |= _LAST
    return [_frame(kind, piece) for kind, piece in zip(kinds, pieces, strict=True)]


def _pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join short parts and cut long ones."""
    piece = bytearray()
    for part in parts:
        piece += part
        while len(piece) >= FRAME_BYTES_MAX:
            yield bytes(piece[:FRAME_BYTES_MAX])
            del piece[:FRAME_BYTES_MAX]
    if piece:
        yield bytes(piece)


def _frame(kind: int, payload: bytes) -> bytes:
    length = len(payload)
    if length <= _SHORT_MAX:
        return _short_head(kind, length) + payload
    if length <= _MEDIUM_MAX:
        return _medium_head(kind, 126, length) + payload
    return _long_head(kind, 127, length) + payload
