"""The path to return to after a sign-in: on this site only."""

from __future__ import annotations

import re
from urllib.parse import quote

from foreknow.kernel.errors import BadRequest

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
