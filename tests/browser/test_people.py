"""People are ranked by their profits, and have pages with what everybody may know of them."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, seen_as
from tests.support.screens import check_page, page_of, words
from tests.support.service import Person, Service, pool
from tests.support.service import expect as answered
from tests.support.waiting import wait_until

#: Enough for a profit that is too long for a phone in full.
STAKE_KOPECKS = 10_000_000_000


def _profit(person: Person, period: str) -> int:
    """Return what the list of a period says that someone has gained."""
    entries = answered(person.client.get(f"/leaderboard?period={period}&limit=100"), 200)["entries"]
    return sum(one["realized_kopecks"] for one in entries if one["user"]["id"] == person.id)


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_who_profits_is_ranked_and_can_be_looked_up_until_they_hide(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language
) -> None:
    say = words(language)
    winner = site.user(balance_kopecks=STAKE_KOPECKS)
    name = answered(winner.client.get("/users/me"), 200)["name"]
    deep = pool() | {"metadata": {"lmsr_b_kopecks": 10 * STAKE_KOPECKS}}
    event = site.event(name=f"What {name} knew", pools=[deep])
    order = {
        "market_id": event["pools"][0]["markets"][0]["id"],
        "token_type": "YES",
        "amount_kopecks": STAKE_KOPECKS,
    }
    answered(winner.client.post("/market/bets", json=order), 201)
    answered(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    wait_until(lambda: all(_profit(winner, ranks) > 0 for ranks in ("week", "month", "all")))

    page = page_of(new_visitor(), winner)
    main = page.get_by_role("main")
    page.goto("/leaders")
    row = main.get_by_role("row").filter(has_text=name)
    for period in (say("Week", "Неделя"), say("Month", "Месяц"), say("All time", "Всё время")):
        tab = main.get_by_role("link", name=period)
        tab.click()
        expect(tab).to_have_attribute("aria-current", "true")
        expect(row.get_by_text(say("you", "вы"), exact=True)).to_be_visible()
        expect(row.get_by_text(re.compile(r"^\+"))).to_be_visible()
    check_page(page)

    row.get_by_role("link").click()
    expect(page).to_have_url(f"{site.url}/users/{winner.id}")
    expect(main.get_by_role("heading", level=1, name=name)).to_be_visible()
    expect(main.get_by_text(f"@{winner.nickname}")).to_be_visible()
    expect(main.get_by_role("link", name=event["name"])).to_be_visible()
    check_page(page)

    visitor = new_visitor().new_page()
    visitor.goto(f"/users/{winner.id}")
    expect(visitor.get_by_role("heading", level=1, name=name)).to_be_visible()
    findings.allow("status of 404")
    answered(winner.client.patch("/users/me", json={"profile_hidden": True}), 200)
    visitor.reload()
    expect(visitor.get_by_text(say("There is no such person", "Такого человека нет"))).to_be_visible()
    check_page(visitor)
    page.reload()
    expect(main.get_by_text(say("only you see this page", "эту страницу видите только вы"))).to_be_visible()
    check_page(page)
