"""GET and POST /unsubscribe/{token}, as an ASGI application: a page with one button, which works without scripts.

Opening the page changes nothing: mail programs and scanners open links by themselves. What they POST to stop mails
(RFC 8058) has any body and no session.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from foreknow.kernel.errors import DomainError, MethodNotAllowed, RateLimited
from foreknow.kernel.languages import SiteLanguage, preferred_language
from foreknow.kernel.site_theme import SiteTheme
from foreknow.people.mail.messages import PLAIN_ACCENT
from foreknow.people.mail.unsubscribing import PATH, UnsubscribeLinks
from foreknow.people.users.errors import InvalidToken, NoEmail
from foreknow.people.users.schemas import UserLanguage
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
  color: #fff; background: {light}; cursor: pointer; }}
a {{ color: {light}; }}
:focus-visible {{ outline: .1875rem solid #b46a00; outline-offset: .125rem; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e6ece8; background: #101815; }}
  button {{ color: #06201f; background: {dark}; }} a {{ color: {dark}; }} }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{rest}</main></body></html>
"""
_BUTTON = '<form method="post"><button type="submit">{button}</button></form>'
_LINK = '<p><a href="/settings">{link}</a></p>'


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsubscribeText:
    """A page of the link in mails of notices."""

    title: str
    text: str
    #: Of a form that sends nothing but itself; else `link`, to the settings, or neither.
    button: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsubscribeTexts:
    """The pages in one language."""

    asking: UnsubscribeText
    done: UnsubscribeText
    asking_invitations: UnsubscribeText
    done_invitations: UnsubscribeText
    invalid: UnsubscribeText


UNSUBSCRIBING: Mapping[UserLanguage, UnsubscribeTexts] = {
    "en": UnsubscribeTexts(
        asking=UnsubscribeText(
            title="No more mails of this kind?",
            text="{site} will no longer mail you such news. You still find them under your notifications.",
            button="Send me no more",
        ),
        done=UnsubscribeText(
            title="You get no more mails of this kind",
            text="You can change what {site} mails you at any time.",
            link="Settings",
        ),
        asking_invitations=UnsubscribeText(
            title="No more invitations?",
            text="{site} will never again mail an invitation to this address.",
            button="Invite me no more",
        ),
        done_invitations=UnsubscribeText(
            title="You get no more invitations",
            text="{site} mails no invitation to this address any more.",
        ),
        invalid=UnsubscribeText(
            title="This link does not work",
            text="It is not complete, or your account has another address now. Your settings have what you are mailed.",
            link="Settings",
        ),
    ),
    "ru": UnsubscribeTexts(
        asking=UnsubscribeText(
            title="Больше не присылать таких писем?",
            text="{site} больше не будет присылать вам такие новости. Они останутся в ваших уведомлениях.",
            button="Не присылать",
        ),
        done=UnsubscribeText(
            title="Таких писем больше не будет",
            text="Что {site} вам присылает, можно изменить в любое время.",
            link="Настройки",
        ),
        asking_invitations=UnsubscribeText(
            title="Больше не присылать приглашений?",
            text="{site} больше никогда не пришлёт приглашение на этот адрес.",
            button="Не присылать",
        ),
        done_invitations=UnsubscribeText(
            title="Приглашений больше не будет",
            text="{site} больше не присылает приглашений на этот адрес.",
        ),
        invalid=UnsubscribeText(
            title="Эта ссылка не работает",
            text="Она неполная, или у вашей учётной записи теперь другой адрес. Что вам присылают, видно в настройках.",
            link="Настройки",
        ),
    ),
}


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
        theme: SiteTheme | None,
        sends_mail: bool,
        spoken: Callable[[SiteLanguage | None], SiteLanguage],
    ) -> None:
        """Requests count as reads and writes of their address. `sends_mail`: the settings name a mail server.

        `spoken` returns a language as the site has it.
        """
        self._spoken = spoken
        self._sends_mail = sends_mail
        self._db = db
        self._links = links
        self._addresses = addresses
        self._limits = limits
        self._site_name = site_name
        self._accent = theme or PLAIN_ACCENT

    def serves(self, path: str) -> bool:
        """Return whether a decoded path is a token's."""
        return path.startswith(PATH)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        headers = dict(scope["headers"])
        is_browser = b"text/html" in headers.get(b"accept", b"")
        language = self._spoken(preferred_language(headers.get(b"accept-language", b"").decode("latin-1")))
        try:
            response = await self._response(scope, language, is_browser=is_browser)
        except DomainError as error:
            response = error_response(error, allow=_METHODS)
            if is_browser and error.status == 400:
                response = self._page(language, UNSUBSCRIBING[language].invalid, status=error.status)
        length = (b"content-length", b"%d" % len(response.body))
        await send({"type": "http.response.start", "status": response.status, "headers": [*response.headers, length]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})

    async def _response(self, scope: Any, language: SiteLanguage, *, is_browser: bool) -> Response:
        method, token = scope["method"], scope["path"].removeprefix(PATH)
        if method not in _METHODS.split(", "):
            raise MethodNotAllowed
        self._count(scope)
        try:
            return await self._page_of(method, token, language, is_browser=is_browser)
        except InvalidToken:
            # Links of mails that were sent once stay good.
            if not self._sends_mail:
                raise NoEmail from None
            raise

    async def _page_of(self, method: str, token: str, language: SiteLanguage, *, is_browser: bool) -> Response:
        """Answer in the language of the person, or of the browser where there is none."""
        if method != "POST":
            found = await self._db.lookup(lambda tx: self._links.find(tx, token))
            if found.person is None:
                return self._page(language, UNSUBSCRIBING[language].asking_invitations)
            language = self._spoken(found.person.language)
            return self._page(language, UNSUBSCRIBING[language].asking)
        found = await self._db.write_private(lambda tx: self._links.use(tx, token))
        if not is_browser:
            return json_response({})
        if found.person is None:
            return self._page(language, UNSUBSCRIBING[language].done_invitations)
        language = self._spoken(found.person.language)
        return self._page(language, UNSUBSCRIBING[language].done)

    def _count(self, scope: Any) -> None:
        group = WRITES if scope["method"] == "POST" else READS
        wait_s, _ = self._limits.take(group, None, rate_limit_key(self._addresses.client(scope)))
        if wait_s:
            raise RateLimited(retry_after_s=wait_s)

    def _page(self, language: SiteLanguage, text: UnsubscribeText, *, status: int = 200) -> Response:
        rest = _LINK.format(link=text.link) if text.link else ""
        if text.button:
            rest = _BUTTON.format(button=html.escape(text.button))
        page = _PAGE.format(
            language=language,
            site=html.escape(self._site_name),
            title=html.escape(text.title),
            text=html.escape(text.text.format(site=self._site_name)),
            rest=rest,
            light=self._accent.accent_light,
            dark=self._accent.accent_dark,
        )
        return Response(page.encode(), status, _HEADERS)
