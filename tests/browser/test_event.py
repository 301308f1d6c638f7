"""The page of an event: what it says at a glance, how it moves, what people write, and what becomes of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser import (
    TIMEOUT_MS,
    Findings,
    Language,
    Theme,
    accessibility_findings,
    scrolls_sideways,
    seen_as,
)
from tests.support.pictures import image
from tests.support.screens import go
from tests.support.service import PASSWORD, Person, Service, pool
from tests.support.service import expect as answered

NAMES = ["14.00% or lower", "14.50%", "15.00%"]
RULES = "By the press release of the central bank."
TEXTS: dict[str, Any] = {
    "en": {
        "name": "Key rate in December?",
        "outcome": "14.50%",
        "rules": RULES,
        "tabs": ["Rules", "Trades", "Holders"],
        "of_outcome": "Outcome",
        "terms": "The house loses at most",
        "fresh": "Show 1 new comment",
        "no_trades": "No trades yet.",
        "no_trades_of_it": "No trades of this outcome yet.",
        "yes": "Yes 60.0 kop.",
        "none": "No comments yet.",
    },
    "ru": {
        "name": "Какой будет ставка в декабре?",
        "outcome": "14,50 %",
        "rules": "По сообщению центрального банка.",
        "tabs": ["Правила", "Сделки", "Держатели"],
        "of_outcome": "Исход",
        "terms": "Площадка теряет не больше",
        "fresh": "Показать 1 новый комментарий",
        "no_trades": "Сделок ещё нет.",
        "no_trades_of_it": "Сделок с этим исходом ещё нет.",
        "yes": "Да 60,0 коп.",
        "none": "Комментариев пока нет.",
    },
}


QUESTION = pool(NAMES, probabilities=[0.1, 0.6, 0.3], rules=RULES, margin=0.02, b=1_000_000)
QUESTION["metadata"] |= {
    "market_names_ru": ["14,00 % или ниже", "14,50 %", "15,00 %"],
    "rules_ru": TEXTS["ru"]["rules"],
}


@pytest.fixture
def rates(site: Service) -> dict[str, Any]:
    """A question with three outcomes, in both languages."""
    return site.event(name=TEXTS["en"]["name"], name_ru=TEXTS["ru"]["name"], tags=["Rates"], pools=[QUESTION])


def sign_in(context: BrowserContext, site: Service, person: Person) -> None:
    """Give a browser the session of a person."""
    answer = context.request.post(f"{site.api_url}/auth/sign-in", data={"login": person.email, "password": PASSWORD})
    assert answer.ok, answer.text()


def bet(person: Person, market: dict[str, Any], amount: int) -> None:
    """Buy YES."""
    body = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": amount}
    answered(person.client.post("/market/bets", json=body), 201)


def comment(person: Person, event: dict[str, Any], content: str) -> None:
    """Write under an event."""
    answered(person.client.post("/comments", json={"event_id": event["id"], "content": content}), 201)


def in_minutes(site: Service, minutes: int) -> str:
    """Return a time ahead, by the service's clock."""
    now = datetime.fromtimestamp(site.clock() / 1000, UTC)
    return (now + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_a_visitor_sees_a_question_and_how_it_moves(
    page: Page, site: Service, rates: dict[str, Any], language: Language, theme: Theme
) -> None:
    texts = TEXTS[language]
    trader = site.user(balance_kopecks=1_000_000)
    related = site.event(name=f"As well {trader.nickname}?", tags=["Rates"], pools=[QUESTION])
    page.goto(f"/events/{rates['id']}")
    expect(page.get_by_role("heading", level=1, name=str(texts["name"]))).to_be_visible()
    expect(page).to_have_title(re.compile(re.escape(str(texts["name"]))))
    row = page.get_by_role("listitem").filter(has_text=str(texts["outcome"]))
    expect(row.get_by_role("button").first).to_contain_text(str(texts["yes"]))
    expect(page.get_by_text(str(texts["rules"]))).to_be_visible()
    expect(page.get_by_text(str(texts["no_trades"]))).to_be_visible()
    expect(page.get_by_text(str(texts["none"]))).to_be_visible()
    expect(page.get_by_role("figure").get_by_role("img")).to_be_visible()
    card = page.get_by_role("article").filter(has_text=related["name"])
    expect(card.get_by_role("listitem").first).to_contain_text(str(texts["outcome"]))
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)

    # Whatever others do shows without a reload.
    bet(trader, rates["pools"][0]["markets"][1], 200_000)
    expect(row.get_by_role("button").first).not_to_contain_text(str(texts["yes"]))
    expect(page.get_by_role("table").get_by_text(str(texts["outcome"]))).to_be_visible()
    comment(trader, rates, "They said so <b>themselves</b>.")
    page.get_by_role("button", name=str(texts["fresh"])).click()
    expect(page.get_by_text("They said so <b>themselves</b>.")).to_be_visible()

    for tab in texts["tabs"]:
        page.get_by_role("link", name=re.compile(f"^{tab}")).click()
        expect(page.get_by_role("link", name=re.compile(f"^{tab}"))).to_have_attribute("aria-current", "true")
        expect(page.get_by_text(str(texts["terms"]))).to_be_visible(visible=tab == texts["tabs"][0])
        if tab == texts["tabs"][1]:
            _trades_of_an_outcome(page, rates, texts)
        assert accessibility_findings(page) == []
        assert not scrolls_sideways(page)


def _trades_of_an_outcome(page: Page, event: dict[str, Any], texts: dict[str, Any]) -> None:
    first, traded, _ = event["pools"][0]["markets"]
    choice = page.get_by_role("combobox", name=str(texts["of_outcome"]))
    choice.select_option(str(first["id"]))
    expect(page.get_by_text(str(texts["no_trades_of_it"]))).to_be_visible()
    expect(page).to_have_url(re.compile(rf"outcome={first['id']}\b"))
    choice.select_option(str(texts["outcome"]))
    expect(page.get_by_role("table").get_by_text(str(texts["outcome"]))).to_be_visible()
    expect(page).to_have_url(re.compile(rf"outcome={traded['id']}\b"))


@pytest.mark.parametrize("width", [390])
def test_people_talk(page: Page, site: Service, rates: dict[str, Any]) -> None:
    writer, reader = site.user(), site.user()
    comment(reader, rates, "Who knows?")
    sign_in(page.context, site, writer)
    page.goto(f"/events/{rates['id']}")
    thread = page.get_by_role("article").filter(has_text="Who knows?")
    thread.get_by_role("button", name="Like: 0").first.click()
    expect(thread.get_by_role("button", name="Like: 1").first).to_have_attribute("aria-pressed", "true")
    thread.get_by_role("button", name="Reply").click()
    box = thread.get_by_role("textbox", name="Write a reply")
    box.fill("They do.")
    box.press("Control+Enter")
    reply = thread.get_by_role("article").filter(has_text="They do.")
    expect(reply).to_be_visible()
    expect(page.get_by_text("new comment")).not_to_be_attached()
    assert accessibility_findings(page) == []
    reply.get_by_role("button", name="Delete").click()
    reply.get_by_role("button", name="Delete permanently").click()
    expect(thread.get_by_text("This comment was deleted.")).to_be_visible()

    # A link leads to a comment, its thread open.
    (found,) = answered(reader.client.get(f"/events/{rates['id']}/comments"), 200)["comments"]
    go(page, f"/events/{rates['id']}?comment={found['id']}")
    expect(thread.get_by_text("This comment was deleted.")).to_be_visible()


@pytest.mark.parametrize("width", [1440])
def test_a_market_is_published_paused_and_decided_before_ones_eyes(
    page: Page, site: Service, findings: Findings
) -> None:
    findings.allow("status of 404")  # of a draft's address, which says nothing of it to any visitor
    creator = site.user(creator=True)
    trader = site.user(balance_kopecks=100_000)
    question = pool(NAMES, finish_at=in_minutes(site, 600))
    question["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    event = site.event(creator, publish=False, pools=[question], versus_names=NAMES[1:])
    own = answered(creator.client.put(f"/events/{event['id']}/image", content=image()), 200)["image_url"]
    sides = {"versus_images": ["", f"{site.url}{own}"]}
    answered(creator.client.patch(f"/events/{event['id']}", json=sides), 200)
    pool_id, markets = event["pools"][0]["id"], event["pools"][0]["markets"]

    sign_in(page.context, site, creator)
    page.goto(f"/events/{event['id']}")
    expect(page.get_by_role("button", name="Publish")).to_be_visible()
    # Its chart begins with the publication.
    chart = page.get_by_role("img", name="chances over time")
    expect(chart).to_have_count(0)
    page.get_by_role("button", name="Publish").click()
    expect(chart).to_be_visible()
    row = page.get_by_role("listitem").filter(has_text=NAMES[1])
    expect(row.get_by_role("button").first).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text=NAMES[2]).locator("img")).to_be_visible()
    expect(row.locator("img")).to_have_count(0)
    bet(trader, markets[1], 10_000)

    sign_in(page.context, site, trader)
    page.reload()
    expect(page.get_by_role("region", name="Your position")).to_be_visible()
    answered(creator.client.post(f"/pools/{pool_id}/pause"), 200)
    expect(page.get_by_text("Trading is paused by the market's creator.")).to_be_visible()
    expect(row.get_by_role("button")).to_have_count(0)
    answered(creator.client.post(f"/pools/{pool_id}/resume"), 200)
    expect(row.get_by_role("button").first).to_be_visible()

    answered(creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    expect(page.get_by_role("heading", name=f"Result: {NAMES[1]}")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Time left: \d\d:\d\d"))).to_be_visible()
    assert accessibility_findings(page) == []
    expect(page.get_by_role("button", name="Object", exact=True)).to_be_visible()
    # Where a site takes no objections, its page leads to the team.
    go(page, f"/support?event={event['id']}&pool={pool_id}")
    begun = re.compile(rf"^I dispute the result of “{event['name']}” \({site.url}/events/{event['id']}\)")
    expect(page.get_by_label("Your message")).to_have_value(begun)


@pytest.mark.parametrize(("width", "language"), [(390, "ru")])
def test_what_was_paid_is_shown(page: Page, site: Service, rates: dict[str, Any], language: Language) -> None:
    trader = site.user(balance_kopecks=100_000)
    pool_id, markets = rates["pools"][0]["id"], rates["pools"][0]["markets"]
    bet(trader, markets[1], 10_000)
    sign_in(page.context, site, trader)
    page.goto(f"/events/{rates['id']}")
    expect(page.get_by_role("region", name="Ваша позиция")).to_be_visible()
    answered(site.creator.client.post(f"/pools/{pool_id}/resolve", json={"payouts": [0, 0.4, 0.6]}), 200)
    expect(page.get_by_role("heading", name="Итог поделён: 14,50 % 40,0 коп., 15,00 % 60,0 коп.")).to_be_visible()
    expect(page.get_by_text("Вам выплачено")).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.get_by_text("выплата 40,0 коп.")).to_be_visible()
    expect(page.get_by_role("region", name="Ваша позиция")).not_to_be_attached()
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)


@pytest.mark.parametrize("width", [1440])
def test_a_series_leads_on_and_what_is_not_there_leads_elsewhere(page: Page, site: Service, findings: Findings) -> None:
    findings.allow("status of 404")
    event = site.event(loop_interval_minutes=60, pools=[pool(finish_at=in_minutes(site, 45))])
    page.goto(f"/events/{event['id']}")
    series = page.get_by_role("navigation", name="Series")
    expect(series.get_by_text(re.compile(r"No\. 1 of a series, one every 1 h\. The next one opens in"))).to_be_visible()
    page.goto("/events/999999999")
    expect(page.get_by_role("heading", level=1, name="Page not found")).to_be_attached()
    expect(page.get_by_role("main").get_by_role("link", name="Search questions")).to_be_visible()
