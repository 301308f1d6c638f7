"""Members report what breaks the rules; operators deal with it on one page, by taps or keys."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, Theme, seen_as
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Person, Service
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

LONG_NAME = "A name that goes on and on, as some people's do; " * 4


def comment(author: Person, event: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": content} | more
    made: dict[str, Any] = answered(author.client.post("/comments", json=body), 201)
    return made


def report(person: Person, kind: str, target_id: int, **more: Any) -> int:
    body = {"kind": kind, "id": target_id, "reason": "abuse"} | more
    return int(answered(person.client.post("/reports", json=body), 201)["id"])


def card_of(page: Page, text: str) -> Locator:
    return page.get_by_role("listitem").filter(has_text=text).filter(has=page.get_by_role("button")).first


def reports_of(site: Service, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answered(site.admin.get("/admin/reports", params={"limit": 100} | query), 200)[
        "reports"
    ]
    return found


@pytest.fixture(autouse=True)
def gone(findings: Findings) -> None:
    """The queue has what other tests have reported, too, and have deleted since."""
    findings.allow(r"status of 404 .*/api/v1/(comments|users)/\d+\)")


@seen_as((390, "en", "light"), (1440, "ru", "dark"))
def test_a_comment_is_reported_hidden_and_closed(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    event, ann, bob = site.event(), site.user(name=LONG_NAME[:200]), site.user(name="Bob")
    root = comment(bob, event, "What do you think?")
    rude = comment(ann, event, f"You fool {language}.", parent_id=root["id"])
    comment(bob, event, "Come on.", parent_id=rude["id"])

    page = page_of(new_visitor(), bob)
    page.goto(f"/events/{event['id']}?comment={rude['id']}")
    said = page.get_by_role("article").filter(has_text="You fool").last
    said.get_by_role("button", name=say("Report", "Пожаловаться")).first.click()
    page.get_by_label(say("Insults or threats", "Оскорбления или угрозы")).check()
    page.get_by_label(say("More, if you like", "Подробнее, если хотите")).fill("Not the first time.")
    check_page(page)
    page.get_by_role("button", name=say("Send the report", "Отправить жалобу")).click()
    expect(page.get_by_text(say("Thank you.", "Спасибо."))).to_be_visible()

    desk = page_of(new_visitor(), site.user(operator=True))
    desk.goto("/desk/reports")
    card = card_of(desk, f"You fool {language}.")
    expect(card).to_contain_text("What do you think?")
    expect(card).to_contain_text("Come on.")
    expect(card).to_contain_text("Not the first time.")
    check_page(desk)

    card.get_by_role("button", name=say("Hide", "Скрыть")).click()
    expect(desk.get_by_text(say("The comment is hidden.", "Комментарий скрыт."))).to_be_visible()
    check_page(desk)
    page.goto(f"/events/{event['id']}?comment={rude['id']}")
    expect(page.get_by_text(say("This comment was hidden", "Комментарий скрыт"))).to_be_visible()
    expect(page.get_by_text("You fool")).to_have_count(0)
    desk.get_by_role("button", name=say("Undo", "Отменить")).click()
    expect(card.get_by_role("button", name=say("Hide", "Скрыть"))).to_be_visible()

    card.get_by_role("button", name=say("Close", "Закрыть"), exact=True).click()
    expect(card).to_have_count(0)
    desk.get_by_role("button", name=say("Undo", "Отменить")).click()
    expect(card).to_have_count(1)
    card.get_by_role("button", name=say("Close", "Закрыть"), exact=True).click()
    expect(card).to_have_count(0)
    # Leaving the page sends what waits.
    desk.goto("/desk")
    wait_until(lambda: rude["id"] not in {each["target_id"] for each in reports_of(site, open="true")})


@pytest.mark.parametrize("width", [1440])
def test_keys_choose_hide_mute_and_close(new_visitor: NewContext, site: Service) -> None:
    event, ann, bob = site.event(), site.user(), site.user()
    first, second = comment(ann, event, "Rude one."), comment(ann, event, "Rude two.")
    ids = [report(bob, "comment", each["id"]) for each in (first, second)]
    desk = page_of(new_visitor(), site.user(operator=True))
    desk.goto("/desk/reports")
    newest, older = card_of(desk, "Rude two."), card_of(desk, "Rude one.")
    expect(newest).to_have_attribute("aria-current", "true")
    expect(newest.get_by_role("button", name="Hide")).to_be_visible()
    desk.keyboard.press("j")
    expect(older).to_have_attribute("aria-current", "true")
    expect(older.get_by_role("button", name="Hide")).to_be_visible()
    desk.keyboard.press("h")
    expect(older.get_by_role("button", name="Show again")).to_be_visible()
    desk.keyboard.press("k")
    expect(newest).to_have_attribute("aria-current", "true")
    desk.keyboard.press("m")
    expect(desk.get_by_text("is muted until")).to_be_visible()
    # The next deed makes the one before it final.
    with desk.expect_response("**/muted") as muting:
        desk.keyboard.press("c")
    assert muting.value.ok
    expect(newest).to_have_count(0)
    assert answered(ann.client.get("/users/me"), 200)["muted_until"] is not None
    # Another screen does, too.
    with desk.expect_response("**/close") as closing:
        go(desk, "/desk")
    assert closing.value.ok
    assert ids[1] not in {each["id"] for each in reports_of(site, open="true")}


@seen_as((390, "en", "light"), (1440, "ru", "dark"))
def test_events_and_people_are_reported(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    event, ann, bob = site.event(name=f"Will it rain {language}?"), site.user(name="Ann"), site.user()
    page = page_of(new_visitor(), bob)
    for address in (f"/events/{event['id']}", f"/users/{ann.id}"):
        page.goto(address)
        page.get_by_role("button", name=say("Report", "Пожаловаться"), exact=True).first.click()
        page.get_by_label(say("Spam or advertising", "Спам или реклама")).check()
        page.get_by_role("button", name=say("Send the report", "Отправить жалобу")).click()
        page.get_by_text(say("Thank you.", "Спасибо.")).wait_for()
    found = {(each["kind"], each["target_id"]) for each in reports_of(site, open="true")}
    assert {("event", event["id"]), ("user", ann.id)} <= found
    desk = page_of(new_visitor(), site.user(operator=True))
    desk.goto("/desk/reports")
    expect(card_of(desk, f"Will it rain {language}?")).to_be_visible()
    check_page(desk)


@pytest.mark.parametrize("width", [390])
def test_the_page_is_for_operators(page: Page, new_visitor: NewContext, site: Service, findings: Findings) -> None:
    page.goto("/desk/reports")
    page.get_by_role("main").get_by_role("link", name="Sign in").wait_for()
    check_page(page)
    trader = page_of(new_visitor(), site.user())
    trader.goto("/desk/reports")
    expect(trader.get_by_text("This page is for operators.")).to_be_visible()
