"""The client starts at any of its addresses, in a browser, within the service's policy."""

from __future__ import annotations

import re
import time
from itertools import product
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import (
    SIZES,
    TIMEOUT_MS,
    Findings,
    Language,
    Theme,
    accessibility_findings,
    scrolls_sideways,
    seen_as,
)

LANGUAGES: tuple[Language, ...] = ("ru", "en")
THEMES: tuple[Theme, ...] = ("dark", "light")
NOT_FOUND = {"en": "Page not found", "ru": "Страница не найдена"}


@seen_as(*product(sorted(SIZES), LANGUAGES, THEMES))
def test_an_address_that_is_none_has_a_page_that_leads_on(
    page: Page, findings: Findings, language: Language, theme: Theme
) -> None:
    page.goto("/nowhere")
    expect(page.get_by_role("heading", level=1, name=NOT_FOUND[language])).to_be_attached()
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert not scrolls_sideways(page)
    assert accessibility_findings(page) == []

    page.locator("main a[href='/']").click()
    expect(page).to_have_url(re.compile(r"/$"))
    expect(page.get_by_role("main")).not_to_be_empty()


@seen_as((390, "en", "light"), (1440, "en", "light"))
def test_a_link_to_a_page_of_the_client_opens_that_page_and_so_does_a_reload(page: Page, findings: Findings) -> None:
    opened = page.goto("/search?q=rain")
    for answer in (opened, page.reload()):
        assert answer is not None
        assert answer.status == 200
        expect(page.get_by_role("main").get_by_role("combobox")).to_have_value("rain")
    page.goto("/nowhere")
    page.go_back()
    expect(page.get_by_role("main").get_by_role("combobox")).to_have_value("rain")


@seen_as((1440, "en", "light"), (390, "en", "light"))
def test_without_a_connection_the_page_says_so_until_it_is_back(page: Page, findings: Findings) -> None:
    findings.allow("ERR_INTERNET_DISCONNECTED")
    page.goto("/nowhere")
    expect(page.get_by_role("heading", level=1, name=NOT_FOUND["en"])).to_be_attached()
    page.context.set_offline(True)
    expect(page.get_by_role("status").filter(has_text="No connection")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("No connection")).not_to_be_attached()


@pytest.mark.parametrize("width", [1440])
def test_after_an_upgrade_a_page_whose_code_is_gone_is_reloaded_but_not_again_and_again(
    page: Page, findings: Findings
) -> None:
    findings.allow(r"status of 404 .*/assets/")
    loads: list[str] = []
    page.goto("/nowhere")
    page.on("load", lambda loaded: loads.append(loaded.url))
    broken = "throw new RangeError('broken')"
    page.route("**/assets/Search-*.js", lambda route: route.fulfill(content_type="text/javascript", body=broken))
    page.locator("main a[href='/search']").click()
    failed = page.get_by_role("alert").filter(has_text="This page did not load")
    expect(failed).to_be_visible()
    assert loads == []

    page.route("**/assets/Home-*.js", lambda route: route.fulfill(status=404), times=1)
    page.locator("header a.mark").click()
    expect(page.get_by_role("heading", level=1, name="Markets")).to_be_attached()
    assert [urlsplit(url).path for url in loads] == ["/"]

    page.route("**/assets/Leaders-*.js", lambda route: route.fulfill(status=404))
    page.locator("header a[href='/leaders']").click()
    expect(failed).to_be_visible()
    assert len(loads) == 1
    page.unroute("**/assets/Leaders-*.js")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaders")


@seen_as((1440, "en", "light"), (390, "en", "light"))
def test_what_a_page_may_not_do_fails_its_test(page: Page, findings: Findings) -> None:
    page.goto("/nowhere")
    page.evaluate("console.error('wrong')")
    page.evaluate("fetch('https://elsewhere.example/').catch(() => 0)")
    page.evaluate("setTimeout(() => { throw new Error('broken') })")
    page.evaluate("() => { try { document.body.innerHTML = '<b>' } catch {} }")
    expected = ["wrong", "elsewhere.example", "broken", "TrustedHTML"]
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while missing := [text for text in expected if not any(text in finding for finding in findings.found)]:
        assert time.monotonic() < deadline, (missing, findings.found)
        page.wait_for_timeout(20)
    findings.found.clear()


@seen_as((1440, "en", "light"), (390, "en", "light"))
def test_pages_that_scroll_sideways_or_shut_people_out_are_noticed(page: Page) -> None:
    page.goto("/nowhere")
    expect(page.get_by_role("main")).to_be_attached()
    page.evaluate(
        "() => { const wide = document.createElement('img'); wide.width = 3000; wide.height = 9;"
        " document.querySelector('main').append(wide); }"
    )
    assert scrolls_sideways(page)
    assert any(finding.startswith("image-alt") for finding in accessibility_findings(page))
