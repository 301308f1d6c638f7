"""Search: questions are suggested while one types."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.browser import Findings, Language, Look, seen_as
from tests.support.screens import Words, check_page, words
from tests.support.service import Service, pool
from tests.support.service import expect as answered

CARDS = "**/api/v1/cards?q=*"


@pytest.fixture
def say(language: Language) -> Words:
    """The words of the page's language."""
    return words(language)


def _field(page: Page, look: Look) -> Locator:
    """Open the field: that of the top bar at the desk, that of its own screen on a phone."""
    page.goto("/search" if look.width == 390 else "/")
    part = page.get_by_role("main" if look.width == 390 else "banner")
    return part.get_by_role("combobox")


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_questions_are_suggested_while_one_types(
    page: Page, site: Service, look: Look, say: Words, findings: Findings
) -> None:
    """By keyboard alone: an option, all results, and back to what is typed. By touch where there is no keyboard."""
    findings.allow(r"status of 500 .*/cards")
    word = f"q{uuid.uuid4().hex[:8]}"
    rain = site.event(name=f"Will it rain, {word}?")
    cup = site.event(name=f"Who wins the cup, {word}?", pools=[pool(["Reds", "Blues"], probabilities=[0.7, 0.3])])
    over = site.event(name=f"Did it snow, {word}?")
    answered(site.creator.client.post(f"/pools/{over['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)

    field = _field(page, look)
    field.press_sequentially(word)
    options = page.get_by_role("option")
    expect(options).to_have_count(4)  # three questions, and all results
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(options.filter(has_text=rain["name"])).to_contain_text("50")
    expect(options.filter(has_text=cup["name"])).to_contain_text("Reds 70")
    check_page(page)

    field.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", re.compile("-0$"))
    check_page(page)
    field.press("ArrowUp")
    expect(page.get_by_role("option", selected=True)).to_have_count(0)
    field.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_have_value(word)
    field.press("ArrowDown")
    expect(options).to_have_count(4)
    if look.width == 390:
        options.filter(has_text=rain["name"]).tap()
    else:
        while field.get_attribute("aria-activedescendant") != options.filter(has_text=rain["name"]).get_attribute("id"):
            field.press("ArrowDown")
        field.press("Enter")
    expect(page).to_have_url(re.compile(rf"/events/{rain['id']}\b"))
    expect(options).to_have_count(0)

    # Nothing is found, nothing comes: what is typed can be searched for all the same.
    field = _field(page, look)
    field.press_sequentially(f"{word}x")
    expect(page.get_by_text(say("No question has these words", "Таких слов нет"))).to_be_visible()
    page.route(CARDS, lambda route: route.fulfill(status=500, json={"error": "internal_error", "message": "Failed."}))
    field.press_sequentially("y")
    expect(page.get_by_text(say("Nothing came back", "Ответа нет"))).to_be_visible()
    check_page(page)
    page.unroute(CARDS)
    field.fill(word)
    field.press("Enter")
    expect(page).to_have_url(re.compile(rf"/search\?q={word}"))
    expect(options).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("link", name=rain["name"]).first).to_be_visible()


@pytest.mark.parametrize("width", [1440])
def test_an_answer_that_comes_late_is_not_shown_for_what_was_typed_since(page: Page, site: Service) -> None:
    word = f"q{uuid.uuid4().hex[:8]}"
    first, second = site.event(name=f"First, {word}?"), site.event(name=f"Second, {word} indeed?")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route) if route.request.url.count("indeed") == 0 else route.continue_()

    page.route(CARDS, hold)
    page.goto("/")
    field = page.get_by_role("banner").get_by_role("combobox")
    field.fill(word)
    expect(page.get_by_text("Searching")).to_be_visible()
    page.wait_for_timeout(300)
    field.fill(f"{word} indeed")
    options = page.get_by_role("option")
    expect(options.filter(has_text=second["name"])).to_be_visible()
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    expect(options.filter(has_text=first["name"])).to_have_count(0)
    expect(options).to_have_count(2)
