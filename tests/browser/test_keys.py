"""A user makes a key for a bot in the browser, uses it, and revokes it."""

from __future__ import annotations

import re
import shlex

import httpx
from playwright.sync_api import Page
from playwright.sync_api import expect as see

from tests.support.browser import Language, accessibility_findings, scrolls_sideways, seen_as, sign_in
from tests.support.service import Service, expect, refused

TEXTS = {
    "en": {
        "open": "See your API keys",
        "none": "No keys yet",
        "name": "Name",
        "trade": "Read and trade",
        "make": "Make the key",
        "key": "Key",
        "command": "Command",
        "copied": "I have copied it",
        "unused": "never used",
        "used": "last used",
        "revoke": "Revoke",
        "sure": "Revoke the key",
        "keep": "Keep it",
    },
    "ru": {
        "open": "Посмотреть ключи API",
        "none": "Ключей пока нет",
        "name": "Название",
        "trade": "Читать и торговать",
        "make": "Создать ключ",
        "key": "Ключ",
        "command": "Команда",
        "copied": "Ключ скопирован",
        "unused": "не использовался",
        "used": "последний раз использован",
        "revoke": "Отозвать",
        "sure": "Отозвать ключ",
        "keep": "Оставить",
    },
}


@seen_as((390, "en", "dark"), (1440, "ru", "light"))
def test_a_key_is_made_shown_once_used_and_revoked(page: Page, site: Service, language: Language) -> None:
    texts, person = TEXTS[language], site.user(balance_kopecks=10_000)
    market = site.event()["pools"][0]["markets"][0]
    sign_in(page.context, person)
    page.goto("/settings")
    page.get_by_role("link", name=texts["open"]).click()
    see(page.get_by_role("heading", name=texts["none"])).to_be_visible()
    assert accessibility_findings(page) == []

    page.get_by_label(texts["name"], exact=True).fill("Price bot " * 10)
    page.get_by_role("radio", name=re.compile(f"^{texts['trade']}")).check()
    page.get_by_role("button", name=texts["make"]).click()
    field = page.get_by_label(texts["key"], exact=True)
    see(field).to_have_value(re.compile("^fku_"))
    key = field.input_value()
    command = shlex.split(page.get_by_label(texts["command"], exact=True).input_value())
    assert command == ["curl", "-H", f"Authorization: Bearer {key}", f"{site.api_url}/users/me/positions"]
    row = page.get_by_role("listitem").filter(has_text="Price bot")
    see(row).to_contain_text(texts["unused"])
    assert accessibility_findings(page) == []
    assert not scrolls_sideways(page)

    bot = {"Authorization": f"Bearer {key}"}
    bet = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 1_000}
    expect(httpx.post(f"{site.api_url}/market/bets", json=bet, headers=bot), 201)
    page.get_by_role("button", name=texts["copied"]).click()
    see(field).not_to_be_attached()
    page.reload()
    see(row).to_contain_text(texts["used"])
    assert key not in page.content()

    row.get_by_role("button", name=texts["revoke"]).click()
    row.get_by_role("button", name=texts["keep"]).click()
    row.get_by_role("button", name=texts["revoke"]).click()
    assert accessibility_findings(page) == []
    row.get_by_role("button", name=texts["sure"]).click()
    see(page.get_by_role("heading", name=texts["none"])).to_be_visible()
    refused(httpx.get(command[-1], headers=bot), 401, "unauthorized")
