"""What a visitor first loads is small, and stands still while it comes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route

from tests.browser.conftest import NewContext
from tests.support.browser import sign_in
from tests.support.schema import SqliteFiles
from tests.support.service import Service, expect, pool

#: Of all answers together, as compressed as they come, with their heads, fonts and pictures.
BYTES_MAX = {"home": 120_000, "event": 150_000, "number": 150_000}
#: Of all that moves without a visitor's doing, as Chromium weighs it; what looks still is below 0.1.
SHIFT_MAX = 0.02
#: What stands beside a market, with more below it.
SLIP = "**/assets/Slip-*.js"
OBSERVE = """
window.shifts = [];
window.shiftObserver = new PerformanceObserver((list) => window.shifts.push(...list.getEntries()));
window.shiftObserver.observe({ type: "layout-shift", buffered: true });
"""
SHIFTS = """() => [...window.shifts, ...window.shiftObserver.takeRecords()]
    .filter(({ hadRecentInput }) => !hadRecentInput)
    .map(({ value, sources }) => [value, sources.map(({ node, previousRect, currentRect }) => [
        node?.nodeName, node?.className, JSON.stringify(previousRect), JSON.stringify(currentRect)])])"""


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A service of its own: what other tests left would be counted."""
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


def fill(site: Service) -> tuple[int, int, Any]:
    """Make markets that were traded and talked about.

    Return one of several outcomes, one that asks for a number, and who holds a part of the first.
    """
    degrees = pool()
    degrees["metadata"]["shape"] = {"kind": "number", "edges": [*range(-20, 20, 4)], "unit": "°C"}
    number = site.event(pools=[degrees])
    events = [site.event(pools=[pool(["Reds", "Blues", "Greens"])]), site.event(), site.event()]
    trader, other = site.user(balance_kopecks=1_000_000), site.user(balance_kopecks=1_000_000)
    for event in events:
        for person, side in ((trader, "YES"), (other, "NO"), (trader, "YES")):
            market_id = event["pools"][0]["markets"][0]["id"]
            bet = {"market_id": market_id, "token_type": side, "amount_kopecks": 20_000}
            expect(person.client.post("/market/bets", json=bet), 201)
        expect(other.client.post("/comments", json={"event_id": event["id"], "content": "Why?"}), 201)
    return events[0]["id"], number["id"], trader


def shifts(page: Page, path: str, *, late: str = "") -> list[Any]:
    """Open a page and wait until all of it is there; return what moved by how much.

    `late`: files that come once all else is shown, as on a slow machine.
    """
    held: list[Route] = []

    is_late = bool(late)

    def hold(route: Route) -> None:
        if is_late:
            held.append(route)
        else:
            route.continue_()

    if late:
        page.route(late, hold)
    page.add_init_script(OBSERVE)
    page.goto(path)
    if late:
        page.wait_for_function("() => document.querySelectorAll('main .skeleton').length === 1")
        is_late = False
        for route in held:
            route.continue_()
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    found: list[Any] = page.evaluate(SHIFTS)
    return found


@pytest.mark.parametrize(("width", "language"), [(390, "ru"), (1440, "en")])
def test_first_views_are_small_and_no_page_jumps(new_visitor: NewContext, site: Service, width: int) -> None:
    event_id, number_id, trader = fill(site)
    moved: dict[str, list[Any]] = {}
    paths = {"home": "/", "event": f"/events/{event_id}", "number": f"/events/{number_id}"}
    for name, path in paths.items():
        page = new_visitor().new_page()
        sizes: dict[str, int] = {}

        def note(request: Request, sizes: dict[str, int] = sizes) -> None:
            size = request.sizes()
            sizes[request.url] = size["responseHeadersSize"] + size["responseBodySize"]

        page.on("requestfinished", note)
        # A phone's slip loads when it is opened.
        moved[path] = shifts(page, path, late=SLIP if (name, width) == ("event", 1440) else "")
        assert len(sizes) > 3
        assert sum(sizes.values()) <= BYTES_MAX[name], sizes

    context = new_visitor()
    sign_in(context, trader)
    page = context.new_page()
    for path in ("/portfolio", "/live", "/leaders", "/search?q=Will"):
        moved[path] = shifts(page, path)
    jumping = {path: found for path, found in moved.items() if sum(value for value, _ in found) >= SHIFT_MAX}
    assert not jumping, json.dumps(jumping, indent=1)
