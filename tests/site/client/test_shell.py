"""The page of an event: its title and preview, for public events alone."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from foreknow.site.client.shell import UnknownShell, read_template
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.service import Service, expect, pool

#: How programs that show links ask.
ANYTHING = {"Accept": "*/*"}


@pytest.fixture
def site(service: Service) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.url, headers={"Accept": "text/html"}, trust_env=False, verify=NO_TLS) as client:
        yield client


class Head(HTMLParser):
    """The title and the meta elements of a page, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.title = ""
        self.meta: dict[str, list[str]] = {}
        self.tags: list[str] = []
        self._in_title = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in_title = tag == "title"
        given = dict(attrs)
        name = given.get("property") or given.get("name")
        if tag == "meta" and name:
            self.meta.setdefault(name, []).append(given.get("content") or "")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data


def head_of(site: httpx.Client, event: Any) -> Head:
    answer = site.get(f"/events/{event['id']}")
    assert answer.status_code == 200, answer.text
    return Head(answer.text)


def test_an_event_s_page_has_its_name_and_its_leading_outcomes(service: Service, site: httpx.Client) -> None:
    names, chances = ["Reds", "Blues", "Greens", "None of them"], [0.2, 0.5, 0.1, 0.2]
    event = service.event(name="Who wins the derby?", pools=[pool(names, probabilities=chances)])
    head = head_of(site, event)
    assert head.title == "Who wins the derby? · Foreknow"
    assert head.meta["og:title"] == ["Who wins the derby?"]
    assert head.meta["og:description"] == ["Blues 50% · Reds 20% · None of them 20%"]
    assert head.meta["description"] == head.meta["og:description"]
    assert head.meta["og:url"] == [f"{service.url}/events/{event['id']}"]
    assert head.meta["og:image"] == [f"{service.url}/images/cards/{event['id']}.png"]
    assert head.meta["twitter:card"] == ["summary_large_image"]
    assert {name: len(texts) for name, texts in head.meta.items() if len(texts) > 1} == {}


@ONCE
def test_a_question_shows_the_chance_of_yes_as_traded(service: Service, site: httpx.Client) -> None:
    event = service.event(pools=[pool(probabilities=[0.3])])
    assert head_of(site, event).meta["og:description"] == ["Yes 30%"]
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000_000}
    traded = expect(service.user(balance_kopecks=1_000_000).client.post("/market/bets", json=bet), 201)
    assert traded["probability_after"] > 0.99
    assert head_of(site, event).meta["og:description"] == ["Yes >99%"]


@ONCE
def test_a_resolved_event_shows_its_result(service: Service, site: httpx.Client) -> None:
    def shown(resolution: dict[str, Any], names: list[str] | None = None) -> str:
        event = service.event(pools=[pool(names)])
        expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=resolution), 200)
        return head_of(site, event).meta["og:description"][0]

    assert shown({"won_side": 1}) == "Result: No"
    assert shown({"won_side": 1}, ["Reds", "Blues"]) == "Result: Blues"
    assert shown({"void": True}) == "Settled without a winner"


@ONCE
def test_the_main_pool_speaks_for_the_event(service: Service, site: httpx.Client) -> None:
    event = service.event(pools=[pool(["A", "B"]), pool(probabilities=[0.9])], main_pool_index=1)
    assert head_of(site, event).meta["og:description"] == ["Yes 90%"]


@ONCE
def test_where_no_pool_is_the_main_one_the_first_speaks_for_the_event(service: Service, site: httpx.Client) -> None:
    # Earlier releases took any number.
    event = service.event(pools=[pool(["A", "B"], probabilities=[0.7, 0.3])])
    wrong = sa.text(f"UPDATE events SET main_pool_index = 5 WHERE id = {event['id']}")
    service.server.run(service.app.db.write(lambda tx: tx.execute(wrong)))
    assert head_of(site, event).meta["og:description"] == ["A 70% · B 30%"]
    assert site.get(f"/images/cards/{event['id']}.png").status_code == 200


HOSTILE = """</title><script>alert(1)</script>"><img src=x onerror='alert(1)'> & <b>"""


@ONCE
def test_what_people_write_never_becomes_markup(service: Service, site: httpx.Client) -> None:
    event = service.event(name=HOSTILE, pools=[pool([HOSTILE + "A", "B"], probabilities=[0.9, 0.1])])
    head, plain = head_of(site, event), Head(site.get("/").text)
    assert head.title == f"{HOSTILE} · Foreknow"
    assert head.meta["og:title"] == [HOSTILE]
    assert head.meta["og:description"][0].startswith(f"{HOSTILE}A 90%")
    assert sorted(set(head.tags)) == sorted(set(plain.tags))
    assert head.tags.count("script") == plain.tags.count("script")


@ONCE
def test_programs_that_take_anything_are_shown_the_addresses_that_people_share(
    service: Service, site: httpx.Client
) -> None:
    event = service.event()
    for path in ("/", f"/events/{event['id']}"):
        assert site.get(path, headers=ANYTHING).headers["content-type"] == "text/html; charset=utf-8"


def test_what_is_not_public_is_as_missing_as_what_is_not_there(service: Service, site: httpx.Client) -> None:
    hidden = service.event(name="A secret", publish=False)
    token = service.creator.token
    missing = site.get("/events/9223372036854775807")
    assert missing.status_code == 404
    for path in (f"/events/{hidden['id']}", "/events/0", "/events/-1", "/events/x", "/events/", "/events/1" + "0" * 20):
        answer = site.get(path)
        assert (answer.status_code, answer.content) == (404, missing.content), path
        assert "A secret" not in answer.text
    # The page is the same for everyone: the client, not the page, knows who asks.
    own = site.get(f"/events/{hidden['id']}", headers={"Cookie": f"access_token={token}"})
    assert (own.status_code, own.content) == (404, missing.content)
    assert '<script type="module"' in missing.text
    again = site.get("/events/x", headers={"If-None-Match": missing.headers["etag"]})
    assert again.status_code == 404


@ONCE
def test_a_change_shows_in_the_page_and_in_its_tag(service: Service, site: httpx.Client) -> None:
    event = service.event(pools=[pool(["Reds", "Blues"])])
    first = site.get(f"/events/{event['id']}")
    known = {"If-None-Match": first.headers["etag"]}
    assert site.get(f"/events/{event['id']}", headers=known).status_code == 304
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    second = site.get(f"/events/{event['id']}", headers=known)
    assert second.status_code == 200
    assert "Result: Reds" in html.unescape(second.text)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_links_lead_to_the_service_s_own_origin_whatever_host_is_named(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="https://example.org")
    event = service.event()
    answer = httpx.get(
        f"{service.url}/events/{event['id']}", headers={**ANYTHING, "Host": "evil.test"}, verify=NO_TLS, trust_env=False
    )
    head = Head(answer.text)
    assert head.meta["og:url"] == [f"https://example.org/events/{event['id']}"]
    assert head.meta["og:image"][0].startswith("https://example.org/")
    assert "evil.test" not in answer.text


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("host", ["a b", '"><script>', "x@y", ""])
def test_a_host_that_is_none_stands_on_no_page(start_service: Callable[..., Service], host: str) -> None:
    service = start_service()
    event = service.event(name="Known")
    answer = httpx.get(
        f"{service.url}/events/{event['id']}", headers={**ANYTHING, "Host": host}, verify=NO_TLS, trust_env=False
    )
    assert answer.status_code == 200
    assert "og:url" not in Head(answer.text).meta


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_stranger_who_asks_for_very_many_events_is_still_given_the_page(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(rate_limits="on", limit_reads="1/s burst 20")
    event = service.event(name="Known")
    with httpx.Client(base_url=service.url, headers=ANYTHING, trust_env=False, verify=NO_TLS) as client:
        titles = {Head(client.get(f"/events/{event['id']}").text).title for _ in range(60)}
    assert titles == {"Known · Foreknow", "Foreknow"}


def test_a_page_without_a_place_for_the_title_is_noticed() -> None:
    assert read_template("<head><title>A</title></head>").before == "<head>"
    for page in ("<head></head>", "<title>A</title><title>B</title>"):
        with pytest.raises(UnknownShell):
            read_template(page)


def test_what_the_page_says_of_the_whole_site_is_left_out_of_an_event_s() -> None:
    page = '<meta charset="utf-8" />\n<meta name="description" content="All" />\n<meta property="og:title" content="x">'
    template = read_template(f"{page}<title>A</title>")
    assert re.findall(r"<meta[^>]*>", template.before) == ['<meta charset="utf-8" />']
