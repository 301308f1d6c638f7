"""Server-sent events, and ending such streams when the server stops."""

from __future__ import annotations

from typing import Any

import msgspec

from foreknow.web.responses import NOSNIFF

EVENT_STREAM_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    NOSNIFF,
    # Disables nginx's buffering, which would delay events.
    (b"x-accel-buffering", b"no"),
)
#: A comment, ignored by clients: keeps proxies from closing the stream, and detects closed connections.
HEART_BEAT = b": still here\n\n"

#: Key in the ASGI scope of a function that ends the stream. The server calls it when it stops, because it waits for
#: running responses (`foreknow.server`).
END = "foreknow.end"
#: Under this key of a request's scope our server leaves a function that cuts the connection, which ASGI cannot do.
ABORT = "foreknow.abort"

_encode = msgspec.json.Encoder().encode
#: U+0085, U+2028, U+2029: line breaks to many clients, though not to the standard, and not escaped by JSON.
_OTHER_BREAKS = {character.encode(): b"\\u%04x" % ord(character) for character in "\x85\u2028\u2029"}


def event(content: Any, *, event_id: int | None = None) -> bytes:
    """Encode one event with JSON data on one line. Clients send the last `event_id` when they reconnect."""
    head = b"" if event_id is None else b"id: %d\n" % event_id
    data = _encode(content)
    for raw, escaped in _OTHER_BREAKS.items():
        data = data.replace(raw, escaped)
    return head + b"data: " + data + b"\n\n"
