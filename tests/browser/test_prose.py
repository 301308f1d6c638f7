"""What people write has links, lists and emphasis wherever it is read, and nothing else of it is markup."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Language, Theme, scrolls_sideways, seen_as
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Service, pool
from tests.support.service import expect as answered

RULES = """Decided by **the last** table:

1. of https://league.test/table?year=2027#top, or
3. of [the archive](https://archive.test/2027)

<b>Not</b> by ![a picture](https://pictures.test/a.png) or [this](javascript:alert(1))."""
#: Its host's first letters are Cyrillic.
LOOKALIKE = "https://аррӏе.com/prizes"
SHOWN = "https://xn--80ak6aa92e.com/prizes"


def check_link(place: Locator, name: str, address: str) -> None:
    """Expect a link that tells its target nothing and lends it no name."""
    link = place.get_by_role("link", name=name, exact=True)
    expect(link).to_have_attribute("href", address)
    expect(link).to_have_attribute("rel", "nofollow ugc noopener")
    expect(link).to_have_attribute("target", "_blank")


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_links_that_people_write_can_be_followed(
    page: Page, new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    event = site.event(pools=[pool(["Reds", "Blues"], rules=RULES)])
    writer = site.user()
    said = f"Look:\n- *here* {LOOKALIKE}.\n- <i>there</i>"
    answered(writer.client.post("/comments", json={"event_id": event["id"], "content": said}), 201)

    page.goto(f"/events/{event['id']}?tab=rules")
    rules = page.get_by_role("main")
    check_link(rules, "https://league.test/table?year=2027#top", "https://league.test/table?year=2027#top")
    check_link(rules, "the archive", "https://archive.test/2027")
    expect(rules).to_contain_text("the archive (archive.test)")
    expect(rules.locator("strong")).to_have_text("the last")
    expect(rules.locator("ol li").nth(1)).to_have_attribute("value", "3")
    expect(rules).to_contain_text("<b>Not</b> by !")
    expect(rules).to_contain_text("[this](javascript:alert(1))")
    expect(rules.locator("[href^=javascript], [src^='https://pictures']")).to_have_count(0)
    check_page(page)

    go(page, f"/events/{event['id']}")
    comment = page.get_by_role("article").filter(has_text="Look:")
    check_link(comment, SHOWN, SHOWN)
    expect(comment.locator("li em")).to_have_text("here")
    expect(comment).to_contain_text("<i>there</i>")
    assert not scrolls_sideways(page)
    # It stays text for programs that ask for it.
    (stored,) = answered(writer.client.get(f"/events/{event['id']}/comments"), 200)["comments"]
    assert stored["content"] == said

    go(page, "/support")
    page.get_by_label(say("Your message", "Ваше сообщение")).fill("My proof: https://proof.test")
    page.keyboard.press("Enter")
    check_link(page.get_by_role("log"), "https://proof.test", "https://proof.test/")
    page.get_by_role("button", name=say("Call an operator", "Позвать оператора")).click()
    desk = page_of(new_visitor(), site.user(operator=True))
    desk.goto("/desk")
    desk.get_by_role("link").filter(has_text="proof.test").last.click()
    check_link(desk.get_by_role("log"), "https://proof.test", "https://proof.test/")
    check_page(desk)
