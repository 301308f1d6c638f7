"""The page that starts the client. Every address of the client is answered with it; an event's has its preview."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from foreknow.site.client.previews import LinkTexts

SITE = "Foreknow"
#: The picture of an event for link previews, below the service's origin; 1200×630 pixels.
PICTURE_PATH = "/images/cards/{event_id}.png"

_TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)
#: What an event's page says in its own words.
_GENERAL = re.compile(r'\s*<meta\s+(?:name|property)="(?:description|og:[^"]*|twitter:[^"]*)"[^>]*>')


class UnknownShell(ValueError):
    """The built index.html has no single title, so that there is no place for an event's."""


@dataclass(frozen=True, slots=True)
class ShellTemplate:
    """The page, cut where its title stands."""

    before: str
    after: str

    def page(self, preview: LinkTexts, origin: str) -> bytes:
        """Return the page with an event's title and Open Graph; `origin` is the service's own."""
        title = preview.title
        texts = {
            "og:type": "website",
            "og:site_name": SITE,
            "og:title": title,
            "og:description": preview.description,
            "og:url": f"{origin}/events/{preview.event_id}",
            "og:image": origin + PICTURE_PATH.format(event_id=preview.event_id),
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": f"{title}: {preview.description}",
        }
        lines = [
            f"<title>{escape(title)} · {SITE}</title>",
            f'<meta name="description" content="{escape(preview.description)}">',
            *(f'<meta property="{name}" content="{escape(text)}">' for name, text in texts.items()),
            '<meta name="twitter:card" content="summary_large_image">',
        ]
        return (self.before + "\n".join(lines) + self.after).encode()


def read_template(page: str) -> ShellTemplate:
    """Cut a built index.html where its title stands. Raises `UnknownShell`."""
    parts = _TITLE.split(_GENERAL.sub("", page))
    if len(parts) != 2:
        raise UnknownShell("the built index.html must have one <title>")
    return ShellTemplate(*parts)
