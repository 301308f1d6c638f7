"""Server-sent events, and answers without an end: how they end when the server does."""

from __future__ import annotations

from typing import Any

import msgspec

from foreknow.web.responses import NOSNIFF

EVENT_STREAM_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    NOSNIFF,
    # nginx would hold events back to fill its buffers.
    (b"x-accel-buffering", b"no"),
)
#: What a client may ignore; it keeps proxies from hanging up, and finds out who is gone.
HEART_BEAT = b": still here\n\n"

#: Under this key of its scope an endless answer leaves a function that ends it. The server calls it when it stops,
#: since it waits for answers under way (`foreknow.server`).
END = "foreknow.end"
#: Under this key of a request's scope our server leaves a function that cuts the connection, which ASGI cannot do.
ABORT = "foreknow.abort"

_encode = msgspec.json.Encoder().encode
#: Line breaks to many clients, though not to the standard, which JSON need not escape: U+0085, U+2028, U+2029.
_OTHER_BREAKS = {character.encode(): b"\\u%04x" % ord(character) for character in "\x85\u2028\u2029"}


def event(content: Any, *, event_id: int | None = None) -> bytes:
    """Write one event: JSON, which has no line break in it. After a drop, clients send the last `event_id` they saw."""
    head = b"" if event_id is None else b"id: %d\n" % event_id
    data = _encode(content)
    for raw, escaped in _OTHER_BREAKS.items():
        data = data.replace(raw, escaped)
    return head + b"data: " + data + b"\n\n"
