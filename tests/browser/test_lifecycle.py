"""What comes upon markets besides trades: what waits for a person, odds, liquidity, disputes and cancelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from foreknow.kernel.clock import MINUTE_MS, iso
from foreknow.people import attention
from tests.browser.conftest import NewContext
from tests.support.browser import Language
from tests.support.following import Follower, following
from tests.support.odds import polymarket_group
from tests.support.orders import add_liquidity
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

HOUR_MS = 60 * MINUTE_MS


@pytest.fixture(scope="module")
def follower(sqlite_files: SqliteFiles) -> Iterator[Follower]:
    """A service of these tests' own, whose clock they move, with a site whose odds it follows."""
    with following(sqlite_files.fresh_database()) as made:
        yield made


@pytest.fixture
def site(follower: Follower) -> Service:
    return follower.service


class Past:
    """Begins an hour ago, so that what takes its time is over by now: a browser's clock cannot be moved so well."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._left_ms = HOUR_MS
        follower.service.clock.advance(-HOUR_MS)

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self._left_ms -= ms
        assert self._left_ms >= 0
        self._follower.wait(ms)

    def end(self) -> None:
        """Let time pass up to now."""
        self.wait(self._left_ms)


def entries(site: Service) -> set[tuple[str, str]]:
    """Return kinds and reasons of what waits for a person."""
    found = answered(site.admin.get("/admin/attention?limit=100"), 200)["entries"]
    return {(entry["kind"], entry["reason"]) for entry in found}


@pytest.fixture
def waiting(follower: Follower) -> dict[str, dict[str, Any]]:
    """Markets that wait for a person, by kind."""
    service, past = follower.service, Past(follower)
    outcomes = [{"below": 1}, {"from": 1}]
    rule = {"kind": "price", "symbol": "NONE", "within_seconds": 1, "outcomes": outcomes}
    undecided = pool(["Below", "Above"], finish_at=iso(service.clock() + MINUTE_MS))
    undecided["metadata"]["resolution"] = rule
    author = service.user(creator=True)
    hourly = pool(finish_at=iso(service.clock() + 45 * MINUTE_MS))
    made = {
        "resolution": service.event(name="A price that never came", pools=[undecided]),
        "series": service.event(author, name="Every hour", loop_interval_minutes=60, pools=[hourly]),
        "odds": follower.event({"Ann": "0.5", "Bob": "0.5"}, answer=polymarket_group(X="0.4"), name="Other names"),
        "payment": service.event(name="A payment that fails"),
    }
    answered(service.admin.patch(f"/admin/users/{author.id}", json={"is_creator": False}), 200)
    assert follower.round(made["odds"], after_ms=0)
    # Only a damaged database makes a payment fail again and again.
    (failing,) = made["payment"]["pools"]
    about = {"event_id": made["payment"]["id"], "pool_id": failing["id"], "at_ms": service.clock()}
    service.server.run(
        service.app.db.write(lambda tx: attention.open_entry(tx, "payment", reason="payment_failed", **about))
    )
    past.wait(50 * MINUTE_MS)
    wait_until(lambda: {("resolution", "no_price"), ("series", "creator_role")} <= entries(service))
    past.end()
    return made


@pytest.mark.parametrize(("width", "language"), [(390, "ru")])
def test_what_waits_for_a_person_is_listed_and_settled(
    new_visitor: NewContext, site: Service, waiting: dict[str, dict[str, Any]], language: Language
) -> None:
    say = words(language)
    page = page_of(new_visitor(), site.user(admin=True))
    page.goto("/admin")
    expect(page.get_by_role("heading", level=1, name=say("Administration", "Управление"))).to_be_visible()
    items = page.get_by_role("main").get_by_role("listitem")
    expect(items).to_have_count(4)
    reasons = {
        "resolution": say("No price came in time", "Цена не пришла вовремя"),
        "series": say("its creator has lost the role", "у автора больше нет роли"),
        "odds": say("do not match", "не совпадают"),
        "payment": say("The payment has failed", "Выплата не удалась"),
    }
    for kind, reason in reasons.items():
        expect(items.filter(has_text=waiting[kind]["name"])).to_contain_text(reason)
    check_page(page)

    # A series is stopped on the spot.
    series = items.filter(has_text="Every hour")
    series.get_by_role("button").click()
    stop = series.get_by_role("button", name=say("Stop the series", "Остановить серию"))
    expect(stop).to_be_visible()
    check_page(page)
    stop.click()
    expect(series.get_by_text(say("Stopped: no new one opens.", "Остановлено: новые не открываются."))).to_be_visible()

    # An admin decides what a rule has not, in place of it.
    items.filter(has_text="A price that never came").get_by_role("link", name=say("Decide", "Решить")).click()
    page.get_by_role("button", name=say("Resolve", "Подвести итог"), exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=say("Void", "Без итога")).click()
    dialog.get_by_label(say("Why, in English", "Почему, по-английски")).fill("No exchange showed a price.")
    dialog.get_by_label(say("Where the result stands", "Где опубликован итог")).fill("https://example.org/prices")
    dialog.get_by_role("button", name=say("Continue", "Дальше"), exact=True).click()
    expect(dialog.get_by_text("No exchange showed a price.")).to_be_visible()
    dialog.get_by_role("textbox").fill(say("resolve", "итог"))
    dialog.get_by_role("button", name=say("Resolve permanently", "Подвести итог окончательно")).click()
    expect(page.get_by_text(say("Paid", "Выплачено"), exact=True)).to_be_visible()
    go(page, "/admin")
    expect(items).to_have_count(2)
    expect(items.filter(has_text=waiting["odds"]["name"])).to_be_visible()


def see_it_paid_after_its_window(site: Service, visitor: BrowserContext, trader: Person, event_id: int) -> None:
    """Let the hour pass that a further result has at least; it is as long as a session's token."""
    site.clock.advance(60 * MINUTE_MS + 1_000)
    page = page_of(visitor, trader)
    page.goto(f"/events/{event_id}")
    expect(page.get_by_text("You were paid")).to_be_visible()
    expect(page.get_by_role("button", name="Object", exact=True)).not_to_be_attached()
    page.goto("about:blank")
    site.clock.advance(-60 * MINUTE_MS - 1_000)


@pytest.mark.parametrize("width", [1440])
def test_a_market_follows_odds_gets_liquidity_and_its_result_is_corrected_before_it_is_paid(
    page: Page, new_visitor: NewContext, follower: Follower, site: Service
) -> None:
    past = Past(follower)
    question = pool(["Ann", "Bob"])
    question["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 10}
    prices = {"Ann": "0.7", "Bob": "0.3"}
    event = follower.event(prices, name="Who leads?", pools=[question])
    cancelled = site.event(name="Never mind")
    (pool_id,) = (one["id"] for one in event["pools"])
    for b in (200_000, 300_000):
        answered(add_liquidity(site.creator.client, pool_id, b), 200)
    past.end()
    assert follower.round(event, after_ms=0)
    trader = site.user(balance_kopecks=10_000)
    for one in (event, cancelled):
        order = {"market_id": one["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 5_000}
        answered(trader.client.post("/market/bets", json=order), 201)

    runner = page_of(new_visitor(), site.creator)
    runner.goto(f"/events/{event['id']}?tab=rules")
    odds = runner.locator("section").filter(has=runner.get_by_role("heading", name="Odds followed"))
    expect(odds.get_by_role("row").filter(has_text="Ann")).to_contain_text("70.0%")
    expect(odds.get_by_text("Following")).to_be_visible()
    added = runner.locator("section").filter(has=runner.get_by_role("heading", name="Liquidity added"))
    expect(added.get_by_role("listitem")).to_have_count(2)
    check_page(runner)

    viewer = page_of(new_visitor(), trader)
    viewer.goto(f"/events/{event['id']}")
    expect(viewer.get_by_role("region", name="Your position")).to_be_visible()
    answered(site.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    expect(viewer.get_by_role("heading", name="Result: Bob")).to_be_visible()
    expect(viewer.get_by_role("button", name="Object", exact=True)).to_be_visible()
    expect(viewer.get_by_text(re.compile(r"Time left: 0\d:\d\d"))).to_be_visible()
    # The dispute is right: an administrator corrects the result, and after the window that one is paid.
    reasons = {"note": "Ann led by two.", "source_url": "https://www.example.org/board"}
    answered(site.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0, **reasons}), 200)
    viewer.reload()
    expect(viewer.get_by_role("heading", name="Result: Ann")).to_be_visible()
    expect(viewer.get_by_text("Given by an administrator")).to_be_visible()
    expect(viewer.get_by_text(reasons["note"])).to_be_visible()
    expect(viewer.get_by_role("link", name="example.org/board")).to_have_attribute("href", reasons["source_url"])
    before = viewer.get_by_role("list", name="How this result came about")
    expect(before.get_by_role("listitem")).to_contain_text("Result: Bob")
    check_page(viewer)
    go(viewer, f"/events/{cancelled['id']}")
    expect(viewer.get_by_role("region", name="Your position")).to_be_visible()
    answered(site.creator.client.post(f"/events/{cancelled['id']}/cancel", json={"note": "Called off."}), 200)
    expect(viewer.get_by_role("heading", name="Void: paid at the last price")).to_be_visible()
    expect(viewer.get_by_text("You were paid")).to_be_visible()
    expect(viewer.get_by_text("Called off.")).to_be_visible()
    expect(viewer.get_by_text(re.compile("^closed "))).to_be_visible()
    check_page(viewer)

    runner.goto("about:blank")
    viewer.goto("about:blank")
    see_it_paid_after_its_window(site, new_visitor(), trader, event["id"])
