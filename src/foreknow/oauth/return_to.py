"""The path to return to after a sign-in: on this site only."""

from __future__ import annotations

from urllib.parse import quote

from foreknow.kernel.errors import BadRequest

HOME = "/"
LENGTH_MAX = 1024
#: Characters allowed unescaped in a URL, and % to keep existing escapes.
_UNESCAPED = "/?#[]@!$&'()*+,;=%:~-._"


def read_return_to(text: str) -> str:
    """Return a path of this site, in ASCII; `BadRequest` for a text that a browser may take for another site's URL.

    Browsers drop tabs and line breaks from URLs, read a backslash as a slash, and `//host` as another site.
    """
    leaves_site = not text.startswith("/") or text.startswith("//")
    if leaves_site or "\\" in text or not all(char.isprintable() for char in text):
        raise BadRequest("return_to is a path of this site, such as /events/7.")
    path = quote(text, safe=_UNESCAPED)
    if len(path) > LENGTH_MAX:
        raise BadRequest(f"return_to has at most {LENGTH_MAX} characters, with others than ASCII percent-encoded.")
    return path
