"""Clarifications stand under the rules: written by who runs the market, read by all, hidden by operators."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, iso
from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, seen_as
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A service of its own, whose clock a test moves."""
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


@seen_as((390, "ru", "dark"), (1440, "en", "light"), (320, "en", "dark"))
def test_a_creator_makes_the_rules_clearer_for_all_to_read(
    page: Page, new_visitor: NewContext, site: Service, findings: Findings, language: Language
) -> None:
    say = words(language)
    creator, operator = site.user(creator=True), site.user(operator=True)
    event = site.event(creator, pools=[pool(b=10_000, rules="The score decides.")])
    address = f"/events/{event['id']}"
    page.goto(address)
    expect(page.get_by_text("The score decides.")).to_be_visible()
    begin = say("Make the rules clearer", "Уточнить правила")
    expect(page.get_by_role("button", name=begin)).to_have_count(0)

    own = page_of(new_visitor(), creator)
    own.goto(address)
    own.get_by_role("button", name=begin).click()
    expect(
        own.get_by_text(say("The rules themselves never change", "Сами правила не меняются никогда"))
    ).to_be_visible()
    own.get_by_role("button", name=say("Publish it", "Опубликовать")).click()
    expect(own.get_by_text(say("Write what is clearer now", "Напишите, что теперь яснее"))).to_be_visible()
    check_page(own)
    own.get_by_label(say("In English", "По-английски")).fill("Extra time counts.")
    own.get_by_label(say("In Russian", "По-русски")).fill("Овертайм считается.")
    own.get_by_role("button", name=say("Publish it", "Опубликовать")).click()
    said = say("Extra time counts.", "Овертайм считается.")
    expect(own.get_by_text(said)).to_be_visible()
    expect(own.get_by_role("button", name=begin)).to_be_visible()
    check_page(own)

    # Who has the page open sees it come.
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_role("heading", name=say("1 clarification", "1 уточнение"))).to_be_visible()
    expect(page.get_by_text(say("by the creator", "от автора"))).to_be_visible()
    check_page(page)

    # In one language it stands for both, the newest last.
    path = f"/pools/{event['pools'][0]['id']}/clarifications"
    answered(site.admin.post(path, json={"text": "Only in English."}), 201)
    expect(page.get_by_text("Only in English.")).to_be_visible()
    expect(page.get_by_text(say("by the site’s team", "от команды сайта"))).to_be_visible()
    expect(page.get_by_role("heading", name=say("2 clarifications", "2 уточнения"))).to_be_visible()

    team = page_of(new_visitor(), operator)
    team.goto(address)
    team.get_by_role("button", name=say("Hide", "Скрыть"), exact=True).first.click()
    expect(team.get_by_text(say("hidden from others", "скрыт от других"))).to_be_visible()
    expect(team.get_by_text(said)).to_be_visible()
    check_page(team)
    page.reload()
    hidden = say("This clarification was hidden", "Уточнение скрыто")
    expect(page.get_by_text(hidden)).to_be_visible()
    expect(page.get_by_text(said)).to_have_count(0)
    team.get_by_role("button", name=say("Show again", "Показать снова")).click()
    expect(team.get_by_text(say("hidden from others", "скрыт от других"))).to_have_count(0)
    page.reload()
    expect(page.get_by_text(said)).to_be_visible()


@seen_as((1440, "ru", "light"), (390, "en", "dark"))
def test_an_overdue_pool_waits_for_the_team(
    page: Page, new_visitor: NewContext, site: Service, language: Language
) -> None:
    say = words(language)
    creator = site.user(creator=True)
    event = site.event(creator, pools=[pool(b=10_000, finish_at=iso(site.clock() + MINUTE_MS))])
    site.clock.advance(MINUTE_MS + 72 * HOUR_MS)
    site.sign_out_shared()
    wait_until(lambda: answered(site.admin.get("/admin/attention"), 200)["entries"], workers=["overdue-pools"])

    admin = page_of(new_visitor(), site.user(admin=True))
    admin.goto("/admin/attention")
    expect(admin.get_by_text(say("Overdue", "Просрочен"), exact=True)).to_be_visible()
    expect(admin.get_by_text(say("no one has given the result", "а итога нет"))).to_be_visible()
    link = admin.get_by_role("link", name=say("Decide", "Решить"))
    expect(link).to_have_attribute("href", f"/mine?event={event['id']}")
    check_page(admin)
    page.goto(f"/events/{event['id']}")
    expect(
        page.get_by_text(say("It should have been decided by now", "Итог должен был появиться раньше"))
    ).to_be_visible()
    # An admin makes the rules clearer until the result, its creator no longer.
    begin = say("Make the rules clearer", "Уточнить правила")
    link.click()
    expect(admin.get_by_text(say("for more than three days", "больше трёх дней"))).to_be_visible()
    go(admin, f"/events/{event['id']}")
    expect(admin.get_by_role("button", name=begin)).to_be_visible()
