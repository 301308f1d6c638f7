"""Results that people trust: given with reasons after a look at what they pay, objected to, replaced, and then paid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, iso
from tests.browser.conftest import NewContext
from tests.support.browser import Language, Theme, seen_as
from tests.support.orders import bet
from tests.support.result_dialog import go_on
from tests.support.schema import SqliteFiles
from tests.support.screens import Words, check_page, go, page_of, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered

SOURCE = "https://www.example.org/derby"


@pytest.fixture
def site(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A service of its own, whose clock a test moves."""
    running = Service(sqlite_files.fresh_database())
    yield running
    running.stop()


def closed_market(site: Service, creator: Person, *traders: tuple[Person, str]) -> dict[str, Any]:
    """Make a market with a window of half an hour, in which people trade until it is closed; return its pool."""
    described = pool(b=10_000, rules="The score decides.", finish_at=iso(site.clock() + MINUTE_MS))
    described["metadata"] |= {"resolution": {"kind": "manual", "dispute_minutes": 30}, "sources": [SOURCE]}
    made: dict[str, Any] = site.event(creator, pools=[described])
    asked: dict[str, Any] = made["pools"][0] | {"event_id": made["id"]}
    for number, (person, side) in enumerate(traders):
        # The second of them reads a clarification before.
        if number == 1:
            text = {"text": "Extra time counts."}
            answered(creator.client.post(f"/pools/{asked['id']}/clarifications", json=text), 201)
        answered(bet(person, asked["markets"][0]["id"], side, 2_000), 201)
    site.clock.advance(MINUTE_MS)
    return asked


def amount(kopecks: int, language: Language) -> str:
    """Return an amount as the client shows it."""
    text = f"{kopecks // 100}.{kopecks % 100:02}"
    return f"₽{text}" if language == "en" else f"{text.replace('.', ',')}\u00a0₽"


def decide(page: Page, say: Words, button: str, answer: str) -> Locator:
    """Open the dialog from the event's page and choose an answer; return the dialog."""
    page.get_by_role("button", name=button).click()
    dialog = page.get_by_role("dialog")
    expect(
        dialog.get_by_text(say("Rules, sources, 1 clarification", "Правила, источники, 1 уточнение"))
    ).to_be_visible()
    dialog.get_by_role("radio", name=answer).check()
    return dialog


def give(page: Page, dialog: Locator, say: Words) -> None:
    check_page(page)
    dialog.get_by_role("button", name=say("Give this result", "Объявить этот итог")).click()
    expect(dialog).to_have_count(0)


def paid_by(site: Service, person: Person, event_id: int) -> int:
    """Return what the result will pay a person."""
    page = answered(person.client.get(f"/events/{event_id}/page"), 200)
    return sum(position["decided_kopecks"] for position in page["positions"])


def object_to_it(page: Page, say: Words) -> None:
    """Object, with a reason and what it should be."""
    begin = page.get_by_role("button", name=say("Object", "Возразить"), exact=True)
    begin.click()
    dialog = page.get_by_role("dialog")
    send = dialog.get_by_role("button", name=say("Send the objection", "Отправить возражение"))
    send.click()
    expect(dialog.get_by_text(say("Say why it is wrong.", "Напишите, почему итог неверен."))).to_be_visible()
    check_page(page)
    reason = dialog.get_by_label(say("Why is it wrong?", "Почему итог неверен?"))
    reason.fill("The match was abandoned.")
    # Closed by mistake, it keeps what was typed.
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    begin.click()
    expect(reason).to_have_value("The match was abandoned.")
    dialog.get_by_label(say("What should it be?", "Каким должен быть итог?")).select_option(say("No", "Нет"))
    send.click()
    expect(dialog.get_by_role("status")).to_contain_text(say("Payment waits", "Выплата теперь ждёт"))
    dialog.get_by_role("button", name=say("Close", "Закрыть")).last.click()


def give_without_a_reason(own: Page, site: Service, asked: dict[str, Any], language: Language) -> None:
    """Give the wrong result as its creator, after a look at what each would pay, without a reason on purpose alone."""
    say = words(language)
    dialog = decide(own, say, say("Give the result", "Объявить итог"), say("Yes", "Да"))
    held = answered(site.client().get(f"/pools/{asked['id']}"), 200)["markets"][0]
    for shares in (held["q_yes"], held["q_no"]):
        expect(dialog.get_by_text(amount(shares, language))).to_be_visible()
    expect(dialog.get_by_text(say("1 person", "1 человек")).first).to_be_visible()
    expect(dialog.get_by_label(say("Where the result stands", "Где опубликован итог"))).to_have_value(SOURCE)
    check_page(own)
    go_on(dialog, say)
    expect(dialog.get_by_role("status")).to_contain_text(say("can object until", "могут возразить до"))
    give(own, dialog, say)


def replace(admin: Page, say: Words) -> None:
    """Replace the result as an administrator."""
    dialog = decide(admin, say, say("Correct the result", "Исправить итог"), say("Yes", "Да"))
    dialog.get_by_label(say("Why, in English", "Почему, по-английски")).fill("It was abandoned.")
    expect(dialog.get_by_text(say("Nothing has been paid", "Ничего ещё не выплачено"))).to_be_visible()
    dialog.get_by_role("radio", name=say("No", "Нет")).check()
    dialog.get_by_role("button", name=say("Continue", "Дальше"), exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text(say("replaces the present one", "заменит текущее решение"))
    give(admin, dialog, say)


def see_how_questions_are_decided(page: Page, creator: Person, say: Words) -> None:
    """Read a maker's record beside the rules and on their profile, and the page of how questions are decided."""
    record = say("Questions they have resolved: 1, corrected of these: 1.", "вопросов автора: 1, из них исправлено: 1.")
    page.get_by_text(say("How it resolves", "Как определяется итог")).scroll_into_view_if_needed()
    expect(page.get_by_text(record)).to_be_visible()
    go(page, f"/users/{creator.id}")
    expect(page.get_by_text(say("Of these corrected", "Из них исправлено")).locator("..")).to_contain_text("1")
    check_page(page)
    page.get_by_role("link", name=say("How questions are decided", "Как решаются вопросы")).click()
    expect(page.get_by_text(say("An objection holds the payment", "Возражение удерживает выплату"))).to_be_visible()
    expect(page.get_by_text(say("A result is final and paid at once", "Итог окончателен, и платят"))).to_be_visible()
    check_page(page)


@seen_as((390, "ru", "dark"), (1440, "en", "light"), (390, "en", "light"))
def test_a_wrong_result_is_objected_to_replaced_and_only_then_paid(
    page: Page, new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    creator, right, wrong = site.user(creator=True), site.user(balance_kopecks=5_000), site.user(balance_kopecks=5_000)
    asked = closed_market(site, creator, (wrong, "YES"), (right, "NO"))
    address = f"/events/{asked['event_id']}"
    yes, no = say("Result: Yes", "Итог: Да"), say("Result: No", "Итог: Нет")

    own = page_of(new_visitor(), creator)
    own.goto(address)
    give_without_a_reason(own, site, asked, language)
    expect(own.get_by_role("heading", name=yes)).to_be_visible()

    # Who holds shares objects, and sees what was there when they bought; who holds none reads why they may not.
    page.goto(address)
    expect(page.get_by_text(say("Everyone who held shares", "Возразить может тот"))).to_be_visible()
    expect(own.get_by_text(say("Only who held shares", "Возразить может только тот"))).to_be_visible()
    loser = page_of(new_visitor(), right)
    loser.goto(address)
    expect(loser.get_by_text(say("It pays you ₽0.00", "По этому итогу вам выплатят 0,00\u00a0₽"))).to_be_visible()
    expect(loser.get_by_text(say("there when you bought", "было, когда вы купили")).first).to_be_visible()
    object_to_it(loser, say)
    expect(loser.get_by_text(say("You have objected", "Вы возразили"))).to_be_visible()
    expect(loser.get_by_text(say("Held", "Удержан"), exact=True)).to_be_visible()
    expect(loser.get_by_text(say("It should be: No", "Должно быть: Нет"))).to_be_visible()
    check_page(loser)

    admin = page_of(new_visitor(), site.user(admin=True))
    admin.goto(address)
    replace(admin, say)

    loser.reload()
    expect(loser.get_by_role("heading", name=no)).to_be_visible()
    wins = paid_by(site, right, asked["event_id"])
    assert wins > 2_000
    expect(loser.get_by_text(amount(wins, language)).first).to_be_visible()
    history = loser.get_by_role("list", name=say("How this result came about", "Как появился этот итог"))
    expect(history.locator("s")).to_have_text(yes)
    expect(history.get_by_text(say("Upheld", "Принято"))).to_be_visible()
    expect(loser.get_by_text("It was abandoned.")).to_be_visible()
    check_page(loser)
    # Its maker finds it among what is decided, as long as it can change.
    go(own, "/mine")
    listed = own.get_by_role("listitem").filter(has=own.locator(f'a[href*="event={asked["event_id"]}"]'))
    expect(listed).to_contain_text(say("Decided, can change until", "Итог есть, исправим до"))
    for one in (page, own, loser, admin):
        one.goto("about:blank")

    # A further result can be disputed for an hour; a session's token ends with it.
    site.clock.advance(HOUR_MS + 1_000)
    later = page_of(new_visitor(), right)
    later.goto(address)
    paid = later.get_by_text(re.compile(say("You were paid", "Вам выплачено"))).locator("..")
    expect(paid).to_contain_text(amount(wins, language))
    expect(later.get_by_text(say("Final since", "Окончателен с"))).to_be_visible()
    check_page(later)

    # So it ends on its maker's record, too.
    see_how_questions_are_decided(later, creator, say)
