"""A creator asks for a number, a date, and questions that depend on each other, and gives their results by value."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Language, Theme, seen_as
from tests.support.result_dialog import give_at_once
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Person, Service
from tests.support.service import expect as answered


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_number_is_made_by_its_range_and_resolved_by_its_value(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    make = _begin(page, say, say("A number", "Число"), f"How cold? {creator.nickname}")
    make.click()  # nothing is filled in yet
    expect(page.get_by_role("alert").first).to_be_visible()
    page.get_by_label(say("Low", "От"), exact=True).fill("-20")
    page.get_by_label(say("High", "До"), exact=True).fill("20")
    page.get_by_label(say("How many ranges", "Сколько диапазонов")).fill("10")
    page.get_by_label(say("Unit", "Единица")).fill("°C")
    expect(page.get_by_label(say("Edge 5", "Граница 5"))).to_have_value("0")
    expect(page.get_by_text(say("20 °C or above", "20 °C или больше"))).to_be_visible()
    page.get_by_role("button", name=say("From a median", "По медиане")).click()
    for label, value in (
        (say("Below this", "Меньше этого"), "-12,5"),
        (say("Median", "Медиана"), "-6"),
        (say("Above this", "Больше этого"), "1"),
    ):
        page.get_by_label(re.compile(f"^{label}")).fill(value)
    check_page(page)
    pool = _make(page, say, make, creator)
    probabilities = [market["yes_probability"] for market in pool["markets"]]
    assert len(probabilities) == 10
    assert max(probabilities) == probabilities[3]

    form = _resolve(page, say)
    form.get_by_label(say("What was the number?", "Какое вышло число?")).fill("-7.5")
    expect(form.get_by_text(re.compile("−10 – −5 °C"))).to_be_visible()
    check_page(page)
    assert _resolved(page, say, form, creator) == (3, "-7.5", None)


@seen_as((1440, "en", "light"), (390, "ru", "light"))
def test_questions_asked_together_are_made_and_resolved_by_their_answers(
    new_visitor: NewContext, site: Service, language: Language, theme: Theme
) -> None:
    say = words(language)
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    make = _begin(page, say, say("If …, then …", "Если …, то …"), f"Who is mayor? {creator.nickname}")
    groups = page.get_by_role("group", name=re.compile(say("Question", "Вопрос")))
    short = page.get_by_placeholder(say("Short", "Коротко"))
    short.nth(0).fill("Ada runs")
    short.nth(1).fill("Winner")
    answers = groups.nth(1).get_by_label(re.compile(say("Outcome .*In English", "Исход .*По-английски")))
    answers.nth(0).fill("Ada")
    answers.nth(1).fill("Boris")
    groups.nth(1).get_by_role("button", name=say("Add an outcome", "Добавить исход")).click()
    answers.nth(2).fill("Clara")
    expect(page.get_by_text(say("2 × 3: 6 combinations", "2 × 3: 6 сочетаний"))).to_be_visible()
    page.get_by_label(say("Chances at the start", "Шансы в начале")).select_option("questions")
    chances = page.get_by_placeholder("%")
    for index, chance in enumerate(("99.9", "0.1", "50", "30", "20")):
        chances.nth(index).fill(chance)
    # Whether she runs is known: what is left is one question.
    expect(page.get_by_text(say("A plain list of its outcomes would do", "Хватило бы простого списка"))).to_be_visible()
    chances.nth(0).fill("60")
    chances.nth(1).fill("40")
    expect(page.get_by_text(say("Ask together only", "Объединяйте только"))).to_be_visible()
    check_page(page)
    pool = _make(page, say, make, creator)
    assert [market["name"] for market in pool["markets"]][:2] == ["Yes · Ada", "Yes · Boris"]
    assert [round(market["yes_probability"], 9) for market in pool["markets"]] == [0.3, 0.18, 0.12, 0.2, 0.12, 0.08]

    form = _resolve(page, say)
    form.get_by_role("radio", name=say("No", "Нет")).check()
    form.get_by_role("radio", name="Clara").check()
    check_page(page)
    assert _resolved(page, say, form, creator) == (5, None, ["No", "Clara"])


@seen_as((390, "en", "light"))
def test_a_date_is_made_by_its_steps(new_visitor: NewContext, site: Service, language: Language, theme: Theme) -> None:
    say = words(language)
    creator = site.user(creator=True)
    page = page_of(new_visitor(), creator)
    make = _begin(page, say, say("A date", "Дата"), f"When? {creator.nickname}")
    year = datetime.now(UTC).year + 1
    page.get_by_label(say("First step", "Первый шаг")).fill(f"{year}-02-03")
    page.get_by_label(say("Last step", "Последний шаг")).fill(f"{year}-12-31")
    page.get_by_role("combobox", name=say("Steps", "Шаг"), exact=True).select_option("quarter")
    expect(page.get_by_text(f"1 April {year} – 1 July {year}")).to_be_visible()
    check_page(page)
    page.locator("summary").filter(has_text="More").click()
    page.get_by_label("Repeats").select_option("60")
    make.click()
    expect(page.get_by_text("A question for a date cannot repeat.")).to_be_visible()
    page.get_by_label("Repeats").select_option("0")
    pool = _make(page, say, make, creator)
    assert pool["shape"]["edges"][0] == f"{year - 1}-12-31T21:00:00Z"
    assert pool["shape"]["zone"] == "Europe/Moscow"
    form = _resolve(page, say)
    form.get_by_label(say("When did it happen?", "Когда это случилось?")).fill(f"{year}-04-01T00:00")
    expect(form.get_by_text(f"1 April {year} – 1 July {year}")).to_be_visible()
    assert _resolved(page, say, form, creator) == (2, f"{year}-03-31T21:00:00.000Z", None)


def _begin(page: Page, say: Words, kind: str, name: str) -> Locator:
    """Choose a kind and name the question; return the button that makes the market."""
    page.goto("/create")
    page.get_by_role("radio", name=kind).check()
    page.get_by_label(say("Question", "Вопрос"), exact=True).fill(name)
    return page.get_by_role("button", name=say("Create the market", "Создать рынок"))


def _make(page: Page, say: Words, make: Locator, creator: Person) -> dict[str, Any]:
    """Make the market and publish it; return its only pool."""
    make.click()
    expect(page).to_have_url(re.compile(r"/mine\?event=\d+$"))
    page.get_by_role("button", name=say("Publish", "Опубликовать")).click()
    expect(page.get_by_role("button", name=say("Resolve", "Подвести итог"), exact=True)).to_be_visible()
    event_id = page.url.split("=")[1]
    made: dict[str, Any] = answered(creator.client.get(f"/events/{event_id}"), 200)["pools"][0]
    return made


def _resolve(page: Page, say: Words) -> Locator:
    page.get_by_role("button", name=say("Resolve", "Подвести итог"), exact=True).click()
    return page.get_by_role("dialog")


def _resolved(page: Page, say: Words, form: Locator, creator: Person) -> tuple[object, ...]:
    """Confirm what was chosen; return who won, and by which value or values."""
    give_at_once(form, say)
    expect(page.get_by_text(say("Paid", "Выплачено"), exact=True)).to_be_visible()
    settled = answered(creator.client.get(f"/events/{page.url.split('=')[1]}"), 200)["pools"][0]
    resolution = settled["resolution"]
    return settled["won_side"], resolution["value"], resolution["values"]
