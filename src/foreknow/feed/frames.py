"""WebSocket frames: the feed encodes each message once, as bytes that all sockets share."""

from __future__ import annotations

from struct import Struct

#: The first byte of a text message in one frame.
_TEXT = 0x81
_SHORT_MAX, _MEDIUM_MAX = 125, 2**16 - 1
_short_head, _medium_head, _long_head = Struct(">BB").pack, Struct(">BBH").pack, Struct(">BBQ").pack


def text_frame(payload: bytes) -> bytes:
    """Return a whole text message as a server sends it (RFC 6455, section 5.2): one frame, not masked."""
    length = len(payload)
    if length <= _SHORT_MAX:
        return _short_head(_TEXT, length) + payload
    if length <= _MEDIUM_MAX:
        return _medium_head(_TEXT, 126, length) + payload
    return _long_head(_TEXT, 127, length) + payload
