"""What a slip will buy is fixed when it is shown: its user changes it, no price, pause, reload or way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.support.browser import Findings
from tests.support.screens import go, page_of
from tests.support.service import Service, pool
from tests.support.service import expect as answered

#: The title, what is pressed in each choice, and all fields. Chances move: they are left out.
SHOWN = """() => {
    const slip = document.querySelector(".slip");
    const pressed = [...slip.querySelectorAll("[aria-pressed=true]")].map((one) => one.firstChild.textContent.trim());
    const fields = [...slip.querySelectorAll("select, input")].map((one) =>
        one.type === "checkbox" ? String(one.checked) : one.value);
    return [slip.querySelector("h2").textContent.trim(), ...pressed, ...fields];
}"""
PAY, SELL = "You pay", "You sell shares that pay"
QUESTIONS = [
    {"name": "Ada", "outcomes": ["Ada runs", "Ada stays away"]},
    {"name": "Mayor", "outcomes": ["Boris wins", "Clara wins"]},
]


def _shaped(priors: list[float], shape: dict[str, Any] | None = None, names: list[str] | None = None) -> dict[str, Any]:
    described = pool(names, b=100_000, probabilities=priors)
    if shape:
        described["metadata"]["shape"] = shape
    return described


LIST = _shaped([0.4, 0.35, 0.25], names=["Ash", "Birch", "Cedar"])
GROWING = _shaped([0.4, 0.35, 0.25], {"kind": "list"}, ["Ash", "Birch", "Other"])
NUMBER = _shaped([0.1, 0.2, 0.4, 0.2, 0.1], {"kind": "number", "edges": [0, 10, 20, 30], "unit": "°C"})
JOINT = _shaped([0.4, 0.2, 0.15, 0.25], {"kind": "joint", "questions": QUESTIONS})


@dataclass(frozen=True)
class Slip:
    """A slip: of which pool, what its user holds and clicks, and what is typed into which fields.

    `rival`: the outcome_index that another makes the likeliest.
    """

    pool: Mapping[str, Any]
    rival: int
    typed: Mapping[str, str]
    clicks: tuple[str, ...] = ()
    holds: tuple[tuple[int, str], ...] = ()
    #: What of it the address does not keep: it is typed again.
    lost: tuple[str, ...] = (PAY, SELL)


SLIPS = {
    "list, nothing chosen": Slip(LIST, 1, {PAY: "40"}),
    "list, a sale at a price": Slip(
        LIST,
        1,
        {"Price per": "81", "You sell what pays": "30"},
        ("Sell", "No", "At my price"),
        ((0, "NO"),),
        ("Price per", "You sell what pays"),
    ),
    "growing list, nothing chosen": Slip(GROWING, 1, {PAY: "40"}),
    "number, nothing chosen": Slip(NUMBER, 4, {PAY: "40"}),
    "number, a curve": Slip(
        NUMBER, 4, {"10% chance of less": "3", "You pay at most": "40"}, ("My curve",), (), ("You pay at most",)
    ),
    "number, a sale": Slip(NUMBER, 4, {}, ("Sell", "Sell outside of a range"), ((0, "YES"), (2, "YES"))),
    "joint, nothing chosen": Slip(JOINT, 3, {PAY: "40"}),
    "joint, No": Slip(JOINT, 3, {PAY: "40"}, ("No",)),
    "joint, a sale": Slip(JOINT, 3, {}, ("Sell",), ((1, "YES"),)),
}


@pytest.mark.parametrize("width", [1440])
@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS.keys())
def test_a_slip_stays_on_what_it_was_shown_with(
    new_visitor: NewContext, site: Service, findings: Findings, slip: Slip
) -> None:
    # A quote requested as the pause began.
    findings.allow(r"status of 409 .*/market/(baskets/)?quote")
    event = site.event(pools=[dict(slip.pool)])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    trader, rival = site.user(balance_kopecks=1_000_000), site.user(balance_kopecks=10_000_000)
    for index, side in slip.holds:
        answered(trader.client.post("/market/bets", json=_body(event, markets[index], 5_000, side)), 201)
    page = page_of(new_visitor(), trader)
    page.goto(f"/events/{event['id']}")
    rail = page.get_by_role("complementary")
    for name in slip.clicks:
        rail.get_by_role("button", name=re.compile(rf"^{name}( \d|$)")).first.click()
    _type(page, slip.typed)
    shown = page.evaluate(SHOWN)

    answered(rival.client.post("/market/bets", json=_body(event, markets[slip.rival], 300_000, "YES")), 201)
    for step in ("pause", "resume"):
        answered(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/{step}"), 200)
        paused = rail.get_by_text("Trading is paused")
        expect(paused).to_have_count(1 if step == "pause" else 0)
    _same(page, shown)

    page.reload()
    _type(page, {name: text for name, text in slip.typed.items() if name in slip.lost})
    _same(page, shown)
    go(page, "/leaders")
    expect(page.get_by_role("complementary").locator(".slip")).to_have_count(0)
    page.go_back()
    _type(page, {name: text for name, text in slip.typed.items() if name in slip.lost})
    _same(page, shown)


def _body(event: dict[str, Any], market_id: int, kopecks: int, side: str) -> dict[str, Any]:
    known = {"outcomes": len(event["pools"][0]["markets"])} if event["pools"][0]["other"] is not None else {}
    return {"market_id": market_id, "token_type": side, "amount_kopecks": kopecks, **known}


def _type(page: Page, typed: Mapping[str, str]) -> None:
    for label, text in typed.items():
        page.get_by_role("complementary").get_by_label(re.compile(f"^{label}")).last.fill(text)


def _same(page: Page, shown: list[str]) -> None:
    expect(page.locator(".slip h2")).to_have_text(shown[0])
    page.wait_for_function(f"(shown) => JSON.stringify(({SHOWN})()) === JSON.stringify(shown)", arg=shown)
    assert page.evaluate(SHOWN) == shown
