"""The site's own files, as an ASGI application: logo, icon, and the stylesheet of its colours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from foreknow.kernel.errors import MethodNotAllowed, NotFound
from foreknow.site.looks.parts import LogoFile, Looks, stylesheet
from foreknow.web.responses import NOSNIFF, error_response

#: Without the ending, which is the picture's own.
LOGO_PATH = "/site/logo."
ICON_PATH = "/site/icon.png"
STYLE_PATH = "/site/theme.css"
_LOGO_KINDS = {"svg": b"image/svg+xml", "png": b"image/png", "webp": b"image/webp"}
_PATHS = {ICON_PATH, STYLE_PATH, *(LOGO_PATH + ending for ending in _LOGO_KINDS)}
#: A picture that runs nothing and loads nothing, opened by itself, too.
_POLICY = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox")


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file with its media type, and the address that changes with its content."""

    content: bytes
    kind: bytes
    address: str


def logo_file(logo: LogoFile) -> SiteFile:
    """Return the file of a logo."""
    return _file(LOGO_PATH + logo.ending, logo.content, _LOGO_KINDS[logo.ending])


def icon_file(icon: bytes) -> SiteFile:
    """Return the file of an icon."""
    return _file(ICON_PATH, icon, b"image/png")


def style_address(looks: Looks) -> str:
    """Return the address of the stylesheet; "" where there is none."""
    return "" if looks.theme is None else _style_file(looks).address


def _style_file(looks: Looks) -> SiteFile:
    assert looks.theme is not None
    return _file(STYLE_PATH, stylesheet(looks.theme), b"text/css; charset=utf-8")


def _file(path: str, content: bytes, kind: bytes) -> SiteFile:
    return SiteFile(content, kind, f"{path}?v={sha256(content).hexdigest()[:16]}")


def _files(looks: Looks) -> dict[str, SiteFile]:
    """Return the files by path."""
    files: dict[str, SiteFile] = {}
    if looks.logo is not None:
        # Pages that were open before the logo changed ask for its former path.
        files |= dict.fromkeys((LOGO_PATH + ending for ending in _LOGO_KINDS), logo_file(looks.logo))
    if looks.icon is not None:
        files[ICON_PATH] = icon_file(looks.icon)
    if looks.theme is not None:
        files[STYLE_PATH] = _style_file(looks)
    return files


class SiteFiles:
    """The files of a site; `serves` returns whether a path may be one of them."""

    def __init__(self, looks: Looks, *, look_again: Callable[[], Awaitable[Looks]]) -> None:
        """Serve what `looks` has. `look_again` returns what they are by now, for an address that these do not have."""
        self._files = _files(looks)
        self._look_again = look_again

    def serves(self, path: str) -> bool:
        """Return whether a path belongs to a file."""
        return path in _PATHS

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        path, query = scope["path"], scope["query_string"].decode("latin-1")
        files = self._files
        if query and not _is_at(files, path, query):
            # Another server may have named it, which has seen a change before this one.
            files = _files(await self._look_again())
        status, headers, content = _response(files, path, query, scope["method"])
        length = (b"content-length", b"%d" % len(content))
        await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})


def _is_at(files: dict[str, SiteFile], path: str, query: str) -> bool:
    return path in files and files[path].address == f"{path}?{query}"


def _response(
    files: dict[str, SiteFile], path: str, query: str, method: str
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    if path not in files or method not in {"GET", "HEAD"}:
        refused = error_response(MethodNotAllowed() if path in files else NotFound(), allow="GET, HEAD")
        return refused.status, list(refused.headers), refused.body
    # Only the address that GET /site names changes with the content.
    age = b"public, max-age=31536000, immutable" if _is_at(files, path, query) else b"no-cache"
    headers = [(b"content-type", files[path].kind), NOSNIFF, _POLICY, (b"cache-control", age)]
    return 200, headers, files[path].content
