"""A creator makes a market in one form, publishes, changes and resolves it; others learn how to become one."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, Theme, seen_as, sign_in
from tests.support.result_dialog import give_at_once
from tests.support.screens import Words, check_page, go, page_of, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered

MATCH = "Who wins the derby?"
PICTURE = "https://example.org/reds.png"


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_creator_makes_publishes_and_resolves_a_market(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    _fill_in_a_list(page, say, f"Who will be mayor? {creator.nickname}")
    _publish_and_resolve(page, say, creator)


def _fill_in_a_list(page: Page, say: Words, name: str) -> None:
    """Make a market of two outcomes at 60 and 40 percent, with the mistakes that people make."""
    make = page.get_by_role("button", name=say("Create the market", "Создать рынок"))
    page.goto("/create")
    page.get_by_role("radio", name=say("One of several", "Один из нескольких")).check()
    make.click()  # nothing is filled in yet
    question = page.get_by_label(say("Question", "Вопрос"), exact=True)
    expect(question).to_be_focused()
    expect(question).to_have_attribute("aria-invalid", "true")
    question.fill(name)
    names = page.get_by_placeholder(re.compile(say("Outcome", "Исход")))
    _paste(names.nth(0), "- Ann\n\n2. Bob\n• ann\n")
    expect(page.get_by_text(say("Left out as duplicates: ann", "Повторы пропущены: ann"))).to_be_visible()
    expect(names.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(names.nth(2)).to_be_focused()
    page.keyboard.press("Backspace")
    expect(names).to_have_count(2)
    names.nth(1).fill("مرشح طويل " * 15)
    page.get_by_role("button", name=say("My own", "Свои")).click()
    page.get_by_placeholder("%").nth(0).fill("60")
    make.click()
    expect(page.get_by_role("alert").filter(has_text="100")).to_be_visible()
    page.get_by_role("button", name=re.compile("100")).click()
    expect(page.get_by_placeholder("%").nth(1)).to_have_value("40")
    preview = page.get_by_label(say("What it will look like", "Как это будет выглядеть"))
    expect(preview.locator("article")).to_contain_text(name)
    expect(preview.locator("article")).to_contain_text(re.compile("Ann.*60\\s?%"))
    check_page(page)

    expect(page.get_by_text(say("Draft kept", "Черновик сохранён"))).to_be_visible()
    page.reload()
    expect(names.nth(0)).to_have_value("Ann")
    _more(page, say).click()
    expect(page.get_by_label(say("Who gives the result", "Кто объявляет итог"))).to_be_visible()
    page.get_by_label(say("Topics", "Темы"), exact=True).fill("politics,")
    expect(page.get_by_role("button", name=re.compile("politics"))).to_be_visible()
    expect(page.get_by_text(re.compile(say("on the first outcome", "на первый исход")))).to_be_visible()
    check_page(page)
    _add_a_match(page, say)
    make.click()


def _more(page: Page, say: Words) -> Locator:
    return page.locator("summary").filter(has_text=say("More", "Дополнительно"))


def _paste(field: Locator, text: str) -> None:
    field.evaluate(
        """(field, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }""",
        text,
    )


def _add_a_match(page: Page, say: Words) -> None:
    """Ask a second thing about the event, and look what all of it can cost."""
    page.get_by_role("button", name=say("Add a question", "Добавить вопрос")).click()
    page.get_by_role("radio", name=say("A match", "Матч")).check()
    page.get_by_label(say("Question", "Вопрос"), exact=True).fill(MATCH)
    page.get_by_placeholder(say("First side", "Первая сторона")).fill("Reds")
    page.get_by_placeholder(say("Second side", "Вторая сторона")).fill("Blues")
    picture = page.get_by_label(say("Picture of Reds", "Картинка: Reds"))
    picture.fill("reds.png")
    _more(page, say).click()
    page.get_by_role("button", name=say("Create the market", "Создать рынок")).click()
    expect(picture).to_be_focused()  # what holds it has opened
    check_page(page)
    picture.fill(PICTURE)
    expect(page.get_by_text(say("All 2 questions together", "Все 2 вопроса вместе")).first).to_be_visible()
    match = page.get_by_role("heading", name=MATCH)
    page.get_by_role("button", name=say(f"Move up: {MATCH}", f"Выше: {MATCH}")).click()
    expect(match).to_be_focused()
    page.get_by_role("button", name=say(f"Move down: {MATCH}", f"Ниже: {MATCH}")).click()
    check_page(page)


def _publish_and_resolve(page: Page, say: Words, creator: Person) -> None:
    """Publish the market that was just made, stop and go on, add money, and let Ann win."""
    expect(page).to_have_url(re.compile(r"/mine\?event=\d+$"))
    event_id = int(page.url.split("=")[1])
    page.get_by_role("button", name=say("Publish", "Опубликовать")).click()
    panel = page.get_by_role("region", name="Who will be mayor?")
    pause = panel.get_by_role("button", name=say("Pause trading", "Приостановить торги"))
    expect(pause).to_be_visible()
    event = answered(creator.client.get(f"/events/{event_id}"), 200)
    assert event["status"] == "active"
    assert [one["name"] for one in event["pools"]] == [event["name"], MATCH]
    assert event["versus_images"] == [PICTURE, ""]
    assert [round(market["yes_probability"], 9) for market in event["pools"][0]["markets"]] == [0.6, 0.4]
    check_page(page)

    pause.click()
    panel.get_by_role("button", name=say("Resume trading", "Возобновить торги")).click()
    expect(pause).to_be_visible()
    panel.get_by_role("button", name=say("Add liquidity", "Добавить ликвидность")).click()
    more = page.get_by_role("dialog")
    more.get_by_label(say("The house risks more by", "Площадка рискует больше на")).fill("500")
    more.get_by_role("button", name=say("Add it", "Добавить"), exact=True).click()
    expect(more).to_have_count(0)
    assert len(answered(creator.client.get(f"/events/{event_id}"), 200)["pools"][0]["liquidity"]) == 2

    panel.get_by_role("button", name=say("Resolve", "Подвести итог"), exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="Ann").check()
    check_page(page)
    give_at_once(dialog, say)
    expect(page.get_by_text(say("Ann won", "Итог: Ann"))).to_be_visible()
    assert answered(creator.client.get(f"/events/{event_id}"), 200)["pools"][0]["won_side"] == 0


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_new_market_is_edited_and_cancelled_and_a_split_is_paid(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language, theme: Theme
) -> None:
    findings.allow(r"status of 400 .*/pools/")
    say = words(language)
    creator = site.user(creator=True)
    pools = [pool(["Reds", "Blues"], name=MATCH), pool(name="Will it snow?")]
    name = f"Draft of {creator.nickname}"
    draft = site.event(creator, publish=False, name=name, pools=pools, versus_names=["Reds", "Blues"])
    open_one = site.event(creator, name=f"Open one of {creator.nickname}")
    page = page_of(new_visitor(), creator)

    page.goto("/mine")
    mine = page.get_by_role("link", name=re.compile(draft["name"]))
    expect(mine).to_be_visible()
    check_page(page)
    mine.click()
    page.get_by_role("link", name=say("Edit", "Изменить"), exact=True).click()
    field = page.get_by_label(say("The whole market in English", "Весь рынок по-английски"))
    field.fill("A better question")
    page.get_by_label(say("Main question", "Главный вопрос")).select_option("Will it snow?")
    page.get_by_label(say("Picture of Blues", "Картинка: Blues")).fill(PICTURE)
    begins, ends = (
        page.get_by_label(label).nth(1)
        for label in (say("Trading begins", "Начало торгов"), say("Trading ends", "Конец торгов"))
    )
    begins.fill("2071-01-01T12:00")
    ends.fill("2070-01-01T12:00")
    save = page.get_by_role("button", name=say("Save", "Сохранить"), exact=True)
    save.click()
    expect(ends).to_be_focused()  # the service refuses the second question's times
    check_page(page)
    ends.fill("2072-01-01T12:00")
    save.click()
    expect(page.get_by_role("heading", name="A better question")).to_be_visible()
    edited = answered(creator.client.get(f"/events/{draft['id']}"), 200)
    assert (edited["main_pool_index"], edited["versus_images"]) == (1, ["", PICTURE])
    assert edited["pools"][1]["finish_at"].startswith("2072-01-01T09:00")
    page.get_by_role("button", name=say("Cancel the market", "Отменить рынок")).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(say("cancel", "отмена"))
    dialog.get_by_role("button", name=say("Cancel permanently", "Отменить навсегда")).click()
    expect(page.get_by_role("button", name=say("Publish", "Опубликовать"))).to_have_count(0)
    assert answered(creator.client.get(f"/events/{draft['id']}"), 200)["status"] == "cancelled"

    go(page, f"/mine?event={open_one['id']}")
    page.get_by_role("button", name=say("Resolve", "Подвести итог"), exact=True).click()
    dialog.get_by_role("button", name=say("Split", "Поделить")).click()
    parts = dialog.get_by_placeholder("0")
    parts.nth(0).fill("30")
    parts.nth(1).fill("70")
    give_at_once(dialog, say)
    expect(page.get_by_text(say("Paid", "Выплачено"), exact=True)).to_be_visible()
    resolved = answered(creator.client.get(f"/events/{open_one['id']}"), 200)["pools"][0]
    assert resolved["resolution"]["payouts"] == [0.3, 0.7]


@pytest.mark.parametrize("width", [1440])
def test_a_price_rule_and_a_recurring_market_are_made(new_visitor: NewContext, site: Service) -> None:
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    end = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    make = page.get_by_role("button", name="Create the market")
    page.goto("/create")
    page.get_by_role("radio", name="A price").check()
    page.get_by_label("Question", exact=True).fill("Coin at {finish_at}")
    page.get_by_label("Asset").fill("coin")
    page.get_by_label("Thresholds are").select_option("times")
    page.get_by_label("Threshold 1").fill("1")
    expect(page.get_by_text("Below 1 × the start").first).to_be_visible()
    make.click()  # the rule needs the end of trading
    expect(page.get_by_text("The rule needs the end of trading.")).to_be_visible()
    page.get_by_label("Trading ends").fill(end)
    page.locator("summary").filter(has_text="More").click()
    page.get_by_label("Dispute window, minutes").fill("10")
    page.get_by_label("Repeats").select_option("15")
    make.click()
    expect(page).to_have_url(re.compile(r"/mine\?event=\d+$"))
    event = answered(creator.client.get(f"/events/{page.url.split('=')[1]}"), 200)
    assert event["loop_interval_minutes"] == 15
    rule = event["pools"][0]["metadata"]["resolution"]
    assert rule["outcomes"] == [{"below": {"times": 1}}, {"from": {"times": 1}}]
    assert rule["dispute_minutes"] == 10

    # The same rule decides once its maker has paused it: what they know may be more than the price says.
    end_the_market = page.get_by_role("button", name="Cancel the market")
    expect(end_the_market).to_be_visible()
    price = {"price": 100, "name": "Coin", "asset_type": "crypto"}
    answered(site.admin.put("/admin/assets/COIN", json=price), 200)
    answered(creator.client.post(f"/events/{event['id']}/publish"), 200)
    answered(creator.client.post(f"/pools/{event['pools'][0]['id']}/pause"), 200)
    page.reload()
    expect(page.get_by_text("A rule decides here: only an administrator can cancel")).to_be_visible()
    expect(end_the_market).to_have_count(0)


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_draft_stays_with_its_creator(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    """Through Back, another tab, and the end of a session."""
    say = words(language)
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    question = say("Question", "Вопрос")
    page.goto("/create")
    page.get_by_label(question, exact=True).fill("Will it snow?")
    go(page, "/mine")
    page.wait_for_url("**/mine")
    page.go_back()
    expect(page.get_by_label(question, exact=True)).to_have_value("Will it snow?")

    late = page.context.new_page()
    late.goto("/create")
    expect(late.get_by_label(question, exact=True)).to_have_value("Will it snow?")
    late.get_by_label(question, exact=True).fill("Will it rain?")
    changed = page.get_by_role("alert").filter(has_text=say("in another tab", "в другой вкладке"))
    expect(changed).to_be_visible()
    page.get_by_label(question, exact=True).fill("Will it hail?")
    expect(changed).to_be_visible()
    check_page(page)
    late.reload()
    expect(late.get_by_label(question, exact=True)).to_have_value("Will it rain?")
    page.get_by_role("button", name=say("Keep this one", "Оставить этот")).click()
    expect(changed).to_have_count(0)
    late.get_by_role("button", name=say("Take that one", "Взять тот")).click()
    expect(late.get_by_label(question, exact=True)).to_have_value("Will it hail?")

    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_text(say("Sign in to create a market", "Войдите, чтобы создать рынок"))).to_be_visible()
    sign_in(page.context, creator)
    page.reload()
    expect(page.get_by_label(question, exact=True)).to_have_value("Will it hail?")
    expect(page.get_by_text(say("Draft kept", "Черновик сохранён"))).to_be_visible()
    page.get_by_role("button", name=say("Start again", "Начать заново")).click()
    page.reload()
    expect(page.get_by_label(question, exact=True)).to_have_value("")


@seen_as((390, "en", "light"), (1440, "en", "light"))
def test_who_is_no_creator_learns_how_to_become_one(
    page: Page, new_visitor: NewContext, site: Service, findings: Findings
) -> None:
    page.goto("/create")
    expect(page.get_by_role("main").get_by_role("link", name="Sign in")).to_have_attribute(
        "href", re.compile("next=%2Fcreate")
    )
    check_page(page)
    person = page_of(new_visitor(), site.user())
    person.goto("/create")
    person.get_by_role("link", name="Write to support").wait_for()
    check_page(person)
