"""The first page of who has no account, of a topic, and of what is resolved."""

from __future__ import annotations

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Language, seen_as
from tests.support.screens import check_page, go, words
from tests.support.service import Service, pool
from tests.support.service import expect as answered


@pytest.fixture
def topic(site: Service) -> str:
    """A topic of its own with a list that is traded and talked about, and a market that is resolved."""
    tag = f"tag {secrets.token_hex(4)}"
    event = site.event(name=f"Who wins {tag}?", tags=[tag], pools=[pool(["Reds", "Blues", "Greens"])])
    over = site.event(name=f"Is {tag} over?", tags=[tag])
    trader = site.user(balance_kopecks=30_000)
    for traded, outcome in ((event, 1), (site.event(), 0)):
        market_id = traded["pools"][0]["markets"][outcome]["id"]
        bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 12_300}
        answered(trader.client.post("/market/bets", json=bet), 201)
    answered(site.user().client.post("/comments", json={"event_id": event["id"], "content": f"Of {tag}."}), 201)
    answered(site.creator.client.post(f"/pools/{over['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    return tag


@seen_as((390, "ru", "dark"), (1440, "en", "light"))
def test_a_stranger_is_shown_how_it_works_and_sees_the_last_trades(
    page: Page, site: Service, topic: str, language: Language
) -> None:
    say = words(language)
    page.goto("/")
    main = page.get_by_role("main")
    expect(main.get_by_text(say("Bet on what you know", "Ставьте на то, что знаете"))).to_be_visible()
    tape = main.get_by_role("listitem").filter(has_text=re.compile("123")).filter(has_text=topic)
    expect(tape.first).to_be_visible()
    check_page(page)
    sign_up = say("Sign up", "Регистрация")
    main.get_by_role("link", name=sign_up).click()
    expect(page).to_have_url(f"{site.url}/sign-up")
    go(page, "/leaders")
    banner = page.get_by_role("banner")
    expect(banner.get_by_role("link", name=say("Sign in", "Войти"))).to_be_visible()
    expect(banner.get_by_role("link", name=sign_up)).to_have_attribute("href", "/sign-up?next=%2Fleaders")


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_a_topic_has_a_page_with_its_busiest_market_and_what_is_resolved(
    page: Page, site: Service, topic: str, language: Language
) -> None:
    say = words(language)
    page.goto(f"/?tag={topic}")
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", level=1, name=topic)).to_be_visible()
    expect(main.get_by_role("heading", level=2, name=f"Who wins {topic}?")).to_be_visible()
    resolved = main.get_by_role("heading", name=say("Just resolved", "Итог только что"))
    expect(resolved).to_be_visible()
    expect(main.get_by_role("link").filter(has_text=f"Of {topic}.")).to_be_visible()
    # Of the topic alone: the first page lists a newer one.
    tape = main.locator("section").filter(has=page.get_by_role("heading", name=say("Trades, live", "Сделки вживую")))
    expect(tape.get_by_role("listitem")).to_have_text([re.compile(f"Who wins {topic}")])
    check_page(page)
    main.get_by_role("button", name=say("Resolved", "Завершённые")).click()
    card = main.get_by_role("article").filter(has_text=f"Is {topic} over?")
    expect(card.get_by_text(say("Yes won", "Итог: Да"))).to_be_visible()
    expect(main.get_by_role("article").filter(has_text=f"Who wins {topic}?")).to_have_count(0)


@seen_as((390, "en", "light"), (1440, "ru", "dark"))
def test_an_outcome_of_a_list_is_bet_on_from_its_card(
    page: Page, site: Service, topic: str, language: Language
) -> None:
    say = words(language)
    page.goto(f"/?tag={topic}&sort=new")
    card = page.get_by_role("article").filter(has_text=f"Who wins {topic}?")
    card.get_by_role("link", name=say("No: Blues", "Нет: Blues")).click()
    expect(page).to_have_url(re.compile(r"/events/\d+\?market=\d+&side=no"))


@seen_as((1440, "en", "dark"), (390, "ru", "light"))
def test_a_card_of_questions_asked_together_lists_the_questions(
    page: Page, site: Service, topic: str, language: Language
) -> None:
    def ask(name: str, *names: str) -> int:
        joint = pool(probabilities=[0.1, 0.2, 0.3, 0.4])
        questions = [{"name": one, "outcomes": ["Yes", "No"]} for one in names]
        joint["metadata"]["shape"] = {"kind": "joint", "questions": questions}
        return int(site.event(name=name, tags=[topic], pools=[joint])["id"])

    begin = "Will the central bank lower its key rate by more than a quarter of a point at the meeting"
    ask(f"Rates {topic}?", *(f"{begin} in {month}?" for month in ("May", "June")))
    event_id = ask(f"Both {topic}?", "Does it rain?", "Does it snow?")
    page.goto(f"/?tag={topic}&sort=new")
    card = page.get_by_role("article").filter(has_text=f"Both {topic}?")
    rows = card.get_by_role("listitem")
    expect(rows).to_have_text([re.compile(r"Does it rain\?\s.*30\s?%"), re.compile(r"Does it snow\?\s.*40\s?%")])
    # What tells two apart is not cut off.
    alike = page.get_by_role("article").filter(has_text=f"Rates {topic}?").get_by_role("listitem")
    expect(alike).to_have_text([re.compile(r"Will the … in May\?"), re.compile(r"Will the … in June\?")])
    card.get_by_role("link", name=words(language)("Yes: Does it snow?", "Да: Does it snow?")).click()
    expect(page).to_have_url(re.compile(rf"/events/{event_id}\?then=1\.0&side=yes"))
    expect(page.get_by_role("heading", name="Does it snow: Yes")).to_be_visible()


@seen_as((390, "ru", "light"), (1440, "en", "dark"))
def test_a_common_topic_has_a_name_in_each_language(page: Page, language: Language) -> None:
    page.goto("/?tag=chess")
    expect(page.get_by_role("heading", level=1, name=words(language)("chess", "шахматы"), exact=True)).to_be_visible()
    check_page(page)
