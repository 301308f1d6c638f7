"""/feeds/new.atom: valid Atom (RFC 4287) of the newest events, only where the site knows its own address."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.request import ProxyHandler
from xml.etree import ElementTree as ET

import feedparser
import httpx
import pytest
import sqlalchemy as sa

from foreknow.market.events.tables import event_tags, events
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.elsewhere.feed import FeedEntry, FeedIds, atom
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

ORIGIN = "https://forecasts.example.org"
ATOM = "{http://www.w3.org/2005/Atom}"


def ask(service: Service, query: str = "", method: str = "GET", **headers: str) -> httpx.Response:
    return httpx.request(
        method,
        f"{service.url}/feeds/new.atom{query}",
        headers=headers,
        trust_env=False,
        verify=NO_TLS,
        timeout=60,
    )


def parsed(answer: httpx.Response) -> ET.Element:
    """Return a feed, checked by what RFC 4287 asks of each."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(answer.content)
    assert feed.tag == f"{ATOM}feed"
    ids = []
    for one in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            (found,) = one.findall(f"{ATOM}{name}")
            assert found.text, name
        ids.append(one.findtext(f"{ATOM}id"))
        # RFC 3339 with a zone.
        assert datetime.fromisoformat(one.findtext(f"{ATOM}updated", "")).tzinfo is not None
        links = [link.get("rel") for link in one.findall(f"{ATOM}link")]
        assert links.count("alternate") == 1
    assert len(set(ids)) == len(ids)
    (author,) = feed.findall(f"{ATOM}author")
    assert author.findtext(f"{ATOM}name")
    return feed


def titles(feed: ET.Element) -> list[str | None]:
    return [one.findtext(f"{ATOM}title") for one in feed.findall(f"{ATOM}entry")]


@proves(
    "site: `/feeds/new.atom` `?tag=&lang=`: the 50 newest events, a minute old at most; 404 without "
    "`FOREKNOW_PUBLIC_URL`."
)
def test_the_newest_events_are_listed_in_atom(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url=ORIGIN, site_name="Forecasts & Co")
    feed = parsed(ask(service))
    assert titles(feed) == []
    names = [f"Question {number}" for number in range(51)]
    for name in names:
        service.event(name=name)
    teams = pool(["<Reds>", "Blues"])
    teams["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    hard = service.event(
        name="Is 1 < 2 & “3”\x01?",
        name_ru="Верно?",
        tags=["a&b", "curling"],
        pools=[teams],
    )
    cancelled = service.event(name="Cancelled", tags=["curling"])
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    service.event(name="Draft", publish=False)
    feed = parsed(ask(service))
    assert titles(feed) == ["Is 1 < 2 & “3”\ufffd?", *names[:1:-1]]
    assert feed.findtext(f"{ATOM}title") == "Forecasts & Co: new questions"
    entry = feed.find(f"{ATOM}entry")
    assert entry is not None
    page = f"{ORIGIN}/events/{hard['id']}"
    assert entry.findtext(f"{ATOM}id", "").startswith("urn:uuid:")
    assert [link.get("href") for link in entry.findall(f"{ATOM}link")] == [page]
    assert [tag.get("term") for tag in entry.findall(f"{ATOM}category")] == ["a&b", "curling"]
    assert entry.findtext(f"{ATOM}summary") == "<Reds> · Blues. Open."
    russian = parsed(ask(service, "?tag=curling&lang=ru"))
    assert titles(russian) == ["Верно?"]
    links = {link.get("rel"): link.get("href") for link in russian.findall(f"{ATOM}link")}
    assert links == {"self": f"{ORIGIN}/feeds/new.atom?tag=curling&lang=ru", "alternate": f"{ORIGIN}/"}
    expect(service.creator.client.post(f"/pools/{hard['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    decided = parsed(ask(service, "?tag=a%26b")).findtext(f"{ATOM}entry/{ATOM}summary", "")
    assert re.fullmatch(r"<Reds> · Blues\. Decided, can change until \d+ \w+, \d\d:\d\d UTC\.", decided)
    assert titles(parsed(ask(service, f"?tag={'x' * 2_000}"))) == []
    answer = ask(service)
    assert answer.headers["cache-control"] == "public, max-age=60"
    assert ask(service, **{"If-None-Match": answer.headers["etag"]}).status_code == 304
    front = httpx.get(f"{service.url}/", headers={"Accept": "text/html"}, trust_env=False, verify=NO_TLS).text
    named = re.findall(r'<link rel="alternate" [^>]*hreflang="(\w+)" href="([^"]+)" title="([^"]+)">', front)
    assert named == [
        ("en", "/feeds/new.atom?lang=en", "Forecasts &amp; Co: new questions"),
        ("ru", "/feeds/new.atom?lang=ru", "Forecasts &amp; Co: новые вопросы"),
    ]
    assert parsed(ask(service, "?lang=ru")).findtext(f"{ATOM}title") == "Forecasts & Co: новые вопросы"
    head = ask(service, method="HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(answer.content))


def test_a_site_that_moves_keeps_the_ids_of_its_feed() -> None:
    entries = [FeedEntry(number, f"Question {number}", "", [], "2026-01-01T00:00:00.000Z") for number in (1, 2)]

    def ids(secret: bytes, origin: str, query: str) -> list[str]:
        feed = atom(entries, FeedIds(secret), origin=origin, site_name="Site", query=query, language="en")
        return [one.text or "" for one in ET.fromstring(feed).iter(f"{ATOM}id")]

    here = ids(b"1" * 32, ORIGIN, "")
    assert here == ids(b"1" * 32, "https://moved.example", "")
    assert ids(b"1" * 32, ORIGIN, "lang=ru")[1:] == here[1:]
    assert len({*here, *ids(b"1" * 32, ORIGIN, "lang=ru"), *ids(b"2" * 32, ORIGIN, "")}) == 3 + 1 + 3


def test_cancelled_events_take_no_places_of_others(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url=ORIGIN)
    names = [f"Question {number}" for number in range(50)]
    for name in names:
        service.event(name=name, tags=["curling"])
    cancelled = service.event(name="Cancelled", tags=["curling"])
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)

    ids = range(cancelled["id"] + 1, cancelled["id"] + 201)

    def add_copies(tx: WriteTx) -> None:
        row = dict(tx.execute(sa.select(events).where(events.c.id == cancelled["id"])).mappings().one())
        tx.execute(events.insert(), [row | {"id": event_id} for event_id in ids])
        tx.execute(event_tags.insert(), [{"event_id": event_id, "tag": "curling"} for event_id in ids])

    def remove_copies(tx: WriteTx) -> None:
        for table, column in ((event_tags, event_tags.c.event_id), (events, events.c.id)):
            tx.execute(table.delete().where(column.in_(ids)))

    service.server.run(service.app.db.write(add_copies))
    feeds = [parsed(ask(service, query)) for query in ("", "?tag=curling")]
    # The audit at the end would look for their pools.
    service.server.run(service.app.db.write(remove_copies))

    assert [titles(feed) for feed in feeds] == [names[::-1]] * 2


@ON_SQLITE
def test_a_news_readers_library_reads_the_feed_and_asks_for_no_more_than_is_new(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(public_url=ORIGIN, site_name="Forecasts & Co")
    event = service.event(
        name="Is 1 < 2 & “3”?", name_ru="Верно ли?", tags=["a&b", "curling"], pools=[pool(["<Reds>", "Blues"])]
    )

    def read(query: str = "", **known: str) -> Any:
        # Without a proxy of the machine's.
        return feedparser.parse(f"{service.url}/feeds/new.atom{query}", handlers=[ProxyHandler({})], **known)

    feed = read()
    assert (feed.status, feed.version, feed.bozo) == (200, "atom10", False)
    assert (feed.feed.title, feed.feed.author, feed.feed.link) == (
        "Forecasts & Co: new questions",
        "Forecasts & Co",
        f"{ORIGIN}/",
    )
    (entry,) = feed.entries
    page = f"{ORIGIN}/events/{event['id']}"
    assert (entry.id[:9], entry.link) == ("urn:uuid:", page)
    # A reader takes both for text, not for HTML.
    assert (entry.title_detail.type, entry.title) == ("text/plain", "Is 1 < 2 & “3”?")
    assert (entry.summary_detail.type, entry.summary) == ("text/plain", "<Reds> · Blues. Open.")
    assert [tag.term for tag in entry.tags] == ["a&b", "curling"]
    published = expect(service.client().get(f"/events/{event['id']}/page"), 200)["published_at"]
    assert entry.published_parsed[:6] == datetime.fromisoformat(published).utctimetuple()[:6]
    assert feed.feed.updated_parsed == entry.updated_parsed
    assert read(etag=feed.etag).status == 304
    russian = read("?lang=ru")
    assert (russian.entries[0].title, russian.feed.language) == ("Верно ли?", "ru")


@ON_SQLITE
@pytest.mark.parametrize("query", ["?lang=de", "?lang=en&lang=ru"])
def test_a_wrong_query_is_refused(start_service: Callable[..., Service], query: str) -> None:
    service = start_service(public_url=ORIGIN)
    refused(ask(service, query), 400, "bad_request")
    refused(ask(service, method="POST"), 405, "method_not_allowed")


@proves("site: 404 without `FOREKNOW_PUBLIC_URL`.")
@ON_SQLITE
@pytest.mark.parametrize("settings", [{}, {"public_url": ORIGIN, "read": "members"}])
def test_there_is_no_feed_of_a_site_without_an_address_or_for_members(
    start_service: Callable[..., Service], settings: dict[str, Any]
) -> None:
    service = start_service(**settings)
    service.event()
    refused(ask(service), 404, "not_found")
