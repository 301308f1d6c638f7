"""What people think, without a stake: beside the slip, kept through sign-up; and on a site without bets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from foreknow.kernel.clock import DAY_MS, iso
from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, seen_as, torn_words
from tests.support.schema import SqliteFiles
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import PASSWORD, Person, Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

LOOKS = seen_as((390, "ru", "dark"), (1440, "en", "light"), (390, "en", "light"), (1440, "ru", "dark"))
#: From which age on an account weighs in the crowd.
AGE_MS = 2 * DAY_MS
PANEL = ("What do you think?", "А что думаете вы?")
TOGETHER = ("What all think together", "Что думают все вместе")
CHANCE = ("Chance of yes", "Шанс «да»")
SAVE = ("Save", "Сохранить")
#: What no page says where no one bets.
OF_BETS = re.compile(
    r"₽|коп\.|kop\.|\b(bet|trade|trader|trading|market|share|price|balance)s?\b|ставк|торг|трейдер|рын(ок|к)|баланс",
    re.IGNORECASE,
)


def region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def panel_of(page: Page, say: Words) -> Locator:
    panel = region(page, say(*PANEL))
    # It loads when its place is seen, which it then takes.
    panel.evaluate("(place) => place.scrollIntoView({ block: 'center' })")
    return panel


def said(person: Person, pool_id: int) -> Any:
    """What stands of a person's in a pool; None where nothing does."""
    return answered(person.client.get(f"/pools/{pool_id}/forecasts"), 200)["mine"]


def sign_up(page: Page, say: Words, email: str) -> str:
    """Sign up over the page; return the token."""
    dialog = page.get_by_role("dialog").filter(has=page.get_by_label(say("Password", "Пароль")))
    dialog.get_by_role("button", name=say("Sign up", "Зарегистрироваться")).click()
    dialog.get_by_label(say("E-mail", "Почта")).fill(email)
    dialog.get_by_label(say("Password", "Пароль")).fill(PASSWORD)
    dialog.get_by_label(say("Name", "Имя"), exact=True).fill("Ada")
    with page.expect_response("**/auth/sign-up") as signed_up:
        dialog.get_by_role("button", name=say("Sign up", "Зарегистрироваться")).click()
    return str(signed_up.value.json()["access_token"])


def seen_after_the_market_moved(page: Page, site: Service, say: Words, event: dict[str, Any]) -> Locator:
    """Return the panel, which tells what changed since one said what one thinks."""
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 200_000}
    answered(site.user(balance_kopecks=200_000).client.post("/market/bets", json=bet), 201)
    page.reload()
    panel = panel_of(page, say)
    since_then = say("Since then the market went from 50", "С тех пор рынок сдвинулся с 50")
    expect(panel.get_by_role("status")).to_contain_text(since_then)
    check_page(page)
    return panel


@LOOKS
def test_what_a_stranger_thinks_is_kept_through_sign_up_and_then_saved_renewed_and_withdrawn(
    new_visitor: NewContext, site: Service, language: Language, width: int
) -> None:
    say = words(language)
    event = site.event(name="Will the bridge open?", name_ru="Откроют ли мост?")
    pool_id = event["pools"][0]["id"]
    page = new_visitor().new_page()
    page.goto(f"/events/{event['id']}")
    panel = panel_of(page, say)
    expect(panel.get_by_role("button", name=say("Drag or type", "Сдвиньте или введите"))).to_be_disabled()
    typed = panel.get_by_role("textbox", name=say(*CHANCE))
    slider = panel.get_by_role("slider", name=say(*CHANCE))
    # With one thumb: also where the slider stands already, which is the market's chance.
    slider.click()
    expect(typed).to_have_value("50")
    where = slider.bounding_box()
    assert where is not None
    slider.click(position={"x": where["width"] * 0.8, "y": where["height"] / 2})
    expect(typed).to_have_value(re.compile(r"^[78]\d$"))
    typed.fill("72")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^72.?%, {say('market', 'рынок')} 50"))
    check_page(page)
    panel.get_by_role("button", name=say("Sign in to save", "Войти и сохранить")).click()
    token = sign_up(page, say, f"thinker_{width}_{language}_{site.creator.nickname}@example.org")
    me = Person(0, "", "", "", token, site.client(token=token))

    expect(typed).to_have_value("72")
    panel.get_by_role("button", name=say(*SAVE), exact=True).click()
    expect(panel.get_by_role("status")).to_have_text(say("Saved.", "Сохранено."))
    assert said(me, pool_id)["probabilities"] == [0.72]

    # The keyboard: the slider goes by a point.
    slider.press("ArrowRight")
    expect(typed).to_have_value("73")
    panel.get_by_role("button", name=say("Add a note", "Добавить заметку")).click()
    panel.get_by_role("textbox", name=say("Note to yourself", "Заметка для себя")).fill("Seen the plans")
    page.reload()
    panel = panel_of(page, say)
    expect(panel.get_by_role("textbox", name=say(*CHANCE))).to_have_value("73")
    panel.get_by_role("button", name=say(*SAVE), exact=True).click()
    still_so = panel.get_by_role("button", name=say("Still so", "Думаю так же"))
    expect(still_so).to_be_enabled()
    first = said(me, pool_id)
    assert (first["probabilities"], first["note"]) == ([0.73], "Seen the plans")
    still_so.click()
    expect(panel.get_by_role("status")).to_have_text(say("Confirmed.", "Подтверждено."))
    renewed = said(me, pool_id)
    assert (renewed["id"], renewed["since"]) == (first["id"], first["since"])
    assert renewed["created_at"] > first["created_at"]
    panel.get_by_role("button", name=say("How it is scored", "Как оценивается")).click()
    expect(panel.get_by_text(re.compile(r"\+23[.,]5"))).to_be_visible()
    check_page(page)
    assert torn_words(page) == []

    panel = seen_after_the_market_moved(page, site, say, event)
    panel.get_by_role("button", name=say("Withdraw", "Отозвать")).click()
    expect(panel.get_by_role("button", name=say(*SAVE), exact=True)).to_be_enabled()
    assert said(me, pool_id) is None


@LOOKS
def test_a_list_shares_100_percent_and_a_number_is_a_curve(
    new_visitor: NewContext, site: Service, language: Language
) -> None:
    say = words(language)
    degrees = pool()
    degrees["metadata"]["shape"] = {"kind": "number", "edges": [*range(-20, 20, 4)], "unit": "°C"}
    event = site.event(pools=[pool(["Reds", "Blues", "Greens"], name="Who"), degrees | {"name": "Degrees"}])
    who, number = (one["id"] for one in event["pools"])
    me = site.user()
    page = page_of(new_visitor(), me)
    page.goto(f"/events/{event['id']}")
    panel = panel_of(page, say)
    panel.get_by_role("textbox", name="Reds").fill("50")
    expect(panel.get_by_role("textbox", name="Blues")).to_have_value("25")
    panel.get_by_role("slider", name="Blues").press("Home")
    expect(panel.get_by_role("textbox", name="Greens")).to_have_value("50")
    check_page(page)
    panel.get_by_role("textbox", name="Reds").press("Enter")
    expect(panel.get_by_role("button", name=say("Still so", "Думаю так же"))).to_be_enabled()
    kept = said(me, who)["probabilities"]
    assert kept == pytest.approx([0.5, 0.002 / 3, 0.5], abs=1e-3)

    page.get_by_role("link", name="Degrees").click()
    page.get_by_role("button", name=say("Say what you think", "Сказать, что думаете")).click()
    panel = panel_of(page, say)
    median = panel.get_by_role("slider", name=say("Median", "Медиана"))
    median.press("ArrowRight")
    panel.get_by_role("textbox", name=re.compile("10.*(more|больше)")).fill("14")
    panel.get_by_role("button", name=say(*SAVE), exact=True).click()
    expect(panel.get_by_role("button", name=say("Still so", "Думаю так же"))).to_be_enabled()
    check_page(page)
    assert sum(said(me, number)["probabilities"]) == pytest.approx(1)


@pytest.fixture
def alone(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """A site for forecasting alone."""
    running = Service(sqlite_files.fresh_database(), trading="off")
    yield running
    running.stop()


class TestForecastingAlone:
    """On a site without bets."""

    @pytest.fixture
    def site(self, alone: Service) -> Service:
        return alone

    @LOOKS
    def test_forecasts_lead_are_hidden_shown_and_scored_and_nothing_speaks_of_money(
        self, new_visitor: NewContext, site: Service, language: Language, findings: Findings
    ) -> None:
        say = words(language)
        hidden = pool(finish_at=iso(site.clock() + AGE_MS + 2 * DAY_MS))
        hidden["metadata"]["forecasts"] = {"hidden": "own"}
        creator = site.user(creator=True)
        event = site.event(creator, name="Will it rain?", name_ru="Будет ли дождь?", tags=["weather"], pools=[hidden])
        pool_id = event["pools"][0]["id"]
        people = [site.user(name=f"Pupil {number}") for number in range(5)]
        site.clock.advance(AGE_MS)
        clients = [site.client(token=site.sign_in(one.email, one.password)) for one in people]
        for client in clients[1:]:
            answered(client.put(f"/pools/{pool_id}/forecast", json={"probabilities": [0.8]}), 200)

        page = page_of(new_visitor(), people[0])
        page.goto("/")
        page.get_by_role("link", name=say("Say what you think", "Сказать, что думаете")).click()
        panel = panel_of(page, say)
        together = region(page, say(*TOGETHER))
        expect(together.get_by_role("note").or_(together.locator(".note"))).to_be_visible()
        expect(page.get_by_text("Pupil 1")).to_have_count(0)
        panel.get_by_role("textbox", name=say(*CHANCE)).fill("90")
        panel.get_by_role("button", name=say(*SAVE), exact=True).click()
        expect(together.get_by_text("Pupil 1")).to_be_visible()
        expect(together.get_by_text(re.compile("^80.?%$")).first).to_be_visible()
        check_page(page)
        page.close()  # its session ends with the day

        site.clock.advance(DAY_MS)
        maker = site.client(token=site.sign_in(creator.email, creator.password))
        answered(maker.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
        own = site.client(token=site.sign_in(people[0].email, people[0].password))
        wait_until(lambda: own.get("/users/me/forecasts").json()["forecasts"][0]["score"] is not None)
        page = page_of(new_visitor(), people[0])
        page.goto(f"/events/{event['id']}")
        over = region(page, say("What you thought", "Что вы думали"))
        expect(over.get_by_text(re.compile(r"^\+\d+[.,]\d$"))).to_be_visible()
        check_page(page)
        self.check_that_nothing_speaks_of_money(page, say, people[0].id)

    def check_that_nothing_speaks_of_money(self, page: Page, say: Words, user_id: int) -> None:
        page.get_by_role("banner").get_by_role("link", name=say("Forecasts", "Прогнозы")).click()
        main = page.get_by_role("main")
        expect(main.get_by_role("heading", name=say("Calibration", "Калибровка"))).to_be_visible()
        expect(main.get_by_role("status")).to_contain_text(say("Too few to say", "Слишком мало"))
        expect(main.get_by_text(re.compile(r"^\+\d+[.,]\d$")).first).to_be_visible()
        with page.expect_download() as download:
            main.get_by_role("button", name=say("Download CSV", "Скачать CSV")).click()
        assert "Will it rain?" in download.value.path().read_text()
        check_page(page)
        for address in (
            "/",
            "/leaders",
            "/leaders?by=followed",
            "/record",
            f"/users/{user_id}",
            "/settings",
            "/portfolio",
            "/following",
            "/notifications",
        ):
            page.goto(address)
            expect(main.get_by_role("heading").first).to_be_attached()
            page.wait_for_load_state("networkidle")
            expect(page.get_by_text(OF_BETS)).to_have_count(0)
            check_page(page)
