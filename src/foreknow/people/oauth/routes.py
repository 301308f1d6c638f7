"""GET /auth/oauth/{provider} and its callback: two redirects, with a sign-in between them."""

from __future__ import annotations

import re
from urllib.parse import quote

from foreknow.kernel.access.cookies import Cookie
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import BadRequest, NotFound
from foreknow.people.oauth.errors import NoVerifiedEmail, ProviderUnavailable, SignInRefused, UnknownSignIn
from foreknow.people.oauth.flows import Flow, seconds_left
from foreknow.people.oauth.provider import AuthorizationResponse
from foreknow.people.oauth.service import OAuthService
from foreknow.people.users.admission import ADMISSION_ERRORS, Admission
from foreknow.people.users.cookies import sign_in_cookies
from foreknow.people.users.errors import EmailTaken, InvalidCredentials
from foreknow.people.users.routes import SIGN_IN
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.endpoint import Request, get
from foreknow.web.params import Param, defaulted, optional, parameters, path_text
from foreknow.web.responses import Response, redirect

#: The page of this site from which people begin again.
ERROR_PAGE = "/sign-in"


#: Longest invitation or version of terms: both travel in a cookie.
_ADMISSION_LENGTH_MAX = 128
HOME = "/"
LENGTH_MAX = 1024
_PATH_END = re.compile(r"[?#]")
#: Characters allowed unescaped in a URL, and % to keep existing escapes.
_UNESCAPED = "/?#[]@!$&'()*+,;=%:~-._"


def read_return_to(text: str) -> str:
    """Return a path of this site, in ASCII; `BadRequest` for a text that a browser may take for another site's URL.

    Browsers drop tabs and line breaks from URLs, read a backslash as a slash, and `//host` as another site. They
    resolve dot segments, too: of `/..//host` the page would find `//host` as its own path, which leads nowhere.
    """
    leaves_site = not text.startswith("/") or text.startswith("//")
    segments = _PATH_END.split(text, 1)[0].replace("%2e", ".").replace("%2E", ".").split("/")
    has_dots = "." in segments or ".." in segments
    if leaves_site or has_dots or "\\" in text or not all(char.isprintable() for char in text):
        raise BadRequest("return_to is a path of this site, such as /events/7.")
    path = quote(text, safe=_UNESCAPED)
    if len(path) > LENGTH_MAX:
        raise BadRequest(f"return_to has at most {LENGTH_MAX} characters, with others than ASCII percent-encoded.")
    return path


_RETURN_TO = Param(
    "return_to",
    read_return_to,
    {"type": "string", "maxLength": LENGTH_MAX, "pattern": r"^/([!-.0-[\]-~][!-[\]-~]*)?$"},
    "The path of this site to go to afterwards, percent-encoded.",
)


def _read_admission(text: str) -> str:
    if len(text) > _ADMISSION_LENGTH_MAX:
        raise BadRequest(f"invitation and terms have at most {_ADMISSION_LENGTH_MAX} characters each.")
    return text


def _admission(name: str, description: str) -> Param[str]:
    return Param(name, _read_admission, {"type": "string", "maxLength": _ADMISSION_LENGTH_MAX}, description)


def _text(name: str, description: str) -> Param[str]:
    return Param(name, str, {"type": "string"}, description)


@parameters
class ProviderPath:
    provider: str = path_text(
        str, {"type": "string", "minLength": 1, "examples": ["example"]}, "A sign-in provider of the settings."
    )


@parameters
class BeginQuery:
    return_to: str = defaulted(_RETURN_TO, HOME)
    invitation: str | None = optional(
        _admission("invitation", "For a new account: the last part of an invitation's link.")
    )
    terms: str | None = optional(_admission("terms", "For a new account: the version of the site's terms agreed to."))


@parameters
class CallbackQuery:
    state: str | None = optional(_text("state", "As it was sent to the provider."))
    code: str | None = optional(_text("code", "What the provider vouches with."))
    error: str | None = optional(_text("error", "Why the provider does not."))
    issuer: str | None = optional(_text("iss", "Which provider it is (RFC 9207)."))


class OAuthRoutes:
    """Sends browsers to providers and takes them back."""

    def __init__(self, service: OAuthService, clock: Clock, *, public_url: str, secure_cookies: bool) -> None:
        """Send browsers back to paths below `public_url`, with cookies Secure where they must not go in the clear."""
        self._service = service
        self._clock = clock
        self._public_url = public_url
        self._secure = secure_cookies

    @get(
        "/auth/oauth/{provider}",
        AuthLevel.NONE,
        response=None,
        status=303,
        errors=(NotFound, ProviderUnavailable),
        rate_limit_group=SIGN_IN,
        for_strangers=True,
    )
    async def start_oauth(self, request: Request[ProviderPath, BeginQuery, None]) -> Response:
        """Sign in through a provider.

        Open it in the browser: it leads to the provider, and from there to the callback.
        """
        query = request.query
        admission = Admission(query.invitation, query.terms)
        sent = await self._service.begin(request.path.provider, return_to=query.return_to, admission=admission)
        return redirect(sent.url, cookies=[self._flow_cookie(sent.flow)])

    @get(
        "/auth/oauth/{provider}/callback",
        AuthLevel.NONE,
        response=None,
        status=303,
        errors=(
            NotFound,
            BadRequest,
            UnknownSignIn,
            SignInRefused,
            NoVerifiedEmail,
            *ADMISSION_ERRORS,
            EmailTaken,
            InvalidCredentials,
            ProviderUnavailable,
        ),
        description="Sets the cookies `access_token` and `refresh_token` and leads to `return_to`. Works once, "
        "within ten minutes, in the browser that began. A new user gets an account; where an account has "
        "the e-mail address that the provider vouches for, it is linked, and if no one had vouched for that "
        "address here before, loses its password, sessions, API keys and reset link. On an error, a browser that "
        f"navigates here (`Sec-Fetch-Mode: navigate`) is led to `{ERROR_PAGE}?error=<code>` instead.",
        rate_limit_group=SIGN_IN,
        error_page=ERROR_PAGE,
        for_strangers=True,
    )
    async def finish_oauth(self, request: Request[ProviderPath, CallbackQuery, None]) -> Response:
        """Come back from a provider."""
        query = request.query
        returned = AuthorizationResponse(code=query.code, error=query.error, issuer=query.issuer)
        signed_in = await self._service.finish(
            request.path.provider,
            state=query.state or "",
            response=returned,
            cookies=request.cookies,
            user_agent=request.user_agent,
            network=rate_limit_key(request.client),
            language=request.language,
        )
        cookies = [
            *sign_in_cookies(signed_in.result, secure=self._secure),
            Cookie(signed_in.flow.cookie_name, "", 0, self._secure),
        ]
        return redirect(self._public_url + signed_in.flow.return_to, cookies=cookies)

    def _flow_cookie(self, flow: Flow) -> Cookie:
        return Cookie(flow.cookie_name, flow.cookie_value, seconds_left(flow, now_ms=self._clock()), self._secure)
