"""A visitor gets an account and a session in the browser: sign-up, sign-in, a lost password, and what goes wrong."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Findings, Language, accessibility_findings, scrolls_sideways, seen_as
from tests.support.service import PASSWORD, Service
from tests.support.sign_in import NEW, new_link

#: Where the visitor came from, and goes back to.
BEFORE = "/search?q=rain"
TEXTS = {
    "en": {
        "sign_in": "Sign in",
        "sign_up": "Sign up",
        "login": "E-mail or nickname",
        "email": "E-mail",
        "password": "Password",
        "name": "Name",
        "common": "Too many people use this password",
        "taken": "There is an account with this e-mail address",
        "instead": "Sign in with this address",
        "wrong": "The login or the password is wrong",
    },
    "ru": {
        "sign_in": "Войти",
        "sign_up": "Зарегистрироваться",
        "login": "Почта или ник",
        "email": "Почта",
        "password": "Пароль",
        "name": "Имя",
        "common": "Такой пароль у слишком многих",
        "taken": "Аккаунт с этой почтой уже есть",
        "instead": "Войти с этой почтой",
        "wrong": "Неверный логин или пароль",
    },
}


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_visitor_signs_up_or_in_and_is_back_where_they_were(
    page: Page, findings: Findings, site: Service, language: Language
) -> None:
    findings.allow(r"status of 4(00|01|09) .*/auth/sign-")
    texts = TEXTS[language]
    known = site.user()
    box = page.get_by_role("main")
    page.goto(BEFORE)
    page.get_by_role("banner").get_by_role("link", name=texts["sign_in"], exact=True).click()
    expect(page.get_by_role("heading", level=1, name=texts["sign_in"])).to_be_visible()
    assert accessibility_findings(page) == []
    box.get_by_role("button", name=texts["sign_up"]).click()
    expect(page.get_by_role("heading", level=1, name=texts["sign_up"])).to_be_visible()

    box.get_by_label(texts["email"], exact=True).fill(known.email)
    box.get_by_label(texts["password"]).fill("password123")
    box.get_by_label(texts["name"], exact=True).fill("Ю" * 200)
    box.get_by_role("button", name=texts["sign_up"]).click()
    expect(box.get_by_text(texts["common"])).to_be_visible()
    expect(box.get_by_label(texts["password"])).to_have_attribute("aria-invalid", "true")
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)

    box.get_by_label(texts["password"]).fill(NEW)
    box.get_by_label(texts["password"]).press("Enter")
    expect(box.get_by_role("alert").filter(has_text=texts["taken"])).to_be_visible()
    box.get_by_role("button", name=texts["instead"]).click()
    expect(box.get_by_label(texts["login"])).to_have_value(known.email)
    box.get_by_label(texts["password"]).fill(NEW)
    box.get_by_role("button", name=texts["sign_in"], exact=True).click()
    expect(box.get_by_role("alert").filter(has_text=texts["wrong"])).to_be_visible()

    box.get_by_label(texts["password"]).fill(PASSWORD)
    box.get_by_label(texts["password"]).press("Enter")
    expect(page).to_have_url(site.url + BEFORE)
    expect(page.get_by_role("banner").locator("a[href='/portfolio']").last).to_contain_text("0")


@pytest.mark.parametrize("width", [390])
@pytest.mark.parametrize("theme", ["dark"])
def test_a_reset_link_sets_a_new_password_once(page: Page, findings: Findings, site: Service) -> None:
    findings.allow(r"status of 400 .*/auth/reset")
    person = site.user()
    link = f"/reset/{new_link(site, person.id)}"
    box = page.get_by_role("main")
    page.goto(link)
    box.get_by_label("New password").fill(NEW)
    assert accessibility_findings(page) == []
    box.get_by_role("button", name="Set the password").click()
    expect(box.get_by_role("status")).to_have_text("The new password is set.")
    site.sign_in(person.email, NEW)

    page.goto(link)
    box.get_by_label("New password").fill(NEW)
    box.get_by_label("New password").press("Enter")
    expect(box.get_by_role("alert")).to_contain_text("This link was used")


@pytest.mark.parametrize("width", [390])
def test_what_keeps_a_visitor_out_is_said(page: Page, findings: Findings, site: Service) -> None:
    findings.allow(r"status of 429")
    person = site.user()
    box = page.get_by_role("main")
    page.goto("/sign-in?error=email_not_verified")
    expect(box.get_by_role("alert")).to_contain_text("Your e-mail address is not verified")

    box.get_by_label("E-mail or nickname").fill(person.nickname)
    box.get_by_label("Password").fill(PASSWORD)
    limited = json.dumps({"error": "rate_limited", "message": "Wait."})
    page.route("**/auth/sign-in", lambda route: route.fulfill(status=429, headers={"retry-after": "2"}, body=limited))
    button = box.get_by_role("button", name="Sign in", exact=True)
    button.click()
    expect(box.get_by_text(re.compile(r"Again in 00:0\d"))).to_be_visible()
    expect(button).to_be_disabled()
    expect(button).to_be_enabled()

    def lose_cookies(route: Route) -> None:
        answer = route.fetch()
        page.context.clear_cookies()
        headers = {name: value for name, value in answer.headers.items() if name != "set-cookie"}
        route.fulfill(status=answer.status, headers=headers, body=answer.body())

    page.unroute("**/auth/sign-in")
    page.route("**/auth/sign-in", lose_cookies)
    button.click()
    expect(box.get_by_role("alert").filter(has_text="this browser did not store the sign-in")).to_be_visible()
    expect(page).to_have_url(re.compile("/sign-in"))
