"""Every screen of the client, in Russian on the narrowest phone, with names as long as they may be."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from tests.browser.conftest import NewContext
from tests.support.browser import SETTLED, Findings, accessibility_findings, torn_words
from tests.support.lengths import LONG, length
from tests.support.schema import SqliteFiles
from tests.support.screens import go, page_of
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered

#: Of phones, the narrowest first. Each screen is looked at first as wide as the one before it was left.
WIDTHS = (320, 390)
HEIGHT = 640
#: No page is wider than its window.
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"

ROUTES = Path(__file__).parents[2] / "web" / "src" / "routes.ts"
#: A word that a line does not hold, then words that do.
LONG_NAME = f"{'Превысокомногорассмотрительствующий' * 2} вопрос о том, что будет дальше" + " и ещё раз" * 12
NAMES = [f"{number} {LONG_NAME}"[:200].strip() for number in (1, 2)]
ANSWERS = [f"{number} {LONG_NAME}"[:100].strip() for number in (1, 2)]


@dataclass(frozen=True)
class Named:
    """Who has all roles, holds a part of each kind of market, and has made a draft."""

    person: Person
    events: list[int]
    draft: int
    tag: str


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A service of its own: on a shared one, lists show what other tests called things."""
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


@pytest.fixture
def named(site: Service) -> Named:
    unique = secrets.token_hex(4)
    roles = {"creator": True, "admin": True, "operator": True, "stats_viewer": True}
    person = site.user(balance_kopecks=200_000, name=NAMES[0], nickname=f"{'к' * 20}_{unique}", **roles)
    number, joint = pool(), pool(probabilities=[0.25] * 4)
    number["metadata"]["shape"] = {"kind": "number", "edges": [0, 10_000_000, 2_000_000_000], "unit": "рублей"}
    questions = [{"name": answer, "outcomes": ANSWERS} for answer in ANSWERS]
    joint["metadata"]["shape"] = {"kind": "joint", "questions": questions}
    tag = f"{'тема ' * 6}{unique}"
    pools: list[list[dict[str, Any]]] = [
        [pool(NAMES, rules=LONG_NAME), pool(name=NAMES[0])],
        [number],
        [joint],
    ]
    fields: dict[str, Any] = {"name": NAMES[0], "name_ru": NAMES[1], "tags": [tag]}
    events = [site.event(**fields, pools=wanted) for wanted in pools]
    for event in events:
        market_id = event["pools"][0]["markets"][0]["id"]
        bet = {"market_id": market_id, "token_type": "YES"}
        answered(person.client.post("/market/bets", json=bet | {"amount_kopecks": 20_000}), 201)
        order = {"action": "buy", "price_bps": 100, "shares": 1_000}
        answered(person.client.post("/market/orders", json=bet | order), 201)
        comment = {"event_id": event["id"], "content": LONG_NAME}
        answered(person.client.post("/comments", json=comment), 201)
    for event in events:
        pool_id, chances = event["pools"][0]["id"], [0.5, 0.3, 0.1, 0.1][: len(event["pools"][0]["markets"])]
        said = {"probabilities": [chance / sum(chances) for chance in chances], "note": LONG_NAME}
        answered(person.client.put(f"/pools/{pool_id}/forecast", json=said), 200)
    over = events[0]["pools"][1]["id"]
    answered(site.creator.client.post(f"/pools/{over}/resolve", json={"won_side": 0}), 200)
    draft = site.event(person, **fields, publish=False)
    return Named(person, [event["id"] for event in events], draft["id"], tag)


def addresses(named: Named) -> dict[str, list[str]]:
    """Return where each route of the client leads to."""
    sections = ["attention", "stats", "people", "partners", "prices", "log", "site"]
    tabs = ["orders", "rules", "trades", "holders"]
    main, number, joint = named.events
    return {
        "/": ["/", f"/?tag={named.tag}", "/?sort=resolved", "/?following=1"],
        "/admin/:section?/:name?": [f"/admin/{section}" for section in sections],
        "/create/:id?": ["/create", "/create?quick=1", f"/create/{named.draft}"],
        "/desk": ["/desk"],
        "/desk/reports": ["/desk/reports"],
        "/desk/objections": ["/desk/objections"],
        "/support": ["/support"],
        "/mine": ["/mine", f"/mine?event={named.draft}"],
        "/events/:id": [
            *(f"/events/{main}?tab={tab}" for tab in tabs),
            *(f"/events/{event}{query}" for event in named.events for query in ("", "?side=yes")),
            *(f"/events/{number}?show={shown}" for shown in ("time", "table")),
            f"/events/{number}?think=1",
            *(f"/events/{joint}?show={shown}" for shown in ("all", "time")),
        ],
        "/search": [f"/search?q={named.tag[-8:]}"],
        "/portfolio": ["/portfolio", *(f"/portfolio?tab={tab}" for tab in ("orders", "closed", "history"))],
        "/live": ["/live"],
        "/notifications": ["/notifications"],
        "/settings": ["/settings"],
        "/settings/keys": ["/settings/keys"],
        "/record": ["/record", "/record?source=crowd"],
        "/deciding": ["/deciding"],
        "/following": ["/following"],
        "/leaders": ["/leaders?period=all", "/leaders?by=forecast"],
        "/users/:id": [f"/users/{named.person.id}", f"/users/{named.person.id}?tab=forecasts"],
        **{route: [route] for route in ("/sign-in", "/sign-up", "/forgot", "/setup")},
        **{f"/{kind}/:token": [f"/{kind}/a-token"] for kind in ("invite", "verify", "reset")},
    }


@LONG
@pytest.mark.parametrize(("width", "language"), [(390, "ru")])
def test_every_route_fits_the_narrowest_phone(new_visitor: NewContext, findings: Findings, named: Named) -> None:
    # Without a conversation, and with dead links.
    findings.allow("/chat/messages|a-token|/auth/|status of 40")
    wanted = addresses(named)
    assert set(wanted) == set(re.findall(r'route\("([^"]+)"', ROUTES.read_text()))
    pages = [new_visitor().new_page(), page_of(new_visitor(), named.person)]
    found: list[str] = []
    for page in pages:
        page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
        page.goto("/leaders")
        for route, led in wanted.items():
            if page is pages[0] or not re.match("/(sign|forgot|setup)", route):
                # A stranger is shown much the same at each address of a route.
                seen = length(short=led[:1], long=led) if page is pages[0] else led
                found += [wrong for address in seen for wrong in _wrong(page, address)]
    assert found == [], "\n".join(found)


def _wrong(page: Page, address: str) -> list[str]:
    """Return what is wrong with a screen. Who cannot see is thought of in the long form."""
    go(page, address)
    expect(page.get_by_role("heading").first).to_be_attached()
    page.wait_for_function(SETTLED)
    wrong = length(short=list[str], long=lambda: accessibility_findings(page))()
    size = page.viewport_size
    assert size is not None
    for width in sorted(WIDTHS, reverse=size["width"] == WIDTHS[-1]):
        if width != size["width"]:
            page.set_viewport_size({"width": width, "height": HEIGHT})
        try:
            # What is about to be shown may be wider for a moment.
            page.wait_for_function(FITS, timeout=10_000)
        except NotInTime:
            wrong.append(f"scrolls sideways at {width} px")
        wrong += [f"torn at {width} px: {word}" for word in torn_words(page)]
    return [f"{address}: {one}" for one in wrong]
