"""The site's own files, as an ASGI application: logo, icon, and the stylesheet of its colours."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from foreknow.kernel.errors import MethodNotAllowed
from foreknow.site.looks.folder import Looks
from foreknow.site.looks.theme import stylesheet
from foreknow.web.responses import NOSNIFF, error_response

LOGO_PATH = "/site/logo.svg"
ICON_PATH = "/site/icon.png"
STYLE_PATH = "/site/theme.css"
#: A picture that runs nothing and loads nothing, opened by itself, too.
_POLICY = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox")


class SiteFiles:
    """The files that there are; `serves` returns whether a path is one of them."""

    def __init__(self, looks: Looks) -> None:
        """Serve what `looks` has."""
        style = None if looks.theme is None else stylesheet(looks.theme)
        self._files: dict[str, tuple[bytes, tuple[tuple[bytes, bytes], ...]]] = {
            path: (content, ((b"content-type", kind), NOSNIFF, _POLICY))
            for path, content, kind in (
                (LOGO_PATH, looks.logo, b"image/svg+xml"),
                (ICON_PATH, looks.icon, b"image/png"),
                (STYLE_PATH, style, b"text/css; charset=utf-8"),
            )
            if content is not None
        }
        self._queries = {path: f"v={sha256(content).hexdigest()[:16]}" for path, (content, _) in self._files.items()}

    def serves(self, path: str) -> bool:
        """Return whether a path belongs to a file."""
        return path in self._files

    def address(self, path: str) -> str:
        """Return the address of a file, which changes with its content; "" where there is none."""
        return f"{path}?{self._queries[path]}" if path in self._files else ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        content, headers = self._files[scope["path"]]
        status = 200
        if scope["method"] not in {"GET", "HEAD"}:
            refused = error_response(MethodNotAllowed(), allow="GET, HEAD")
            status, content, headers = refused.status, refused.body, refused.headers
        elif scope["query_string"] == self._queries[scope["path"]].encode():
            # The address that GET /site names changes with the content. Another digest belongs to the files of
            # another server, while servers are replaced one by one.
            headers = (*headers, (b"cache-control", b"public, max-age=31536000, immutable"))
        else:
            headers = (*headers, (b"cache-control", b"no-cache"))
        length = (b"content-length", b"%d" % len(content))
        await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})
