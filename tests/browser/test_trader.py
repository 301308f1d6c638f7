"""The whole way of a trader, from a question found by a stranger to its payout; in long on PostgreSQL, too."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.books import Auditor
from tests.support.browser import Language
from tests.support.lengths import LONG, length
from tests.support.screens import Words, check_page, words
from tests.support.service import Service
from tests.support.service import expect as answered
from tests.support.sign_in import NEW

ON_POSTGRES = pytest.param("postgres", 390, "en", "light", marks=pytest.mark.postgres)


@pytest.fixture
def site(database: str, request: pytest.FixtureRequest) -> Service:
    """The service on the database of the test's parameter."""
    running: Service = request.getfixturevalue(f"{database}_service")
    return running


@LONG
@pytest.mark.parametrize(
    ("database", "width", "language", "theme"),
    [
        ("sqlite", 390, "ru", "dark"),
        *length(short=[], long=[("sqlite", 1440, "en", "light"), ON_POSTGRES]),
    ],
)
@pytest.mark.usefixtures("theme")
def test_a_stranger_signs_up_bets_sells_comments_and_is_paid(
    page: Page, site: Service, language: Language, width: int
) -> None:
    say = words(language)
    question = f"Will bridge {width} of {site.creator.nickname} open?"
    event = site.event(name=question)
    page.goto(f"/search?q={question}")
    page.get_by_role("main").get_by_role("link", name=question).first.click()
    slip = _slip_before_signing_up(page, say, question, width)
    signed_up = _sign_up(page, say, f"trader_{width}_{site.creator.nickname}@example.org")
    expect(slip.get_by_text(say("Your balance is empty", "На балансе пусто"))).to_be_visible()
    expect(slip.get_by_role("textbox")).to_have_value("100")

    site.credit(signed_up["user"]["id"], 50_000)
    page.reload()
    _bet_and_sell_half(page, say, slip, width)
    thought = page.get_by_role("textbox", name=say("Write what you know", "Напишите, что вы об этом знаете"))
    thought.fill("Паводок מאוחר this year")
    page.get_by_role("button", name=say("Send", "Отправить"), exact=True).click()
    expect(page.get_by_role("article").filter(has_text="Паводок")).to_be_visible()
    check_page(page)

    answered(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(page.get_by_text(say("You were paid", "Вам выплачено"))).to_be_visible()
    me = answered(site.client(token=signed_up["access_token"]).get("/users/me"), 200)
    assert me["balance_kopecks"] > 50_000
    purse = page.get_by_role("banner").locator("a[href='/portfolio']").last
    roubles, kopecks = divmod(me["balance_kopecks"], 100)
    expect(purse).to_contain_text(re.compile(rf"{roubles}[.,]{kopecks:02}"))
    purse.click()
    page.get_by_role("main").get_by_role("link", name=say("Closed", "Закрытые")).click()
    expect(page.get_by_text(say("Won", "Выиграла"), exact=True).locator("visible=true")).to_have_count(1)
    Auditor(site).audit()


def _slip_before_signing_up(page: Page, say: Words, question: str, width: int) -> Locator:
    """Enter a stake, and be asked who one is: what was entered stays."""
    yes = page.get_by_role("button", name=re.compile(say("^Yes 50", "^Да 50")))
    (yes.last if width == 390 else yes.first).click()
    slip = page.get_by_role("region", name=question)
    slip.get_by_role("textbox").fill("100")
    slip.get_by_role("button", name=say("Sign in to bet", "Войти, чтобы сделать ставку")).click()
    return slip


def _sign_up(page: Page, say: Words, email: str) -> dict[str, Any]:
    """Sign up over the page; return the service's answer."""
    dialog = page.get_by_role("dialog").filter(has=page.get_by_label(say("Password", "Пароль")))
    dialog.get_by_role("button", name=say("Sign up", "Зарегистрироваться")).click()
    dialog.get_by_label(say("E-mail", "Почта")).fill(email)
    dialog.get_by_label(say("Password", "Пароль")).fill(NEW)
    dialog.get_by_label(say("Name", "Имя"), exact=True).fill("עדה לאבלייס")
    with page.expect_response("**/auth/sign-up") as signed_up:
        dialog.get_by_role("button", name=say("Sign up", "Зарегистрироваться")).click()
    made: dict[str, Any] = signed_up.value.json()
    return made


def _bet_and_sell_half(page: Page, say: Words, slip: Locator, width: int) -> None:
    slip.get_by_role("textbox").fill("100")
    slip.get_by_role("button", name=say("Buy Yes for ₽100", "Купить «Да» за")).click()
    done = slip.get_by_role("button", name=say("Done", "Хорошо"))
    done.click()
    if width == 390:
        page.keyboard.press("Escape")
        expect(slip).not_to_be_attached()
    position = page.get_by_role("region", name=say("Your position", "Ваша позиция"))
    position.get_by_role("button", name=say("Sell all for", "Продать всё за")).click()
    slip.get_by_role("button", name="50%").click()
    slip.get_by_role("button", name=re.compile(say("^Sell Yes for", "^Продать «Да» за"))).click()
    expect(slip.get_by_text(say("Sold for", "Продано за"))).to_be_visible()
    done.click()
    if width == 390:
        page.keyboard.press("Escape")
    expect(position).to_be_visible()
