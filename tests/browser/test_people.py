"""People are ranked by their profits, and have pages with what everybody may know of them."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from foreknow.site.activity.periods import number_of
from foreknow.site.activity.tables import trader_sums
from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, seen_as, sign_in
from tests.support.screens import check_page, go, page_of, words
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
    # A card of the first three, or a row.
    row = main.locator("li, tr").filter(has_text=name)
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
    go(visitor, f"/events/{event['id']}?tab=trades")
    hidden = visitor.get_by_role("main").get_by_text(say("Hidden trader", "Скрытый трейдер"))
    expect(hidden.filter(visible=True).first).to_be_visible()
    page.reload()
    expect(main.get_by_text(say("only you see this page", "эту страницу видите только вы"))).to_be_visible()
    check_page(page)


@seen_as((390, "en", "light"), (1440, "ru", "dark"), (1440, "en", "dark"), (390, "ru", "light"))
def test_a_maker_is_shown_by_their_markets_and_a_trader_by_what_ten_positions_brought(
    page: Page, site: Service, language: Language
) -> None:
    say = words(language)
    maker = site.user(creator=True)
    trader = site.user(balance_kopecks=100_000)
    names = [f"Horse {number}" for number in range(1, 12)]
    over = site.event(maker, name=f"Who wins the race of {maker.id}?", pools=[pool(names)])
    going = site.event(maker, name=f"Who wins the race after {maker.id}?", pools=[pool(names)])
    for market in over["pools"][0]["markets"][:10]:
        order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 100}
        answered(trader.client.post("/market/bets", json=order), 201)
    answered(maker.client.post(f"/pools/{over['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    wait_until(lambda: answered(trader.client.get(f"/users/{trader.id}"), 200)["settled"] == 10)
    wait_until(lambda: answered(trader.client.get(f"/users/{maker.id}"), 200)["traders"] == 1)
    main = page.get_by_role("main")
    tiles = main.locator("dl > div")

    page.goto(f"/users/{trader.id}")
    expect(tiles.filter(has_text=say("Win rate", "Доля удачных"))).to_contain_text(
        say("1 of 10 settled positions", "1 из 10 рассчитанных позиций")
    )
    expect(tiles.filter(has_text=say("Win rate", "Доля удачных"))).to_contain_text("10")
    expect(tiles.filter(has_text=say("Trades", "Сделки"))).to_contain_text(say("in 1 market", "на 1 рынке"))
    expect(main.get_by_role("heading", name=say("Realized profit", "Полученная прибыль"))).to_be_visible()
    check_page(page)

    go(page, f"/users/{maker.id}")
    expect(tiles).to_have_count(7)
    shown = dict(zip(tiles.locator("dt").all_inner_texts(), tiles.locator("dd.v").all_inner_texts(), strict=True))
    assert shown[say("Markets made", "Создано рынков")] == "2"
    assert shown[say("Open now", "Сейчас открыто")] == "1"
    assert shown[say("Traders in them", "Трейдеров в них")] == "1"
    assert shown[say("Questions decided", "Решено вопросов")] == "1"
    assert shown[say("Of these corrected", "Из них исправлено")] == "0"
    expect(main.get_by_role("link", name=going["name"])).to_be_visible()
    check_page(page)

    # Who does both has both.
    site.credit(maker.id, 1_000)
    other = site.event(name=f"Who watches the race of {maker.id}?")
    order = {"market_id": other["pools"][0]["markets"][0]["id"], "token_type": "NO", "amount_kopecks": 100}
    answered(maker.client.post("/market/bets", json=order), 201)
    wait_until(lambda: answered(trader.client.get(f"/users/{maker.id}"), 200)["trades"] == 1)
    page.reload()
    expect(main.get_by_role("link", name=other["name"])).to_be_visible()
    main.get_by_role("link", name=say("Markets made", "Свои рынки")).click()
    expect(main.get_by_role("link", name=going["name"])).to_be_visible()
    assert "tab=made" in page.url
    check_page(page)


@seen_as((1440, "en", "light"), (390, "ru", "dark"), (1440, "ru", "dark"), (390, "en", "light"))
def test_ones_own_rank_stands_above_the_others_or_why_there_is_none(
    page: Page, site: Service, language: Language
) -> None:
    say = words(language)
    people = [site.user() for _ in range(12)]
    number = number_of("week", site.clock())
    sums = [
        {
            "period": "week",
            "number": number,
            "user_id": one.id,
            "realized_kopecks": 1_000 * (len(people) - at),
            "volume_kopecks": 0 if at == 4 else 500,
            "trades": 0 if at == 4 else 2,
        }
        for at, one in enumerate(people)
    ]
    site.server.run(site.app.db.write(lambda tx: tx.execute(trader_sums.insert(), sums)))
    last = people[-1]

    def rank() -> int:
        entries = answered(last.client.get("/leaderboard?period=week&limit=100"), 200)["entries"]
        return int(next((one["rank"] for one in entries if one["user"]["id"] == last.id), 0))

    wait_until(lambda: rank() >= len(people))
    main = page.get_by_role("main")
    rows = main.locator("tbody tr")
    sign_in(page.context, last)
    page.goto("/leaders")
    expect(main.locator("ol > li")).to_have_count(3)
    expect(rows.first).to_contain_text(f"{rank()}")
    expect(rows.first).to_contain_text(say("you", "вы"))
    # In its place, too.
    expect(rows.filter(has_text=say("you", "вы"))).to_have_count(2)
    name = answered(people[4].client.get("/users/me"), 200)["name"]
    # A profit of what was bought before is no volume of nothing.
    expect(rows.filter(has_text=name)).to_contain_text(say("bought before", "куплено раньше"))
    check_page(page)

    newcomer = site.user()
    sign_in(page.context, newcomer)
    page.goto("/leaders")
    # Others of this site may fill the first page.
    unranked = say("You are not (ranked here yet|among the first)", "Вас (здесь пока|среди первых)")
    expect(main.get_by_text(re.compile(unranked))).to_be_visible()
    answered(newcomer.client.patch("/users/me", json={"profile_hidden": True}), 200)
    page.reload()
    expect(main.get_by_text(say("Your profile is hidden", "Ваш профиль скрыт"))).to_be_visible()
    check_page(page)
