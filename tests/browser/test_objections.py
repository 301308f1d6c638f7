"""The team answers what traders object to: what is at stake, uphold, confirm, and what must be left to another."""

from __future__ import annotations

import secrets
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings, Language, Theme, seen_as
from tests.support.disputes import asked, object_to, objections, resolution, resolve, trader
from tests.support.screens import check_page, go, page_of, words
from tests.support.service import Person, Service
from tests.support.service import expect as answered

SOURCE = "https://example.org/league"
CONFLICT = r"status of 409 .*/confirm\)"


def objected(site: Service, maker: Person, reason: str) -> dict[str, Any]:
    """Return a pool whose first result a trader objects to."""
    made = asked(site, maker, rules="What the league publishes counts.", sources=[SOURCE])
    answered(maker.client.post(f"/pools/{made['id']}/clarifications", json={"text": "Overtime counts."}), 201)
    holder, later = trader(site, made, "YES", 2_500), trader(site, made, "YES", 500)
    resolve(maker.client, made["id"], won_side=1, note="The table says so.", source_url="https://example.org/table")
    answered(object_to(holder, made["id"], reason=reason, proposal={"won_side": 0}), 201)
    return made | {"later": later}


def card_of(page: Page, reason: str) -> Locator:
    return page.locator("li.card").filter(has_text=reason)


@seen_as((390, "en", "light"), (1440, "ru", "dark"))
def test_admins_answer_what_traders_object_to(
    new_visitor: NewContext, site: Service, findings: Findings, language: Language, theme: Theme
) -> None:
    findings.allow(CONFLICT)
    say = words(language)
    maker, admin = (site.user(name=name, creator=True, admin=True) for name in ("Mary Maker", "Ada Admin"))
    wrong, right = (f"{word} {language} {theme}." for word in ("It was abandoned", "It rained"))
    upheld, kept = objected(site, maker, wrong), objected(site, maker, right)

    own = page_of(new_visitor(), maker)
    own.goto("/desk/objections")
    card = card_of(own, wrong)
    expect(card).to_contain_text(say("You made this market", "Этот рынок создали вы"))
    expect(card.get_by_role("button", name=say("Uphold", "Принять"))).to_have_count(0)

    desk = page_of(new_visitor(), admin)
    desk.goto("/desk/objections")
    card = card_of(desk, wrong)
    for text in ("What the league publishes counts.", "Overtime counts.", "The table says so.", "example.org/table"):
        expect(card).to_contain_text(text)
    expect(card).to_contain_text(say("none upheld, none rejected", "принято: 0, отклонено: 0"))
    expect(card).to_contain_text(say("Held until", "Удержан до"))
    check_page(desk)
    card.get_by_role("button", name=say("Uphold", "Принять")).click()
    source = desk.get_by_label(say("Where the result stands", "Где опубликован итог"))
    expect(source).to_have_value(SOURCE)
    desk.get_by_label(say("Why, in English", "Почему, по-английски")).fill("It was abandoned at half-time.")
    check_page(desk)
    give = desk.get_by_role("button", name=say("Give this result", "Объявить этот итог"))
    # Who objected named no source, so the question's stands there: one is wanted, and left out on purpose alone.
    source.fill("")
    give.click()
    desk.get_by_label(say("I leave the source out on purpose", "Намеренно не называю источник")).check()
    give.click()
    expect(card).to_have_count(0)
    now = resolution(site, upheld["id"])
    assert (now["won_side"], now["note"], len(now["history"])) == (0, "It was abandoned at half-time.", 2)
    assert [one["state"] for one in objections(site.client(), upheld["id"])] == ["upheld"]

    # What comes while one decides was not read: the answer is refused, and the queue is read again.
    card = card_of(desk, right)
    card.get_by_role("button", name=say("Reject and confirm", "Отклонить и подтвердить итог")).click()
    answered(object_to(kept["later"], kept["id"], reason="It comes late."), 201)
    send = desk.get_by_role("button", name=say("Confirm the result", "Подтвердить итог"), exact=True)
    send.click()
    expect(desk.get_by_role("alert")).to_contain_text(say("newer objection", "более новое возражение"))
    expect(card).to_contain_text("It comes late.")
    desk.get_by_role("button", name=say("Close", "Закрыть")).click()
    card.get_by_role("button", name=say("Reject and confirm", "Отклонить и подтвердить итог")).click()
    desk.get_by_label(say("A word to those who objected", "Несколько слов возразившим")).fill("It was played out.")
    check_page(desk)
    send.click()
    expect(card).to_have_count(0)
    answers = {(one["state"], one["answer_note"]) for one in objections(site.client(), kept["id"])}
    assert answers == {("rejected", "It was played out.")}
    go(desk, f"/events/{kept['event_id']}")
    confirmed = say("payment waits for no objection", "возражения выплату не задержат")
    expect(desk.get_by_text(confirmed)).to_be_visible()


@seen_as((1440, "en", "light"), (390, "en", "light"))
def test_a_reported_objection_is_read_and_hidden(new_visitor: NewContext, site: Service) -> None:
    reason = f"Only a fool says so, {secrets.token_hex(4)}."
    made = objected(site, site.creator, reason)
    (said,) = objections(site.client(), made["id"])
    report = {"kind": "objection", "id": said["id"], "reason": "abuse"}
    answered(site.user().client.post("/reports", json=report), 201)
    desk = page_of(new_visitor(), site.user(operator=True))
    desk.goto("/desk/reports")
    card = desk.locator("li.card").filter(has_text=reason)
    expect(card.get_by_role("link", name="in Event")).to_have_attribute(
        "href", f"/events/{made['event_id']}?pool={made['id']}"
    )
    card.get_by_role("button", name="Hide").click()
    expect(desk.get_by_text("The objection is hidden.")).to_be_visible()
    check_page(desk)
    assert objections(site.client(), made["id"])[0]["reason"] == ""
    desk.get_by_role("button", name="Undo").click()
    expect(card.get_by_role("button", name="Hide")).to_be_visible()
    go(desk, "/desk/objections")
    card = desk.locator("li.card").filter(has_text=reason)
    expect(card).to_contain_text("An administrator answers this.")
    # Clarifications can be hidden, too.
    said_there = card.locator(".all")
    said_there.get_by_role("button", name="Hide").click()
    expect(said_there.get_by_role("button", name="Show again")).to_be_visible()
    assert objections(site.client(), made["id"])[0]["hidden"] is True
