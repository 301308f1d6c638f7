"""Upgrade headers: heard in a GET of a WebSocket's address, ignored elsewhere.

The parser skips the body of a request with such a header and stops behind its head, so that one to be served as an
ordinary request is parsed again without the header.
"""

from __future__ import annotations

from collections.abc import Iterable

import httptools

from foreknow.web.endpoint import PREFIX

#: All addresses of WebSockets begin so.
SOCKETS_PREFIX = (PREFIX + "/ws/").encode()


def is_for_socket(parser: httptools.HttpRequestParser, url: bytes) -> bool:
    """Whether the method and address are those of a WebSocket."""
    return url.startswith(SOCKETS_PREFIX) and bool(parser.get_method() == b"GET")


def is_upgrade(parser: httptools.HttpRequestParser) -> bool:
    """Whether the parser takes a request for an upgrade by its header; CONNECT is one without."""
    return bool(parser.should_upgrade() and parser.get_method() != b"CONNECT")


def head_without_upgrade(
    parser: httptools.HttpRequestParser, url: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> bytes:
    """Return the head that was parsed, but for that header."""
    line = b"%b %b HTTP/%b" % (parser.get_method(), url, parser.get_http_version().encode())
    lines = [b"%b: %b" % header for header in headers if header[0] != b"upgrade"]
    return b"\r\n".join([line, *lines, b"", b""])
