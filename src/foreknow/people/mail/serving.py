"""GET and POST /unsubscribe/{token}, as an ASGI application: a page with one button, which works without scripts.

Opening the page changes nothing: mail programs and scanners open links by themselves. What they POST to stop mails
(RFC 8058) has any body and no session.
"""

from __future__ import annotations

import html
from typing import Any

from foreknow.kernel.errors import DomainError, MethodNotAllowed, RateLimited
from foreknow.kernel.languages import SiteLanguage, preferred_language
from foreknow.people.mail.texts import UNSUBSCRIBING, UnsubscribeText
from foreknow.people.mail.unsubscribing import PATH, UnsubscribeLinks
from foreknow.people.users.errors import InvalidToken, NoEmail
from foreknow.platform.db.engine import Database
from foreknow.web.client_ip import ClientAddresses, rate_limit_key
from foreknow.web.endpoint import READS, WRITES
from foreknow.web.rate_limits import Limits
from foreknow.web.responses import NOSNIFF, Response, error_response, json_response

_METHODS = "GET, HEAD, POST"
_HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-robots-tag", b"noindex"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    NOSNIFF,
)
_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title} · {site}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>
body {{ font: 1.0625rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem;
  color: #14211d; background: #f5f7f4; overflow-wrap: anywhere; }}
button {{ font: inherit; font-weight: 600; padding: .75rem 1.25rem; border: 0; border-radius: .5rem;
  color: #fff; background: #00606c; cursor: pointer; }}
a {{ color: #00606c; }}
:focus-visible {{ outline: .1875rem solid #b46a00; outline-offset: .125rem; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e6ece8; background: #101815; }}
  button {{ color: #06201f; background: #6cc7d3; }} a {{ color: #6cc7d3; }} }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{rest}</main></body></html>
"""
_BUTTON = '<form method="post"><button type="submit">{button}</button></form>'
_LINK = '<p><a href="/settings">{link}</a></p>'


class UnsubscribePages:
    """The pages; `serves` tells which paths are its own."""

    def __init__(
        self,
        db: Database,
        links: UnsubscribeLinks,
        addresses: ClientAddresses,
        limits: Limits,
        *,
        site_name: str,
        sends_mail: bool,
    ) -> None:
        """Requests count as reads and writes of their address. `sends_mail`: the settings name a mail server."""
        self._sends_mail = sends_mail
        self._db = db
        self._links = links
        self._addresses = addresses
        self._limits = limits
        self._site_name = site_name

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is a token's."""
        return path.startswith(PATH)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        headers = dict(scope["headers"])
        is_browser = b"text/html" in headers.get(b"accept", b"")
        try:
            response = await self._response(scope, is_browser=is_browser)
        except DomainError as error:
            response = error_response(error, allow=_METHODS)
            if is_browser and error.status == 400:
                language = preferred_language(headers.get(b"accept-language", b"").decode("latin-1")) or "en"
                response = self._page(language, UNSUBSCRIBING[language].invalid, status=error.status)
        length = (b"content-length", b"%d" % len(response.body))
        await send({"type": "http.response.start", "status": response.status, "headers": [*response.headers, length]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})

    async def _response(self, scope: Any, *, is_browser: bool) -> Response:
        method, token = scope["method"], scope["path"].removeprefix(PATH)
        if method not in _METHODS.split(", "):
            raise MethodNotAllowed
        self._count(scope)
        try:
            return await self._page_of(method, token, is_browser=is_browser)
        except InvalidToken:
            # Links of mails that were sent once stay good.
            if not self._sends_mail:
                raise NoEmail from None
            raise

    async def _page_of(self, method: str, token: str, *, is_browser: bool) -> Response:
        if method != "POST":
            found = await self._db.lookup(lambda tx: self._links.find(tx, token))
            language = found.person.language or "en"
            return self._page(language, UNSUBSCRIBING[language].asking)
        found = await self._db.write_private(lambda tx: self._links.use(tx, token))
        if not is_browser:
            return json_response({})
        language = found.person.language or "en"
        return self._page(language, UNSUBSCRIBING[language].done)

    def _count(self, scope: Any) -> None:
        group = WRITES if scope["method"] == "POST" else READS
        wait_s, _ = self._limits.take(group, None, rate_limit_key(self._addresses.client(scope)))
        if wait_s:
            raise RateLimited(retry_after_s=wait_s)

    def _page(self, language: SiteLanguage, text: UnsubscribeText, *, status: int = 200) -> Response:
        rest = _BUTTON.format(button=html.escape(text.button)) if text.button else _LINK.format(link=text.link)
        page = _PAGE.format(
            language=language,
            site=html.escape(self._site_name),
            title=html.escape(text.title),
            text=html.escape(text.text.format(site=self._site_name)),
            rest=rest,
        )
        return Response(page.encode(), status, _HEADERS)
