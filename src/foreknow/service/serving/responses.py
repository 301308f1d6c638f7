"""Responses that are sent before a request reaches the pipeline."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from foreknow.kernel.errors import DomainError
from foreknow.web.responses import error_response


def last_response(error: DomainError) -> bytes:
    """Return the bytes of an error's response, the last one of its connection."""
    response = error_response(error)
    headers = (*response.headers, (b"content-length", b"%d" % len(response.body)), (b"connection", b"close"))
    head = b"".join(b"%b: %b\r\n" % header for header in headers)
    return STATUS_LINE[response.status] + head + b"\r\n" + response.body
