"""A user changes their profile, picture, password, sessions and this browser's choices, and reads notifications."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.support.browser import Findings, Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.pictures import image
from tests.support.screens import go
from tests.support.service import PASSWORD, Service, expect, pool, refused
from tests.support.sign_in import NEW, elsewhere, try_sign_in

TEXTS = {
    "en": {
        "name": "Name",
        "nickname": "Nickname, optional",
        "save": "Save",
        "saved": "Saved.",
        "taken": "This nickname is taken",
        "hide": "Hide my profile",
        "picture": "Choose a picture",
        "remove": "Remove it",
        "not_image": "This is not a complete PNG",
        "old": "Current password",
        "new": "New password",
        "change": "Change the password",
        "wrong": "This is not your current password",
        "changed": "The password is changed",
        "end_others": "End all others",
        "light": "Light",
        "dark": "Dark",
    },
    "ru": {
        "name": "Имя",
        "nickname": "Ник, по желанию",
        "save": "Сохранить",
        "saved": "Сохранено.",
        "taken": "Этот ник занят",
        "hide": "Скрыть мой профиль",
        "picture": "Выбрать картинку",
        "remove": "Убрать",
        "not_image": "Это не полная картинка",
        "old": "Текущий пароль",
        "new": "Новый пароль",
        "change": "Сменить пароль",
        "wrong": "Это не ваш текущий пароль",
        "changed": "Пароль сменён",
        "end_others": "Завершить все остальные",
        "light": "Светлое",
        "dark": "Тёмное",
    },
}


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_user_changes_their_account(
    page: Page, findings: Findings, site: Service, language: Language, theme: str
) -> None:
    findings.allow(r"status of (400|401|409) .*/users/me")
    texts, person, other = TEXTS[language], site.user(), site.user()
    abroad = elsewhere(site, person)
    sign_in(page.context, person)
    box = page.get_by_role("main")
    page.goto("/settings")
    name = box.get_by_label(texts["name"], exact=True)
    see(name).to_have_value(re.compile("Person"))
    see(box.get_by_role("button", name=texts["end_others"])).to_be_visible()
    assert accessibility_findings(page) == []

    name.fill("شخص آخر " * 25)
    box.get_by_label(texts["nickname"]).fill(other.nickname.upper())
    box.get_by_label(texts["hide"]).check()
    box.get_by_role("button", name=texts["save"]).click()
    see(box.get_by_text(texts["taken"])).to_be_visible()
    box.get_by_label(texts["nickname"]).fill("")
    box.get_by_role("button", name=texts["save"]).click()
    see(box.get_by_text(texts["saved"])).to_be_visible()
    assert not scrolls_sideways(page)
    user = expect(person.client.get("/users/me"), 200)
    assert (user["nickname"], user["profile_hidden"]) == ("", True)

    picker = box.locator("input[type=file]")
    picker.set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": b"no picture"})
    see(box.get_by_role("alert")).to_contain_text(texts["not_image"])
    picker.set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": image()})
    see(box.locator(".face img")).to_be_visible()
    box.get_by_role("button", name=texts["remove"]).click()
    see(box.locator(".face img")).to_have_count(0)

    old, new = box.get_by_label(texts["old"]), box.get_by_label(texts["new"])
    old.fill("wrong horse battery")
    new.fill(NEW)
    new.press("Enter")
    see(box.get_by_text(texts["wrong"])).to_be_visible()
    assert accessibility_findings(page) == []
    old.fill(PASSWORD)
    box.get_by_role("button", name=texts["change"]).click()
    see(box.get_by_text(texts["changed"])).to_be_visible()
    refused(abroad.get("/users/me"), 401, "unauthorized")

    expect(try_sign_in(site, person.email, NEW), 200)
    page.reload()
    box.get_by_role("button", name=texts["end_others"]).click()
    see(box.locator("#sessions li")).to_have_count(1)

    chosen = "light" if theme == "dark" else "dark"
    box.get_by_role("button", name=texts[chosen]).click()
    see(page.locator("html")).to_have_attribute("data-theme", chosen)
    assert accessibility_findings(page) == []


@pytest.mark.parametrize("width", [1440])
def test_times_are_shown_in_the_zone_of_the_account(page: Page, site: Service) -> None:
    event = site.event(pools=[pool(finish_at="2096-11-20T15:00:00.000Z")])
    sign_in(page.context, site.user())
    page.goto(f"/events/{event['id']}")
    see(page.get_by_text(re.compile("20 November 2096 at 18:00")).first).to_be_visible()
    go(page, "/settings")
    # The page asks for the account as well: what counts is that the choice was taken.
    with page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        page.get_by_label("Time zone").select_option("Pacific/Auckland")
    go(page, f"/events/{event['id']}")
    see(page.get_by_text(re.compile("21 November 2096 at 04:00")).first).to_be_visible()


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_notifications_are_read_by_being_seen(page: Page, site: Service, language: Language) -> None:
    person = site.user(balance_kopecks=10_000)
    rain = pool(["A great deal", "A little"], name="Did it rain?", name_ru="Шёл ли дождь?")
    rain["metadata"]["market_names_ru"] = ["Сильный", "Слабый"]
    event = site.event(name="Did it rain?", name_ru="Шёл ли дождь?", pools=[rain])
    the_pool = event["pools"][0]
    bet = {"market_id": the_pool["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 5_000}
    # Who trades follows: of the event's end a worker notifies at any time, also after the page was seen.
    expect(person.client.put("/users/me/notification-settings", json={"event_resolved": {"app": False}}), 200)
    expect(person.client.post("/market/bets", json=bet), 201)
    expect(site.creator.client.post(f"/pools/{the_pool['id']}/resolve", json={"won_side": 0}), 200)
    sign_in(page.context, person)
    box = page.get_by_role("main")
    page.goto("/notifications")
    texts = {
        "en": "Result: A great deal. Your Yes · A great deal paid",
        "ru": "Итог: Сильный. По «Да · Сильный» выплачено",
    }
    one = box.get_by_role("link").filter(has_text=texts[language])
    see(one).to_be_visible()
    see(one).to_contain_text(re.compile({"en": r"\+₽\d", "ru": r"\+\d.*₽"}[language]))
    see(box.get_by_role("link", name={"en": "Did it rain?", "ru": "Шёл ли дождь?"}[language])).to_be_visible()
    see(one).to_contain_text({"en": "New", "ru": "Новое"}[language])
    unread = {"en": "1 unread notification", "ru": "1 непрочитанное уведомление"}[language]
    see(page.get_by_label(unread)).to_have_count(0)
    assert expect(person.client.get("/notifications/unread/count"), 200)["count"] == 0
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    box.get_by_role("button", name={"en": "Comments", "ru": "Обсуждения"}[language]).click()
    see(box.get_by_text({"en": "Nothing of this kind yet", "ru": "Такого пока не было"}[language])).to_be_visible()
    box.get_by_role("button", name={"en": "Results", "ru": "Итоги"}[language]).click()
    one.click()
    see(page).to_have_url(f"{site.url}/portfolio?tab=closed")
    page.go_back()
    see(one).to_be_visible()


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_the_tape_shows_trades_of_the_least_amount_and_stands_still_under_a_pointer(
    page: Page, site: Service, language: Language, width: int
) -> None:
    person = site.user(balance_kopecks=100_000, name="Каллиопа")
    market_id = site.event(name="Will it snow?")["pools"][0]["markets"][0]["id"]
    box = page.get_by_role("main")
    page.goto("/live?least=100")
    see(box.get_by_role("status")).to_have_text({"en": "connected", "ru": "на связи"}[language])

    def bet(amount_kopecks: int) -> None:
        order = {"market_id": market_id, "token_type": "NO", "amount_kopecks": amount_kopecks}
        expect(person.client.post("/market/bets", json=order), 201)

    bet(5_000)
    bet(10_000)
    trades = box.get_by_role("listitem").filter(has_text="Каллиопа")
    see(trades).to_have_count(1)
    see(trades.first).to_contain_text("Will it snow?")
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)
    if width == 1440:
        trades.first.hover()
        bet(20_000)
        see(box.get_by_text("1 new trade waits")).to_be_visible()
        see(trades).to_have_count(1)
        page.mouse.move(5, 5)
        see(trades).to_have_count(2)
    box.get_by_role("button", name={"en": "All", "ru": "Все"}[language], exact=True).click()
    see(trades).to_have_count({1440: 3, 390: 2}[width])
    see(page).to_have_url(f"{site.url}/live")
