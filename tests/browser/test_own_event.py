"""A creator's own event: what everyone is shown of their trades, and what they are not offered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from foreknow.kernel.clock import DAY_MS, iso
from tests.browser.conftest import NewContext
from tests.support.browser import Language, seen_as
from tests.support.orders import bet
from tests.support.schema import SqliteFiles
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Service, pool
from tests.support.service import expect as answered


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A service of its own, where creators may trade at home until a test restarts it."""
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


@seen_as((390, "ru", "dark"), (1440, "en", "light"), (390, "en", "light"), (1440, "ru", "dark"))
def test_where_creators_may_not_trade_at_home_they_learn_why_and_are_offered_no_order(
    new_visitor: NewContext, site: Service, language: Language
) -> None:
    say = words(language)
    creator = site.user(creator=True, balance_kopecks=100_000)
    event = site.event(creator, name="Will it rain?", name_ru="Будет ли дождь?")
    answered(bet(creator, event["pools"][0]["markets"][0]["id"], "YES", 10_000), 201)
    port = site.server.port
    site.stop()
    site.settings = site.settings.model_copy(update={"creators_trade": "off"})
    site.start_again(port=port)
    address = f"/events/{event['id']}"

    visitor = new_visitor().new_page()
    visitor.goto(address)
    expect(visitor.get_by_text(say("The creator has traded here", "Автор сам торговал здесь"))).to_be_visible()
    yes = visitor.get_by_role("button", name=say("Yes", "Да")).first
    expect(yes).to_be_visible()
    check_page(visitor)

    # No request is refused: the browser's console would show it.
    own = page_of(new_visitor(), creator)
    own.goto(address)
    reason = say("Creators cannot trade in their own markets here.", "Авторы здесь не торгуют на своих рынках.")
    expect(own.get_by_text(reason)).to_be_visible()
    expect(own.get_by_role("group", name=say("Your bet", "Ваша ставка"))).to_have_count(0)
    for name in (say("Yes", "Да"), say("No", "Нет"), say("Sell", "Продать")):
        expect(own.get_by_role("main").get_by_role("button", name=name)).to_have_count(0)
    expect(own.get_by_text(say("Your position", "Ваша позиция"))).to_be_visible()
    check_page(own)


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_a_creator_is_not_offered_what_a_rule_leaves_to_admins(
    new_visitor: NewContext, site: Service, language: Language
) -> None:
    say = words(language)
    ruled = pool(finish_at=iso(site.clock() + DAY_MS))
    ruled["metadata"]["resolution"] = {"kind": "price", "symbol": "RAIN", "outcomes": [{"above": 1}]}
    creator = site.user(creator=True)
    event = site.event(creator, pools=[ruled])
    own, admin = page_of(new_visitor(), creator), page_of(new_visitor(), site.user(admin=True))
    address = f"/mine?event={event['id']}"
    cancel, edit = say("Cancel the market", "Отменить рынок"), say("Edit", "Изменить")
    for page in (own, admin):
        page.goto(address)
        expect(page.get_by_role("button", name=cancel)).to_be_visible()
    expect(admin.get_by_role("main").get_by_role("link", name=edit)).to_be_visible()
    expect(own.get_by_role("main").get_by_role("link", name=edit)).to_have_count(0)
    warned = say("Once you pause a question that a rule decides", "Если приостановить вопрос, который решает правило")
    expect(own.get_by_text(warned)).to_be_visible()
    own.get_by_role("button", name=say("Pause trading", "Приостановить торги")).click()
    expect(own.get_by_text(say("A rule decides here:", "Здесь решает правило:"))).to_be_visible()
    expect(own.get_by_role("button", name=cancel)).to_have_count(0)
    check_page(own)
    # Its end is fixed in the form, too, for who knows its address.
    own.goto(f"/create/{event['id']}")
    expect(own.get_by_text(say("only an administrator moves it now", "переносит только администратор"))).to_be_visible()
    check_page(own)

    # Void at a moment stands in the form of admins alone.
    for page, count in ((own, 0), (admin, 1)):
        by_hand = site.event(creator) if page is own else event
        go(page, f"/mine?event={by_hand['id']}")
        page.get_by_role("button", name=say("Resolve", "Подвести итог")).first.click()
        page.get_by_role("dialog").get_by_text(say("Void", "Без итога"), exact=True).click()
        expect(page.get_by_label(say("Prices of this moment", "Цены на момент"))).to_have_count(count)
