"""Responses that are sent before a request reaches the pipeline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from foreknow.kernel.errors import DomainError
from foreknow.web.cross_origin import CrossOrigin
from foreknow.web.responses import error_response

_HeaderList = Sequence[tuple[bytes, bytes]]
_ORIGIN = re.compile(rb"^(origin):[ \t]*([^\r\n]*[^\r\n \t])", re.IGNORECASE | re.MULTILINE)


def last_response(error: DomainError, cross_origin: CrossOrigin | None, request_headers: _HeaderList) -> bytes:
    """Return the bytes of an error's response, the last one of its connection."""
    response = error_response(error)
    extra = [] if cross_origin is None else cross_origin.headers_of_last(request_headers)
    headers = (*response.headers, *extra, (b"content-length", b"%d" % len(response.body)), (b"connection", b"close"))
    head = b"".join(b"%b: %b\r\n" % header for header in headers)
    return STATUS_LINE[response.status] + head + b"\r\n" + response.body


def origin_in(data: bytes) -> _HeaderList:
    """Return the Origin of a request that is refused unparsed, as its headers."""
    found = _ORIGIN.search(data)
    return () if found is None else [(b"origin", found[2])]
