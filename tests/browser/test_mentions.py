"""People name each other in comments, and see what the authors of comments held."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route
from playwright.sync_api import expect as see

from tests.support.browser import Language, Theme, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.screens import go
from tests.support.service import Person, Service, expect, pool


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_people_are_named_while_one_types(page: Page, site: Service, language: Language, theme: Theme) -> None:
    ann, bob, cid = site.user(balance_kopecks=100_000), site.user(), site.user()
    expect(ann.client.patch("/users/me", json={"name": "Аня Абель"}), 200)
    event = site.event(pools=[pool(["Reds", "Blues"])])
    bet = {"market_id": event["pools"][0]["markets"][1]["id"], "token_type": "NO", "amount_kopecks": 5_000}
    shares = expect(ann.client.post("/market/bets", json=bet), 201)["shares"]
    about = {"event_id": event["id"]}
    root = expect(ann.client.post("/comments", json=about | {"content": f"What says @{bob.nickname}?"}), 201)
    expect(cid.client.post("/comments", json=about | {"content": "Nothing.", "parent_id": root["id"]}), 201)
    sign_in(page.context, bob)
    page.goto(f"/events/{event['id']}?comment={root['id']}")

    # What is written names people, and says what its author held.
    thread = page.get_by_role("article").filter(has_text="What says")
    see(thread.get_by_role("link", name=f"@{bob.nickname}")).to_have_attribute("href", f"/users/{bob.id}")
    held = f"{shares / 100:.2f}"
    words = {"en": f"holds ₽{held} No · Blues", "ru": f"Нет: {held.replace('.', ',')} ₽ · Blues"}[language]
    see(thread.get_by_text(words.replace("\N{NO-BREAK SPACE}", " "))).to_be_visible()

    # The leaders answer late: those who talk here are there at once, the author of what one replies to first.
    late: list[Route] = []
    page.route("**/api/v1/leaderboard*", lambda route: late.append(route))  # noqa: PLW0108 -- playwright marks it
    thread.get_by_role("button", name={"en": "Reply", "ru": "Ответить"}[language]).first.click()
    box = thread.get_by_role("textbox")
    box.press_sequentially("I ask @")
    people = page.get_by_role("listbox", name={"en": "People to name", "ru": "Кого упомянуть"}[language])
    options = people.get_by_role("option")
    see(options.first).to_contain_text("Аня Абель")
    see(options).to_have_count(2)
    see(options.nth(0)).to_have_attribute("aria-selected", "true")
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    see(people).to_be_in_viewport(ratio=0.9)

    box.press("ArrowUp")
    see(options.nth(1)).to_have_attribute("aria-selected", "true")
    see(box).to_have_attribute("aria-activedescendant", re.compile("-1$"))
    for each in late:
        each.continue_()
    box.press("Tab")
    see(people).not_to_be_attached()
    see(box).to_have_value(f"I ask @{cid.nickname} ")
    see(box).to_be_focused()

    _type_further(box, options, ann, cid)
    box.press("Control+Enter")
    reply = page.get_by_role("article").filter(has_text="I ask").last
    see(reply.get_by_role("link", name=f"@{ann.nickname}")).to_be_visible()
    see(reply.get_by_role("link", name=f"@{cid.nickname}")).to_have_count(2)
    notified = expect(cid.client.get("/notifications"), 200)["notifications"]
    assert [(one["type"], one["event_id"]) for one in notified] == [("comment_mention", event["id"])]


def _type_further(box: Locator, options: Locator, ann: Person, cid: Person) -> None:
    # By name, then by Enter; Escape ends the suggestions, not the reply; an address names no one.
    box.press_sequentially("and @абе")
    see(options).to_have_count(1)
    box.press("Escape")
    see(options).to_have_count(0)
    box.press_sequentially("л")
    see(options).to_have_count(0)
    box.press("Backspace")
    for _ in "абе":
        box.press("Backspace")
    box.press("Backspace")
    box.press_sequentially("@Аня")
    see(options).to_have_count(1)
    box.press("Enter")
    box.press_sequentially("at me@ann")
    see(options).to_have_count(0)
    see(box).to_have_value(f"I ask @{cid.nickname} and @{ann.nickname} at me@ann")
    box.press_sequentially(f" @{cid.nickname}")
    options.first.click()


@pytest.mark.parametrize("width", [1440])
def test_one_may_keep_to_oneself_what_one_held(page: Page, site: Service) -> None:
    ann = site.user(balance_kopecks=100_000)
    event = site.event()
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 5_000}
    expect(ann.client.post("/market/bets", json=bet), 201)
    expect(ann.client.post("/comments", json={"event_id": event["id"], "content": "It will."}), 201)
    sign_in(page.context, ann)
    page.goto(f"/events/{event['id']}")
    comment = page.get_by_role("article").filter(has_text="It will.")
    see(comment.get_by_text(re.compile(r"^holds ₽[\d.]+ Yes$"))).to_be_visible()
    go(page, "/settings")
    page.get_by_label("Show beside my comments what I held").uncheck()
    page.get_by_role("button", name="Save").click()
    see(page.get_by_text("Saved.")).to_be_visible()
    go(page, f"/events/{event['id']}")
    see(comment).to_be_visible()
    see(comment.get_by_text("holds")).not_to_be_attached()
