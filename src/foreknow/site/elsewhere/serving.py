"""GET and HEAD /feeds/new.atom and /embed/events/{event_id}, as ASGI applications."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import msgspec

from foreknow.kernel.errors import BadRequest, DomainError, MethodNotAllowed, NotFound, RateLimited
from foreknow.kernel.site_theme import SiteTheme
from foreknow.kernel.validation.fields import positive_int
from foreknow.market.events.errors import EventNotFound
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.elsewhere import feed
from foreknow.site.elsewhere.card_page import CardPages, EmbedTheme
from foreknow.site.elsewhere.embeds import EmbedCard, card_of
from foreknow.site.elsewhere.feed import FeedEntry, FeedIds, atom, newest_entries
from foreknow.site.previews.texts import WORDS, PreviewLanguage
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.context import RouteContext
from foreknow.web.decoding import parse_query
from foreknow.web.endpoint import READS
from foreknow.web.ingress import Ingress
from foreknow.web.responses import NOSNIFF, Response, error_response
from foreknow.web.site import Site

EMBED_PATH = "/embed/events/"
_EMBEDS = "/embed"
_FEEDS = "/feeds"
#: Longest text that is part of a cached answer's key: strangers choose it.
CACHED_TAG_MAX = 300
_LANGUAGES: dict[str, PreviewLanguage] = {language: language for language in WORDS}
_THEMES: dict[str, EmbedTheme | None] = {"": None, "light": "light", "dark": "dark"}
_FEED_HEADERS = (
    (b"content-type", b"application/atom+xml; charset=utf-8"),
    (b"cache-control", b"public, max-age=60"),
    (b"access-control-allow-origin", b"*"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    NOSNIFF,
)
_EMBED_HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"public, max-age=4"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-robots-tag", b"noindex"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    NOSNIFF,
)


class _SharedPage:
    """A page that is the same for all: counted as a read of its address, with an ETag."""

    def __init__(self, context: RouteContext, ingress: Ingress, *, first_language: PreviewLanguage) -> None:
        """Read through `context`; count by the limits of `ingress`. `first_language`: where none is wanted."""
        self._context = context
        self._first_language = first_language
        self._ingress = ingress

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        try:
            if scope["method"] not in {"GET", "HEAD"}:
                raise MethodNotAllowed
            wait_s, _ = self._ingress.limits.take(READS, None, rate_limit_key(self._ingress.addresses.client(scope)))
            if wait_s:
                raise RateLimited(retry_after_s=wait_s)
            response = _revalidated(await self._response(scope), scope)
        except DomainError as error:
            response = error_response(error, allow="GET, HEAD")
        headers = list(response.headers)
        if response.status != 304:
            headers.append((b"content-length", b"%d" % len(response.body)))
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})

    async def _response(self, scope: Any) -> Response:
        raise NotImplementedError

    def _language(self, text: str | None) -> PreviewLanguage:
        """Return the language that the query wants, the site's first by default; `BadRequest`."""
        language = _LANGUAGES.get(self._first_language if text is None else text)
        if language is None:
            raise BadRequest("lang is en or ru.")
        return language


class FeedPage(_SharedPage):
    """The feed of new events."""

    def __init__(
        self,
        context: RouteContext,
        ingress: Ingress,
        ids: FeedIds,
        *,
        origin: str,
        site: Site,
        first_language: PreviewLanguage,
    ) -> None:
        """Every link of it begins with `origin`."""
        super().__init__(context, ingress, first_language=first_language)
        self._ids = ids
        self._origin = origin
        self._site = site

    def serves(self, path: str) -> bool:
        """Return whether a decoded path lies where the feed is."""
        return path == _FEEDS or path.startswith(f"{_FEEDS}/")

    async def _response(self, scope: Any) -> Response:
        if scope["path"] != feed.PATH:
            raise NotFound
        query = parse_query(scope["query_string"], frozenset({"tag", "lang"}))
        tag, language = query.get("tag"), self._language(query.get("lang"))
        at_ms = self._context.clock()

        def read(tx: ReadTx) -> Any:
            return newest_entries(tx, tag=tag, language=language, now_ms=at_ms)

        if tag is not None and len(tag) > CACHED_TAG_MAX:
            # No event has it.
            entries: list[FeedEntry] = []
        else:
            found = await self._context.responses.get(("feed", tag, language), read, is_brief=False)
            entries = msgspec.json.decode(found.body, type=list[FeedEntry])
        content = atom(
            entries,
            self._ids,
            origin=self._origin,
            site_name=self._site.name,
            query=urlencode(query),
            language=language,
            icon=self._site.icon,
            logo=self._site.logo,
        )
        return Response(content, 200, _FEED_HEADERS)


class EmbedPages(_SharedPage):
    """Cards of events, for pages elsewhere."""

    def __init__(
        self,
        context: RouteContext,
        ingress: Ingress,
        *,
        site_name: str,
        theme: SiteTheme | None,
        first_language: PreviewLanguage,
    ) -> None:
        """Show the site's name and colours."""
        super().__init__(context, ingress, first_language=first_language)
        self._pages = CardPages(site_name, theme)

    def serves(self, path: str) -> bool:
        """Return whether a decoded path lies where the cards are."""
        return path == _EMBEDS or path.startswith(f"{_EMBEDS}/")

    async def _response(self, scope: Any) -> Response:
        path: str = scope["path"]
        if not path.startswith(EMBED_PATH):
            raise NotFound
        query = parse_query(scope["query_string"], frozenset({"theme", "lang"}))
        language, theme = self._language(query.get("lang")), query.get("theme", "")
        if theme not in _THEMES:
            raise BadRequest("theme is light or dark.")
        card = await self._card(path.removeprefix(EMBED_PATH), language)
        page = self._pages.page(card, language=language, theme=_THEMES[theme])
        headers = (*_EMBED_HEADERS, (b"content-security-policy", self._pages.policy.encode()))
        return Response(page, 404 if card is None else 200, headers)

    async def _card(self, text: str, language: PreviewLanguage) -> EmbedCard | None:
        event_id = positive_int(text)
        if event_id is None:
            return None
        at_ms = self._context.clock()

        def read(tx: ReadTx) -> Any:
            return card_of(tx, event_id, language, now_ms=at_ms)

        try:
            found = await self._context.responses.get(("embed", event_id, language), read)
        except EventNotFound:
            return None
        return msgspec.json.decode(found.body, type=EmbedCard)


def _revalidated(response: Response, scope: Any) -> Response:
    """Return a response with an ETag, or a 304 where the client has it already."""
    if response.status != 200:
        return response
    etag = f'"{sha256(response.body).hexdigest()[:32]}"'.encode()
    headers = (*response.headers, (b"etag", etag))
    known = b", ".join(value for header, value in scope["headers"] if header == b"if-none-match")
    return Response(b"", 304, headers) if etag in known or known == b"*" else Response(response.body, 200, headers)
