"""Questions asked together: a bet on one answer under another, its table, its way back where the condition fails."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Language, Theme, seen_as
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Service
from tests.support.service import expect as answered

QUESTIONS = [
    {
        "name": "Ada",
        "name_ru": "Ада",
        "outcomes": ["Ada runs", "Ada does not run"],
        "outcomes_ru": ["Ада идёт на выборы", "Ада не идёт"],
    },
    {
        "name": "Mayor",
        "name_ru": "Мэр",
        "outcomes": ["Ada wins", "Boris wins", "Clara wins"],
        "outcomes_ru": ["Победит Ада", "Победит Борис", "Победит Клара"],
    },
]
PRIORS = [0.3, 0.12, 0.14, 0.0001, 0.2, 0.2399]


def joint_event(site: Service, questions: list[dict[str, Any]], priors: list[float]) -> dict[str, Any]:
    """Publish questions that are asked together, with a margin of 2 %."""
    metadata = {
        "shape": {"kind": "joint", "questions": questions},
        "market_probabilities": priors,
        "lmsr_b_kopecks": 300_000,
    }
    pools = [{"name": "Both", "margin": 0.02, "metadata": metadata}]
    return site.event(name="Who becomes mayor, and does it matter whether Ada runs?", pools=pools)


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_bet_under_a_condition_is_made_by_one_choice_and_comes_back_if_it_fails(
    new_visitor: NewContext, site: Service, width: int, language: Language, theme: Theme
) -> None:
    say = words(language)
    event = joint_event(site, QUESTIONS, PRIORS)
    trader = site.user(balance_kopecks=1_000_000)
    page = page_of(new_visitor(), trader)
    page.goto(f"/events/{event['id']}")
    title = say("Clara wins, if Ada runs", "Победит Клара, если Ада идёт на выборы")
    cell = page.get_by_role("button", name=re.compile(f"^{title}: 25"))
    expect(cell).to_be_visible()
    check_page(page)
    cell.click()
    slip = page.get_by_role("dialog") if width == 390 else page.get_by_role("complementary")
    expect(slip.get_by_role("heading", name=title)).to_be_visible()
    slip.get_by_label(say("You pay", "Вы платите")).last.fill("800")
    returned = slip.get_by_text(say("Not “Ada runs”: you get back", "Не «Ада идёт на выборы»: вернётся"))
    expect(returned).to_be_visible()
    expect(slip.get_by_text(re.compile("784[.,]00")).first).to_be_visible()
    check_page(page)
    _buy(slip, say)
    # Outside of the condition the stake without its fee is paid in every case.
    held = answered(trader.client.get("/users/me/positions"), 200)["positions"]
    assert sorted(one["amount"] for one in held)[:3] == [78_400] * 3
    if width == 390:
        page.keyboard.press("Escape")
    expect(
        page.get_by_role("heading", name=say("What you hold pays", "Сколько заплатит то, что у вас есть"))
    ).to_be_visible()
    check_page(page)

    pool_id = event["pools"][0]["id"]
    before = answered(trader.client.get("/users/me"), 200)["balance_kopecks"]
    answered(
        site.creator.client.post(f"/pools/{pool_id}/resolve", json={"values": ["Ada does not run", "Boris wins"]}), 200
    )
    assert answered(trader.client.get("/users/me"), 200)["balance_kopecks"] == before + 78_400


def _buy(slip: Locator, say: Words) -> None:
    """Send what the slip holds, which asks twice: it moves a lot."""
    buy = slip.get_by_role("button", name=re.compile(say("^Buy Yes for", "^Купить «Да» за")))
    expect(buy).to_be_enabled()
    buy.click()
    slip.get_by_role("button", name=say("Yes, do it", "Да, всё верно")).click()
    expect(slip.get_by_role("button", name=say("Done", "Хорошо"))).to_be_visible()
