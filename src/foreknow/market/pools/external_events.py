"""Events of other sites: the source and the id that the address of an event's page names.

The address only chooses; it is never requested. Where a source's API lies is a setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

_ID = re.compile(r"[A-Za-z0-9._-]{1,200}", re.ASCII)
#: As ids these would move a request to another path of the API.
_DOT_SEGMENTS = frozenset({".", ".."})


class ExternalEvent(NamedTuple):
    """An event of another site: `polymarket`, `manifold` or `kalshi`, and its id there."""

    source: str
    id: str


def external_event(url: str) -> ExternalEvent | None:
    """Return the event whose page has this address; None where it is no page of an event of a known source.

    A query, a fragment, a final slash and `www.` change nothing; user names, passwords and ports occur in no address of
    a page.
    """
    try:
        parts = urlsplit(url)
        if not _is_page(parts):
            return None
    except ValueError:
        return None
    host = (parts.hostname or "").removeprefix("www.")
    if host not in _PAGES:
        return None
    source, id_of = _PAGES[host]
    event_id = id_of(parts.path.removesuffix("/").split("/")[1:])
    if event_id is None or not _ID.fullmatch(event_id) or event_id in _DOT_SEGMENTS:
        return None
    return ExternalEvent(source, event_id.upper() if source in _UPPER_CASE else event_id)


def _is_page(parts: SplitResult) -> bool:
    """Raise `ValueError` for a port that is not a number."""
    return parts.scheme in {"http", "https"} and parts.port is None and "@" not in parts.netloc


def _polymarket_id(path: list[str]) -> str | None:
    """`/event/ID`, or `/event/ID/MARKET` for one of the event's markets."""
    match path:
        case ["event", event_id] | ["event", event_id, _]:
            return event_id
    return None


def _manifold_id(path: list[str]) -> str | None:
    """`/USER/ID`."""
    match path:
        case [user, event_id] if user:
            return event_id
    return None


def _kalshi_id(path: list[str]) -> str | None:
    """`/markets/…/ID`."""
    match path:
        case ["markets", *_, event_id]:
            return event_id
    return None


_PAGES: Mapping[str, tuple[str, Callable[[list[str]], str | None]]] = {
    "polymarket.com": ("polymarket", _polymarket_id),
    "manifold.markets": ("manifold", _manifold_id),
    "kalshi.com": ("kalshi", _kalshi_id),
}
#: Sources whose ids are upper case, though addresses of pages have them in lower case.
_UPPER_CASE = frozenset({"kalshi"})
