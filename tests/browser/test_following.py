"""People follow what they care for, set price alerts, share a market, and look at the site's track record."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, Look, Theme, new_context, seen_as, sign_in
from tests.support.providers import Reply, provider
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

LONG_NAME = "A name that goes on and on, as some people's do; " * 4


def bet(person: Person, event: dict[str, Any], amount_kopecks: int, side: str = "YES") -> None:
    market_id = event["pools"][0]["markets"][0]["id"]
    order = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
    answered(person.client.post("/market/bets", json=order), 201)


def notified(person: Person, kind: str) -> bool:
    found = answered(person.client.get("/notifications", params={"limit": 100}), 200)["notifications"]
    return any(one["type"] == kind for one in found)


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_market_a_person_and_a_topic_are_followed_and_given_up(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    topic = f"Bandy {language}"
    maker, reader = site.user(creator=True, name=LONG_NAME[:200]), site.user()
    event = site.event(maker, name=f"Who wins {language}?", tags=[topic])
    visitor = new_visitor().new_page()
    visitor.goto(f"/events/{event['id']}")
    visitor.get_by_role("button", name=say("Follow", "Следить"), exact=True).click()
    expect(visitor.get_by_role("dialog", name=say("Sign in", "Войти"))).to_be_visible()

    page = page_of(new_visitor(), reader)
    page.goto(f"/events/{event['id']}")
    bell = page.get_by_role("button", name=say("Follow", "Следить"), exact=True)
    expect(bell).to_have_attribute("aria-pressed", "false")
    bell.click()
    expect(bell).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(bell).to_have_attribute("aria-pressed", "true")
    following = page.get_by_role("button", name=say("Following", "Вы следите"), exact=True)
    for path in (f"/users/{maker.id}", f"/?tag={topic}"):
        page.goto(path)
        page.get_by_role("main").get_by_role("button", name=say("Follow", "Следить"), exact=True).click()
        expect(following).to_be_visible()
        check_page(page)
    page.get_by_role("button", name=say("Followed", "Слежу")).click()
    expect(page.get_by_role("article").filter(has_text=event["name"])).to_be_visible()
    expect(page).to_have_url(re.compile(r"/\?following=1$"))

    go(page, "/following")
    expect(page.get_by_text(say("You follow 1 question.", "Вы следите за 1 вопросом."))).to_be_visible()
    expect(page.get_by_role("link", name=LONG_NAME[:40])).to_be_visible()
    check_page(page)
    row = page.get_by_role("listitem").filter(has_text=topic)
    row.get_by_role("button").click()
    expect(row.get_by_role("button", name=say("Follow", "Следить"), exact=True)).to_be_visible()
    site.event(name="No news of it", tags=[topic])
    site.event(maker, name="A second one", tags=[topic])
    wait_until(lambda: notified(reader, "creator_published"))
    go(page, "/notifications")
    published = page.get_by_role("listitem").filter(has_text="A second one").first
    expect(published).to_contain_text(say("New from a creator you follow", "Новое от автора, за которым вы следите"))
    expect(page.get_by_text("No news of it")).to_have_count(0)
    check_page(page)


def alert_dialog(page: Page, say: Any) -> Locator:
    return page.get_by_role("dialog", name=say("Price alert", "Оповещение о цене"))


@seen_as((1440, "ru", "dark"), (390, "en", "light"))
def test_a_price_alert_is_set_on_the_scale_and_gone_once_the_price_is_there(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    event = site.event(name=f"Cup {language}?", pools=[pool(["Reds", "Blues"], probabilities=[0.5, 0.5], b=1_000_000)])
    reader, trader = site.user(), site.user(balance_kopecks=100_000_000)
    page = page_of(new_visitor(), reader)
    page.goto(f"/events/{event['id']}")
    handle = page.get_by_role("button", name=re.compile(say("^Price alert.*Reds", "^Оповещение о цене.*Reds")))
    handle.click()
    dialog = alert_dialog(page, say)
    field = dialog.get_by_role("textbox", name=say("Notify me at", "Сообщить при"))
    save = dialog.get_by_role("button", name=say("Set the alert", "Поставить"))
    expect(field).to_have_value("60")
    field.fill("50")
    expect(dialog.get_by_text(say("it is there already", "он уже там"))).to_be_visible()
    expect(save).to_be_disabled()
    dialog.get_by_role("slider").fill("40")
    expect(
        dialog.get_by_text(re.compile(say("when the chance is 40% or less", "опустится до 40.% или ниже")))
    ).to_be_visible()
    save.click()
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    field.fill("62.5")
    save.click()
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    check_page(page)
    dialog.get_by_role("listitem").filter(has_text="40").get_by_role("button").click()
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    dialog.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/settings#notices$"))
    rows = page.get_by_role("heading", name=say("Notifications", "Уведомления"))
    expect(rows).to_be_in_viewport()
    check_page(page)
    page.go_back()
    expect(page.locator(".scale mark")).to_have_count(1)

    answered(reader.client.put(f"/events/{event['id']}/follow"), 200)
    go(page, "/following")
    row = page.get_by_role("listitem").filter(has_text="Reds")
    expect(row.get_by_role("link", name=event["name"])).to_have_attribute("href", re.compile(f"/events/{event['id']}"))
    expect(row).to_contain_text(say("62.5% or more", "62,5 % или выше"))
    check_page(page)

    go(page, f"/events/{event['id']}")
    expect(page.locator(".scale mark")).to_have_count(1)
    bet(trader, event, 1_000_000)
    expect(page.locator(".scale mark")).to_have_count(0)
    wait_until(lambda: notified(reader, "price_alert"))
    go(page, "/notifications")
    notice = page.get_by_role("link").filter(has_text=re.compile(say(r"62\.5%", "62,5")))
    expect(notice).to_contain_text(say("Reds: the chance rose to", "Reds: шанс вырос до"))
    check_page(page)


def check_frame(frame: Locator, question: str, *, width: int) -> None:
    """Check a dark card in a light page: all of it is seen, on its own ground."""
    expect(frame).to_have_attribute("title", question)
    box = frame.bounding_box()
    assert box is not None
    assert round(box["width"]) == width
    card = frame.content_frame
    expect(card.get_by_role("heading", name=question)).to_be_visible()
    expect(card.get_by_role("link", name="Foreknow")).to_be_visible()
    root = card.locator("html")
    assert root.evaluate("html => html.scrollHeight <= innerHeight && html.scrollWidth <= innerWidth")
    expect(root).to_have_css("background-color", "rgb(22, 30, 27)")


@pytest.mark.usefixtures("look")
@pytest.mark.parametrize(("width", "language"), [(390, "en")])
def test_a_market_is_shared_as_a_link_a_picture_and_a_card_that_another_page_shows(
    new_visitor: NewContext, site: Service, findings: Findings
) -> None:
    event = site.event(name='Is "it" likely?', pools=[pool(["Reds", "Blues", "Greens", "Whites"])])
    page = new_visitor().new_page()
    page.goto(f"/events/{event['id']}")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share this question")
    expect(dialog.get_by_role("textbox", name="Link", exact=True)).to_have_value(f"{site.url}/events/{event['id']}")
    picture = dialog.get_by_role("img", name="The question and its chances now")
    expect(picture).to_have_js_property("naturalWidth", 1200)
    dialog.get_by_role("button", name="Dark").click()
    check_page(page)
    code = dialog.get_by_role("textbox", name="Code").input_value()

    foreign = f"<!doctype html><title>Elsewhere</title><div style='width:300px'>{code}</div><p>{code}</p>"
    with provider() as elsewhere:
        elsewhere.replies["/"] = Reply(foreign.encode(), headers={"content-type": "text/html; charset=utf-8"})
        findings.allow(re.escape(elsewhere.url))
        other = new_visitor().new_page()
        other.goto(f"{elsewhere.url}/")
        for number, width in ((0, 300), (1, 374)):
            check_frame(other.locator("iframe").nth(number), event["name"], width=width)
    other = new_visitor().new_page()
    for theme in ("light", "dark"):
        other.goto(f"{site.url}/embed/events/{event['id']}?theme={theme}")
        check_page(other)


@seen_as((390, "ru", "light"), (1440, "en", "dark"))
def test_the_track_record_says_where_there_is_too_little_to_say(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    topic = f"Curling {language}"
    event = site.event(tags=[topic])
    for _ in range(5):
        bet(site.user(balance_kopecks=10_000), event, 1_000)
    answered(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    wait_until(lambda: answered(site.client().get("/record", params={"tag": topic}), 200)["pools"] == 1)
    page = new_visitor().new_page()
    page.goto(f"/record?tag={topic}")
    expect(page.get_by_role("heading", level=1)).to_have_text(say("Track record", "Точность"))
    expect(page.get_by_text(say("Too few to say: 1 outcome.", "Слишком мало, чтобы судить: 1 исход."))).to_be_visible()
    expect(page.locator("svg circle")).to_have_count(1)
    expect(page.locator("svg circle")).to_have_class(re.compile("hollow"))
    expect(page.get_by_role("row").filter(has_text="1/1")).to_contain_text("21–100")
    check_page(page)
    page.get_by_role("button", name=say("30 days before", "За 30 дней")).click()
    expect(page.get_by_text(say("Nothing of this topic", "По этой теме"))).to_be_visible()
    expect(page).to_have_url(re.compile("horizon=30d"))
    check_page(page)


@pytest.mark.parametrize("width", [390])
def test_the_installed_client_keeps_a_page_for_when_there_is_no_connection_and_nothing_of_anyone(
    browser: Browser, site: Service, findings: Findings, look: Look
) -> None:
    findings.allow("ERR_INTERNET_DISCONNECTED")
    context = new_context(browser, site.url, look, workers=True)
    findings.watch(context)
    sign_in(context, site.user(balance_kopecks=10_000))
    page = context.new_page()
    page.goto("/portfolio")
    page.evaluate("() => navigator.serviceWorker.ready")
    page.goto("/settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    kept = page.evaluate(
        "async () => (await Promise.all((await caches.keys()).map(async (name) =>"
        " (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat()"
    )
    assert kept == ["/offline.html"]
    assert page.evaluate("() => Object.keys(localStorage)") == []
    context.set_offline(True)
    page.goto("/portfolio")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    check_page(page)
    context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", level=1, name="Portfolio")).to_be_attached()
    context.close()
