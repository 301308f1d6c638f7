"""A page's HTML. What would take long to draw, or nests too deep, is shown as it was written."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from foreknow.site.looks.parts import LANGUAGES, NAMES, PAGE_BYTES_MAX

#: Bounds how often a part of a page begins, which is what drawing takes: 0.2 s at most. The densest of our own pages,
#: as long as a page may be, needs 18,300, and 14,000 tokens.
STEPS_MAX = 20_000
TOKENS_MAX = 16_000
LINES_MAX = 10_000
#: Bounds links that are named elsewhere.
REFERENCES_MAX = 2_000
#: Bounds where links lead, which may stand once and be named often; characters.
ADDRESSES_MAX = 4 * PAGE_BYTES_MAX
#: What nests deeper would be left out.
LEVELS_MAX = 18


class _TooDense(Exception):
    """A page that would take too long, or lose something."""


def _count(state: Any, *_: Any) -> bool:
    """Count a step of a parser, and read nothing."""
    state.env["steps"] = steps = state.env.get("steps", 0) + 1
    if steps > STEPS_MAX or len(state.tokens) > TOKENS_MAX or len(state.env.get("references", ())) > REFERENCES_MAX:
        raise _TooDense
    return False


def _count_block(state: Any, *_: Any) -> bool:
    if state.level >= LEVELS_MAX:
        raise _TooDense
    return _count(state)


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_MARKDOWN.block.ruler.before("table", "count", _count_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
_MARKDOWN.inline.ruler.before("text", "count", _count)


@lru_cache(maxsize=len(NAMES) * len(LANGUAGES))
def page_html(text: str) -> str:
    """Return a page's HTML, which runs nothing: HTML in the source is shown as text, no link is a script.

    Its pictures are left out, as the client shows none from Markdown.
    """
    env: dict[str, Any] = {}
    try:
        if text.count("\n") > LINES_MAX:
            raise _TooDense
        tokens = _MARKDOWN.parse(text, env)
        links = [str(part.attrGet("href") or "") for token in tokens for part in token.children or ()]
        if sum(map(len, links)) > ADDRESSES_MAX:
            raise _TooDense
    except _TooDense:
        return f"<pre>{escape(text, quote=False)}</pre>\n"
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env))
