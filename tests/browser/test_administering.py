"""Administrators give roles and money, run partners, prices and the log, and see what waits for a person."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import NewContext
from tests.site.webhooks.signatures import is_signed
from tests.support.browser import Findings, Language, Theme, seen_as
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Service
from tests.support.service import expect as answered
from tests.support.waiting import wait_until
from tests.support.webhook import webhook


@seen_as((390, "ru", "light"), (1440, "en", "dark"))
def test_an_admin_finds_a_person_and_gives_them_a_role_money_and_a_way_back_in(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language, theme: Theme
) -> None:
    say = words(language)
    person = site.user()
    page = page_of(new_visitor(), site.user(admin=True))
    page.goto("/admin/people")
    page.get_by_role("searchbox", name=say("Name, e-mail", "Имя, почта")).last.fill(person.email)
    page.keyboard.press("Enter")
    creator = page.get_by_role("checkbox", name=say("Creator", "Автор"))
    creator.check()
    expect(creator).to_be_enabled()
    assert answered(person.client.get("/users/me"), 200)["is_creator"]

    amount = page.get_by_label(say("Amount", "Сумма"))
    go_on = page.get_by_role("button", name=say("Go on", "Дальше"))
    confirm = page.get_by_role("button", name=say("Yes, move it", "Да, перевести"))
    again = page.get_by_role("button", name=say("Try again", "Повторить")).last
    amount.fill("1250.50" if language == "en" else "1250,50")
    page.get_by_label(say("Note", "Примечание")).fill("welcome")
    go_on.click()
    check_page(page)

    # The answer gets lost on its way: the same key is sent again, and the money moves once.
    findings.allow("ERR_FAILED|ERR_INTERNET|net::")
    keys: list[str | None] = []
    lost: list[bool] = []

    def lose_first(route: Route) -> None:
        keys.append(route.request.headers.get("idempotency-key"))
        if lost:
            route.continue_()
            return
        lost.append(True)
        route.fetch()
        route.abort()

    page.route("**/credit", lose_first)
    confirm.click()
    again.click()
    expect(page.get_by_text(say("Done:", "Готово:"))).to_be_visible()
    assert len(keys) == 2
    assert keys[0] == keys[1] is not None
    assert answered(person.client.get("/users/me"), 200)["balance_kopecks"] == 125_050
    expect(page.get_by_text("welcome")).to_be_visible()

    page.get_by_role("button", name=say("Take back", "Забрать")).click()
    amount.fill("5000")
    go_on.click()
    findings.allow("409")
    confirm.click()
    expect(page.get_by_role("alert").first).to_be_visible()
    assert answered(person.client.get("/users/me"), 200)["balance_kopecks"] == 125_050

    page.get_by_role("button", name=say("Create a reset link", "Ссылка для сброса")).click()
    link = page.get_by_role("textbox", name=say("Reset link", "Ссылка для сброса"))
    expect(link).to_have_value(re.compile(f"^{re.escape(site.url)}/reset/"))
    check_page(page)


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_an_admin_runs_a_partner(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language, theme: Theme
) -> None:
    say = words(language)
    # A partner without a webhook, an address that is refused, and what follows the removal.
    findings.allow(r"status of 4(00|04) .*/webhook")
    admin = site.user(admin=True)
    name = f"screen-partner-{admin.id}"
    page = page_of(new_visitor(), admin)
    page.goto("/admin/partners")
    page.get_by_label(say("Name", "Название")).fill(name)
    page.get_by_role("button", name=say("Add the partner", "Добавить партнёра")).click()
    key = page.get_by_role("textbox", name=say(f"Key of {name}", f"Ключ партнёра {name}"))
    expect(key).not_to_have_value("")
    client = site.client(partner_key=key.input_value())
    assert answered(client.get("/partner/balance"), 200)["float_balance_kopecks"] == 0
    check_page(page)

    page.get_by_role("link", name=re.compile(name)).click()
    for direction, typed, held in (
        (say("Deposit", "Пополнить"), "700", 70_000),
        (say("Pay out", "Вывести"), "200", 50_000),
    ):
        page.get_by_role("button", name=direction, exact=True).click()
        page.get_by_label(say("Amount", "Сумма")).fill(typed)
        page.get_by_role("button", name=say("Go on", "Дальше")).click()
        page.get_by_role("button", name=say("Yes, move it", "Да, перевести")).click()
        expect(page.get_by_text(say("Done:", "Готово:"))).to_be_visible()
        assert answered(client.get("/partner/balance"), 200)["float_balance_kopecks"] == held
    expect(page.get_by_role("row")).to_have_count(3)
    page.get_by_role("button", name=say("Create a key", "Новый ключ")).click()
    expect(page.get_by_role("button", name=say("Revoke", "Отозвать"), exact=True)).to_have_count(2)
    check_page(page)
    page.get_by_role("button", name=say("Revoke", "Отозвать"), exact=True).last.click()
    page.get_by_role("button", name=say("Revoke permanently", "Отозвать навсегда")).click()
    expect(page.get_by_role("button", name=say("Revoke", "Отозвать"), exact=True)).to_have_count(1)

    try_webhook(page, site, name, say)


def try_webhook(page: Page, site: Service, name: str, say: Words) -> None:
    """Set a partner's webhook on its page, try it, let it fail, and remove it."""
    path = f"/admin/partners/{name}/webhook"
    card = page.locator("section.card").filter(has=page.get_by_role("heading", name=say("Webhook", "Вебхук")))
    address = card.get_by_label(say("Address", "Адрес"))
    put = card.get_by_role("button", name=say("Set", "Задать"))
    test = card.get_by_role("button", name=say("Send a test message", "Отправить тестовое"))
    address.fill("http://shop.example/hook")
    put.click()
    expect(card.get_by_text("must begin with https://")).to_be_visible()
    with webhook() as sink:
        address.fill(sink.address)
        put.click()
        secret = card.get_by_role("textbox", name=say("Webhook secret of", "Секрет вебхука партнёра"))
        expect(secret).to_have_value(re.compile("^whsec_"))
        test.click()
        expect(card.get_by_role("status")).to_contain_text(say("message was accepted", "сообщение принято"))
        assert is_signed(sink.requests[0], secret.input_value())
        sink.status = 503
        answered(site.admin.post(f"/admin/partners/{name}/deposit", json={"amount_kopecks": 1}), 201)
        wait_until(lambda: answered(site.admin.get(path), 200)["failing_since"] is not None)
        test.click()
        expect(card.get_by_role("status")).to_contain_text("status 503")
        expect(card.get_by_text(say("has accepted nothing since", "не принимает с"))).to_contain_text("status 503")
        check_page(page)
    card.get_by_role("button", name=say("Remove", "Удалить"), exact=True).click()
    card.get_by_role("button", name=say("Remove permanently", "Удалить навсегда")).click()
    expect(card.get_by_text(say("only by asking", "только из своих запросов"))).to_be_visible()
    assert site.admin.get(path).status_code == 404


@seen_as((390, "ru", "light"), (1440, "en", "dark"))
def test_an_admin_sets_prices_reads_the_log_and_sees_the_numbers(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    admin = site.user(admin=True, stats_viewer=True)
    symbol = f"SCR{admin.id}"
    site.event()
    page = page_of(new_visitor(), admin)
    page.goto("/admin/prices")
    page.get_by_label(say("Asset", "Актив")).fill(symbol)
    page.get_by_label(say("Name", "Название"), exact=True).fill("Screen coin")
    page.get_by_label(say("Price, USD", "Цена, USD")).fill(say("12.5", "12,5"))
    page.get_by_role("button", name=say("Set", "Задать"), exact=True).first.click()
    expect(page.get_by_text(symbol)).to_be_visible()
    assert answered(site.admin.get(f"/assets/{symbol}/price"), 200)["price"] == 12.5
    page.get_by_label(say("From", "Из")).fill("USD")
    page.get_by_label(say("To", "В"), exact=True).fill("RUB")
    page.get_by_label(say("Rate", "Курс"), exact=True).fill("90")
    page.get_by_role("button", name=say("Set", "Задать"), exact=True).last.click()
    expect(page.get_by_text("USD → RUB")).to_be_visible()
    check_page(page)

    page.get_by_role("link", name=say("Log", "Журнал"), exact=True).click()
    page.get_by_role("link", name="asset.set").first.click()
    expect(page).to_have_url(re.compile("action=asset.set"))
    expect(page.get_by_role("link", name=re.compile(symbol.lower(), re.IGNORECASE)).first).to_be_visible()
    name = answered(admin.client.get("/users/me"), 200)["name"]
    expect(page.get_by_text(f"{name} (user:{admin.id})").first).to_be_visible()
    check_page(page)

    page.get_by_role("link", name=say("Statistics", "Статистика"), exact=True).click()
    tile = page.get_by_role("button", name=re.compile(say("Users", "Пользователи")))
    tile.click()
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("img", name=say("Users by day", "Пользователи по дням"))).to_be_visible()
    check_page(page)


@seen_as((390, "en", "dark"), (1440, "ru", "light"))
def test_a_site_without_mail_says_what_is_missing_and_offers_links(
    new_visitor: NewContext, site: Service, language: Language
) -> None:
    say = words(language)
    page = page_of(new_visitor(), site.user(admin=True))
    page.goto("/admin/members")
    box = page.get_by_role("main")
    expect(box.get_by_text("FOREKNOW_SMTP_URL")).to_be_visible()
    box.get_by_label(say("How many accounts", "Сколько аккаунтов")).fill("30")
    box.get_by_role("button", name=say("Make a link", "Создать ссылку")).click()
    link = box.get_by_role("textbox", name=say("Link that invites", "Ссылка-приглашение"))
    expect(link).to_have_value(re.compile("/invite/"))
    check_page(page)


@seen_as((1440, "en", "light"), (390, "en", "light"))
def test_others_see_only_what_is_theirs(page: Page, new_visitor: NewContext, site: Service) -> None:
    page.goto("/admin")
    page.get_by_role("main").get_by_role("link", name="Sign in").wait_for()
    check_page(page)
    trader = page_of(new_visitor(), site.user())
    trader.goto("/admin/people")
    expect(trader.get_by_role("heading", name="Not for your role")).to_be_visible()
    operator = page_of(new_visitor(), site.user(operator=True))
    operator.goto("/admin")
    expect(operator.get_by_role("navigation", name="Administration").get_by_role("link")).to_have_count(1)
    # What is no part of it is not said to be for others.
    operator.goto("/admin/persons")
    expect(operator.get_by_role("heading", level=1, name="Page not found")).to_be_attached()
