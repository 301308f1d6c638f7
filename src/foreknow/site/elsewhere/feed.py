"""The feed of new events, Atom (RFC 4287)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from html import escape
from xml.etree import ElementTree as ET

import msgspec

from foreknow.kernel.clock import iso
from foreknow.market.events.listing import EventFilter, read_rows
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.sorting import order_of
from foreknow.market.events.store import EventRow
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.previews.content import market_names, state_of
from foreknow.site.previews.texts import WORDS, PreviewLanguage

PATH = "/feeds/new.atom"
#: The shared secret of which the ids are made.
FEED_IDS = "feed-ids"
#: Events that it lists.
LISTED = 50
_ATOM = "http://www.w3.org/2005/Atom"
#: Characters that XML cannot hold, not even as references (XML 1.0, 2.2).
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TITLES = {"en": "{site}: new questions", "ru": "{site}: новые вопросы"}


class FeedIds:
    """The ids of the feed and its entries, which outlive the site's address (RFC 4287, 4.2.6): the database's own."""

    def __init__(self, secret: bytes) -> None:
        """Make ids with the secret `FEED_IDS`."""
        self._namespace = uuid.UUID(bytes=secret[:16], version=4)

    def of(self, name: str) -> str:
        """Return the id of what has this name here."""
        return uuid.uuid5(self._namespace, name).urn


class FeedEntry(msgspec.Struct, frozen=True):
    """An event as the feed lists it."""

    event_id: int
    title: str
    summary: str
    tags: list[str]
    published_at: str


def feed_links(site_name: str) -> str:
    """Return what names the feed in the head of a page, in each language, for feed readers to find."""
    return "".join(
        f'<link rel="alternate" type="application/atom+xml" hreflang="{language}" href="{PATH}?lang={language}" '
        f'title="{escape(title.format(site=site_name))}">'
        for language, title in _TITLES.items()
    )


def newest_entries(
    tx: ReadTx, *, tag: str | None, language: PreviewLanguage, now_ms: int
) -> tuple[list[FeedEntry], Sequence[int]]:
    """Return the newest events that everyone may see and that are not cancelled, and the pools that they show."""
    filters = EventFilter(status=None, tag=tag, part_of_name=None, sort="new", visitor=None, but_cancelled=True)
    shown = read_rows(tx, filters, order_of("new", None), now_ms=now_ms, limit=LISTED)
    pool_ids = pool_ids_of_events(tx, [row.id for row in shown])
    main = {row.id: main_pool_id(row, pool_ids[row.id]) for row in shown}
    pools = load_pools(tx, main.values())
    entries = [_entry(row, pools[main[row.id]], language, now_ms=now_ms) for row in shown]
    return entries, list(main.values())


def _entry(row: EventRow, pool: PoolRow, language: PreviewLanguage, *, now_ms: int) -> FeedEntry:
    words = WORDS[language]
    outcomes = [words.yes, words.no] if len(pool.markets) == 1 else market_names(pool, language)
    name = (row.name_ru or row.name) if language == "ru" else row.name
    # No prices: a reader keeps what it has read once.
    summary = f"{' · '.join(outcomes)}. {state_of(row, pool, words, now_ms=now_ms)}."
    return FeedEntry(row.id, name, summary, list(dict.fromkeys(row.tags)), iso(row.published_at_ms or 0))


def atom(
    entries: Sequence[FeedEntry],
    ids: FeedIds,
    *,
    origin: str,
    site_name: str,
    query: str,
    language: PreviewLanguage,
    icon: str = "",
    logo: str = "",
) -> bytes:
    """Return the feed; `query` belongs to its own address. That and the paths of pictures are "" for none."""
    ET.register_namespace("", _ATOM)
    feed = ET.Element(f"{{{_ATOM}}}feed", {"{http://www.w3.org/XML/1998/namespace}lang": language})
    own_path = f"{PATH}{'?' + query if query else ''}"
    _text(feed, "id", ids.of(own_path))
    _text(feed, "title", _TITLES[language].format(site=site_name))
    # A feed without entries has changed never.
    _text(feed, "updated", max((one.published_at for one in entries), default="1970-01-01T00:00:00.000Z"))
    _text(ET.SubElement(feed, f"{{{_ATOM}}}author"), "name", site_name)
    for name, path in (("icon", icon), ("logo", logo)):
        if path:
            _text(feed, name, origin + path)
    ET.SubElement(feed, f"{{{_ATOM}}}link", rel="self", type="application/atom+xml", href=origin + own_path)
    ET.SubElement(feed, f"{{{_ATOM}}}link", rel="alternate", type="text/html", href=f"{origin}/")
    for one in entries:
        entry = ET.SubElement(feed, f"{{{_ATOM}}}entry")
        path = f"/events/{one.event_id}"
        _text(entry, "id", ids.of(path))
        _text(entry, "title", one.title)
        _text(entry, "published", one.published_at)
        _text(entry, "updated", one.published_at)
        ET.SubElement(entry, f"{{{_ATOM}}}link", rel="alternate", type="text/html", href=origin + path)
        for tag in one.tags:
            ET.SubElement(entry, f"{{{_ATOM}}}category", term=_xml(tag))
        _text(entry, "summary", one.summary)
    written: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return written


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, f"{{{_ATOM}}}{name}").text = _xml(text)


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
