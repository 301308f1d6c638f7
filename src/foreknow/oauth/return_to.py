"""Where the browser goes once somebody is signed in: a path of this site, and nowhere else."""

from __future__ import annotations

from urllib.parse import quote

from foreknow.kernel.errors import BadRequest

HOME = "/"
LENGTH_MAX = 1024
#: All that a URL may hold unescaped, and % since what is escaped already stays as it is.
_PLAIN = "/?#[]@!$&'()*+,;=%:~-._"


def read_return_to(text: str) -> str:
    """Return a path of this site, in ASCII; `BadRequest` for anything that a browser might take for another site's.

    Browsers drop tabs and line breaks from addresses, read a backslash as a slash, and `//host` as another site.
    """
    leaves = not text.startswith("/") or text.startswith("//")
    if leaves or "\\" in text or not all(one.isprintable() for one in text):
        raise BadRequest("return_to is a path of this site, such as /events/7.")
    path = quote(text, safe=_PLAIN)
    if len(path) > LENGTH_MAX:
        raise BadRequest(f"return_to has at most {LENGTH_MAX} characters, with others than ASCII percent-encoded.")
    return path
