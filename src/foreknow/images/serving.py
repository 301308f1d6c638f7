"""GET and HEAD /images/{object}: stored images on their way to browsers, as an ASGI application."""

from __future__ import annotations

import structlog
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from foreknow.images.headers import Kind
from foreknow.images.objects import STORAGE_FAILURES, ImageStore, said_by
from foreknow.images.uploads import OBJECT_NAME, PATH
from foreknow.kernel.errors import DomainError, InternalError, MethodNotAllowed, NotFound
from foreknow.web.responses import error_response

log = structlog.get_logger("foreknow.images")

_SAFE_HEADERS = {
    # A name is never given to another image.
    "cache-control": "public, max-age=31536000, immutable",
    # Pixels and nothing else, whatever else an upload may have held.
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    # Any page may show an event's image.
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
}


class StoredImages:
    """The images of a store; `serves` tells which paths are its own."""

    def __init__(self, images: ImageStore) -> None:
        """Serve from `images`."""
        self._images = images

    def serves(self, path: str) -> bool:
        """Tell whether a decoded path lies where images are."""
        return path.startswith(PATH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            response = await self._response(scope)
        except DomainError as error:
            answer = error_response(error, allow="GET, HEAD")
            headers = {name.decode(): value.decode() for name, value in answer.headers}
            response = Response(b"" if scope["method"] == "HEAD" else answer.body, answer.status, headers)
        await response(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        name = scope["path"].removeprefix(PATH)
        match = OBJECT_NAME.fullmatch(name)
        if match is None:
            raise NotFound
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed
        headers = {**_SAFE_HEADERS, "etag": f'"{name}"', "content-type": Kind(match[1]).media_type}
        known = headers["etag"] in Headers(scope=scope).get("if-none-match", "").split(", ")
        try:
            if known or scope["method"] == "HEAD":
                size = await self._images.size(name)
                if size is None:
                    raise NotFound
                if known:
                    return Response(None, 304, headers)
                return Response(None, 200, headers | {"content-length": str(size)})
            found = await self._images.find(name)
        except STORAGE_FAILURES as failure:
            log.exception("image unreadable", object=name, reason=said_by(failure))
            raise InternalError from failure
        if found is None:
            raise NotFound
        return StreamingResponse(found.chunks, 200, headers | {"content-length": str(found.size)})
