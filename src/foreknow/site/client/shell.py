"""The page that starts the client. Every address of the client is answered with it; an event's has its preview."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import msgspec

from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.service import visible_event
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx

#: The site's name in the built page.
NAME = "Foreknow"
#: The picture of an event for link previews, below the service's origin; 1200×630 pixels.
PICTURE_PATH = "/images/cards/{event_id}.png"

_TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)
_ICON = re.compile(r'<link\s+rel="(?:icon|apple-touch-icon)"[^>]*>')
#: What an event's page says in its own words.
_GENERAL = re.compile(r'\s*<meta\s+(?:name|property)="(?:description|og:[^"]*|twitter:[^"]*)"[^>]*>')
#: Further outcomes would be cut off where links are shown.
_OUTCOMES_MAX = 3
_YES_NO = ("Yes", "No")


class LinkTexts(msgspec.Struct, frozen=True):
    """The texts of an event's link."""

    event_id: int
    title: str
    description: str


def read_preview(tx: ReadTx, event_id: int, *, now_ms: int) -> tuple[LinkTexts, Sequence[int]]:
    """Return the preview of a public event, and the pools that it shows; `EventNotFound` for any other."""
    event = visible_event(tx, event_id, None)
    main_id = main_pool_id(event, pool_ids_of_events(tx, [event_id])[event_id])
    return LinkTexts(event_id, event.name, _outcomes(load_pools(tx, [main_id])[main_id], now_ms)), [main_id]


def _outcomes(pool: PoolRow, now_ms: int) -> str:
    """Return the result of a resolved pool, else its leading outcomes."""
    is_yes_no = len(pool.markets) == 1
    names = _YES_NO if is_yes_no else tuple(market.name for market in pool.markets)
    result = pool.final_result(now_ms)
    if result is not None:
        return "Settled without a winner" if result.winner is None else f"Result: {names[result.winner]}"
    chances = sorted(zip(pool.lmsr().probabilities(), names, strict=False), key=lambda one: one[0], reverse=True)
    return " · ".join(f"{name} {_percent(chance)}" for chance, name in chances[:_OUTCOMES_MAX])


def _percent(chance: float) -> str:
    """Return a chance in whole percent; an open outcome is neither certain nor impossible."""
    percent = round(chance * 100)
    return "<1%" if percent < 1 else ">99%" if percent > 99 else f"{percent}%"


class UnknownShell(ValueError):
    """The built index.html has no single title, so that there is no place for an event's."""


@dataclass(frozen=True, slots=True)
class ShellTemplate:
    """The page, cut where its title stands."""

    before: str
    after: str
    name: str = NAME

    def page(self, preview: LinkTexts, origin: str) -> bytes:
        """Return the page with an event's title and Open Graph; `origin` is the service's own."""
        title = preview.title
        texts = {
            "og:type": "website",
            "og:site_name": self.name,
            "og:title": title,
            "og:description": preview.description,
            "og:url": f"{origin}/events/{preview.event_id}",
            "og:image": origin + PICTURE_PATH.format(event_id=preview.event_id),
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": f"{title}: {preview.description}",
        }
        lines = [
            f"<title>{escape(title)} · {escape(self.name)}</title>",
            f'<meta name="description" content="{escape(preview.description)}">',
            *(f'<meta property="{name}" content="{escape(text)}">' for name, text in texts.items()),
            '<meta name="twitter:card" content="summary_large_image">',
        ]
        return (self.before + "\n".join(lines) + self.after).encode()


@dataclass(frozen=True, slots=True)
class ShellLooks:
    """What a site of one's own shows before its first request: `site` is GET /site's answer and more, as JSON.

    `style` and `icon` are addresses, "" where the client's own hold.
    """

    name: str
    site: bytes
    style: str = ""
    icon: str = ""
    has_pages: bool = False

    def page(self, built: str) -> str:
        """Return the built page with these looks. Raises `UnknownShell`."""
        # `<` would end the script early; in JSON strings it may be escaped.
        site = self.site.decode().replace("<", "\\u003c")
        head = f'<script id="site" type="application/json">{site}</script>'
        if self.style:
            head += f'<link rel="stylesheet" href="{escape(self.style)}">'
        if self.icon:
            built = _ICON.sub("", built)
            head += f'<link rel="icon" type="image/png" href="{escape(self.icon)}">'
            head += f'<link rel="apple-touch-icon" href="{escape(self.icon)}">'
        named = _TITLE.sub(lambda _found: f"<title>{escape(self.name)}</title>", built)
        if named.count("</head>") != 1:
            raise UnknownShell("the built index.html must have one <head>")
        return named.replace("</head>", f"{head}</head>")


def read_template(page: str, name: str = NAME) -> ShellTemplate:
    """Cut a built index.html where its title stands. Raises `UnknownShell`."""
    parts = _TITLE.split(_GENERAL.sub("", page))
    if len(parts) != 2:
        raise UnknownShell("the built index.html must have one <title>")
    before, after = parts
    return ShellTemplate(before, after, name)
