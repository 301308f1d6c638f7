"""GET and HEAD /images/cards/{event_id}.png, as an ASGI application."""

from __future__ import annotations

from typing import Any

from foreknow.kernel.errors import BadRequest, DomainError, MethodNotAllowed, NotFound
from foreknow.kernel.validation.fields import positive_int
from foreknow.site.previews.service import PreviewService
from foreknow.site.previews.texts import WORDS, PreviewLanguage
from foreknow.web.client_ip import ClientAddresses, rate_limit_key
from foreknow.web.decoding import parse_query
from foreknow.web.responses import NOSNIFF, Response, error_response

PATH = "/images/cards/"
_ENDING = ".png"
_HEADERS = (
    (b"content-type", b"image/png"),
    # Sites that show links keep pictures far longer anyway.
    (b"cache-control", b"public, max-age=300"),
    NOSNIFF,
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    # Any page may show an event's picture.
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"access-control-allow-origin", b"*"),
)
_LANGUAGES: dict[str, PreviewLanguage] = {language: language for language in WORDS}


class PreviewPages:
    """The pictures of events; `serves` tells which paths are its own."""

    def __init__(
        self, previews: PreviewService, addresses: ClientAddresses, *, first_language: PreviewLanguage
    ) -> None:
        """Serve what `previews` draws, in `first_language` where none is wanted."""
        self._first_language = first_language
        self._previews = previews
        self._addresses = addresses

    def serves(self, path: str) -> bool:
        """Tell whether a decoded path lies where the pictures are."""
        return path.startswith(PATH)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        try:
            response = await self._response(scope)
        except DomainError as error:
            response = error_response(error, allow="GET, HEAD")
        headers = list(response.headers)
        if response.status != 304:
            headers.append((b"content-length", b"%d" % len(response.body)))
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})

    async def _response(self, scope: Any) -> Response:
        name: str = scope["path"].removeprefix(PATH)
        event_id = positive_int(name.removesuffix(_ENDING)) if name.endswith(_ENDING) else None
        if event_id is None:
            raise NotFound
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed
        address = rate_limit_key(self._addresses.client(scope))
        picture = await self._previews.get(
            event_id, _language(scope["query_string"], self._first_language), address=address
        )
        etag = f'"{picture.tag}"'.encode()
        headers = (*_HEADERS, (b"etag", etag))
        known = b", ".join(value for header, value in scope["headers"] if header == b"if-none-match")
        if etag in known or known == b"*":
            return Response(b"", 304, headers)
        return Response(picture.content, 200, headers)


def _language(query: bytes, first: PreviewLanguage) -> PreviewLanguage:
    """Return the language that the query wants, `first` where it names none; `BadRequest`."""
    text = parse_query(query, frozenset({"lang"})).get("lang", first)
    language = _LANGUAGES.get(text)
    if language is None:
        raise BadRequest("lang is en or ru.")
    return language
