"""Pages in Markdown, as HTML that runs nothing: HTML in the source is shown as text, no link is a script."""

from __future__ import annotations

from typing import Literal

from markdown_it import MarkdownIt

#: The pages that a site may have, in the order in which its foot names them.
NAMES = ("about", "rules", "terms", "privacy")
#: Languages of a page; where it lacks the one that is wanted, it is shown in the other.
PageLanguage = Literal["en", "ru"]
LANGUAGES: tuple[PageLanguage, ...] = ("en", "ru")
#: Largest page, bytes of Markdown.
PAGE_BYTES_MAX = 256 * 1024

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def page_html(text: str) -> str:
    """Return a page's HTML; its pictures are left out, as the client shows none from Markdown."""
    return str(_MARKDOWN.render(text))
