"""GET and HEAD /images/{object}: stored images and their sizes on their way to browsers, as an ASGI application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from foreknow.kernel.errors import BadRequest, DomainError, InternalError, MethodNotAllowed, NotFound, Unavailable
from foreknow.kernel.validation.fields import positive_int
from foreknow.market.images.headers import ImageFormat, NotAnImage
from foreknow.market.images.names import OBJECT_NAME, PATH, WIDTHS, size_name
from foreknow.market.images.objects import STORAGE_FAILURES, ImageStore, said_by
from foreknow.web.decoding import parse_query
from foreknow.web.responses import error_response

log = structlog.get_logger("foreknow.images")

#: A name is never given to another image.
_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
#: What stands in for a size that is being made may be kept for a minute.
_MEANWHILE = {"cache-control": "public, max-age=60"}
_SAFE_HEADERS = {
    # Pixels and nothing else, whatever else an upload may have held.
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    # Any page may show an event's image.
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
}

#: Makes the sizes of an image, and returns whether they are stored now.
MakeSizes = Callable[[str], Awaitable[bool]]


class StoredImages:
    """The images of a store; `serves` tells which paths are its own."""

    def __init__(self, images: ImageStore, make_sizes: MakeSizes) -> None:
        """Serve from `images`; `make_sizes` is called where an image has no sizes yet."""
        self._images = images
        self._make_sizes = make_sizes

    def serves(self, path: str) -> bool:
        """Tell whether a decoded path lies where images are."""
        return path.startswith(PATH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            response = await self._response(scope)
        except DomainError as error:
            refused = error_response(error, allow="GET, HEAD")
            headers = {name.decode(): value.decode() for name, value in refused.headers}
            response = Response(b"" if scope["method"] == "HEAD" else refused.body, refused.status, headers)
        await response(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        name = scope["path"].removeprefix(PATH)
        match = OBJECT_NAME.fullmatch(name)
        if match is None:
            raise NotFound
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed
        width = _width(scope["query_string"])
        try:
            response = None if width is None else await self._size(scope, name, width)
            if response is None:
                caching = _FOREVER if width is None else _MEANWHILE
                response = await self._object(scope, name, ImageFormat(match[1]), caching)
        except STORAGE_FAILURES as failure:
            log.exception("image unreadable", object=name, reason=said_by(failure))
            raise InternalError from failure
        if response is None:
            raise NotFound
        return response

    async def _size(self, scope: Scope, name: str, width: int) -> Response | None:
        """Answer with a size of an image; None where there is none yet, or no such image."""
        stored = size_name(name, width)
        response = await self._object(scope, stored, ImageFormat.WEBP, _FOREVER)
        if response is not None:
            return response
        try:
            made = await self._make_sizes(name)
        except (*STORAGE_FAILURES, Unavailable, NotAnImage) as failure:
            log.warning("image sizes not made", object=name, reason=said_by(failure))
            return None
        return await self._object(scope, stored, ImageFormat.WEBP, _FOREVER) if made else None

    async def _object(self, scope: Scope, name: str, kind: ImageFormat, caching: Mapping[str, str]) -> Response | None:
        """Answer with an object; None where there is none of this name."""
        headers = {**_SAFE_HEADERS, **caching, "etag": f'"{name}"', "content-type": kind.media_type}
        known = headers["etag"] in Headers(scope=scope).get("if-none-match", "").split(", ")
        if known or scope["method"] == "HEAD":
            size = await self._images.size(name)
            if size is None:
                return None
            return (
                Response(None, 304, headers) if known else Response(None, 200, headers | {"content-length": str(size)})
            )
        found = await self._images.find(name)
        if found is None:
            return None
        return StreamingResponse(found.chunks, 200, headers | {"content-length": str(found.size)})


def _width(query: bytes) -> int | None:
    """Return the width in pixels that the query wants, None for none; `BadRequest`."""
    text = parse_query(query, frozenset({"w"})).get("w")
    if text is None:
        return None
    width = positive_int(text)
    if width not in WIDTHS:
        raise BadRequest(f"w is one of {', '.join(map(str, WIDTHS))}.")
    return width
