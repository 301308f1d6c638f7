from __future__ import annotations
import os
import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import NewContext
from tests.support.service import Service, expect as answered
from tests.support.screens import page_of, check_page
from pathlib import Path

OUT = Path("/tmp/shots")
OUT.mkdir(exist_ok=True)
W = [0.267, 0.122, 0.139, 0.052, 0.0001, 0.1599, 0.197, 0.063]


def joint_event(site, creator, **more):
    questions = [
        {
            "name": "Ada runs",
            "name_ru": "Ада идёт",
            "outcomes": ["Ada runs", "Ada does not run"],
            "outcomes_ru": ["Ада идёт на выборы", "Ада не идёт"],
        },
        {
            "name": "Mayor",
            "name_ru": "Мэр",
            "outcomes": ["Ada wins", "Boris wins", "Clara wins", "Someone else wins"],
            "outcomes_ru": ["Победит Ада", "Победит Борис", "Победит Клара", "Победит кто-то другой"],
        },
    ]
    pool = {
        "name": "x",
        "margin": 0.02,
        "metadata": {
            "shape": {"kind": "joint", "questions": questions},
            "market_probabilities": W,
            "lmsr_b_kopecks": 300000,
        },
    }
    return site.event(creator, name="Who becomes mayor, and does it matter whether Ada runs?", pools=[pool], **more)


@pytest.mark.parametrize(
    ("width", "language", "theme"), [(1440, "en", "light"), (390, "ru", "dark"), (390, "en", "light")]
)
def test_look(new_visitor: NewContext, site: Service, findings, width, language, theme) -> None:
    findings.allow("404")
    findings.allow("405")
    creator = site.user(creator=True)
    trader = site.user(balance_kopecks=1_284_350)
    event = joint_event(site, creator)
    page = page_of(new_visitor(), trader)
    n = f"{width}{language}{theme}"
    page.goto(f"/events/{event['id']}?if=0.0&then=1.2")
    page.wait_for_load_state("networkidle")
    if width == 390:
        page.screenshot(path=str(OUT / f"joint-{n}-0.png"), full_page=True)
        page.locator(".buybar button").first.click()
        page.get_by_role("dialog").locator("input").first.fill("800")
    else:
        page.locator("aside input").first.fill("800")
    page.wait_for_timeout(700)
    page.screenshot(path=str(OUT / f"joint-{n}-1.png"), full_page=False)
    check_page(page)
    if width == 390:
        page.keyboard.press("Escape")
    page.goto(f"/events/{event['id']}?show=all")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=str(OUT / f"joint-{n}-2.png"), full_page=True)
    check_page(page)
    page.goto(f"/events/{event['id']}?show=time")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=str(OUT / f"joint-{n}-3.png"), full_page=True)
    check_page(page)
