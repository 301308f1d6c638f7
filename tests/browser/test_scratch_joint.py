from __future__ import annotations
import pytest
from tests.browser.conftest import NewContext
from tests.support.service import Service
from tests.support.screens import page_of, check_page
from tests.support.browser import scrolls_sideways
from pathlib import Path
OUT = Path("/tmp/shots"); OUT.mkdir(exist_ok=True)

@pytest.mark.parametrize(("width","language","theme"), [(390,"ru","light"),(1440,"en","dark")])
def test_look(new_visitor: NewContext, site: Service, findings, width, language, theme) -> None:
    creator = site.user(creator=True)
    trader = site.user(balance_kopecks=1_284_350)
    qs = [{"name": f"Question {n}", "outcomes": ["Yes", "No"], "outcomes_ru": ["Да", "Нет"]} for n in range(4)]
    qs += [{"name": "N"*100, "outcomes": ["W"*100, "another " * 12 + "end"]}, {"name": "Last", "outcomes": ["Yes", "No"]}]
    pool = {"name": "x", "margin": 0.02, "metadata": {"shape": {"kind": "joint", "questions": qs}, "lmsr_b_kopecks": 300000}}
    event = site.event(creator, name="Six at once", pools=[pool])
    many = [{"name": "Seats", "outcomes": [f"{n} seats" for n in range(50)]}, {"name": "Passes", "outcomes": ["Yes", "No"]}]
    event2 = site.event(creator, name="A hundred", pools=[{"name": "x", "metadata": {"shape": {"kind": "joint", "questions": many}, "lmsr_b_kopecks": 300000}}])
    page = page_of(new_visitor(), trader)
    n = f"{width}{language}{theme}"
    for at, path in enumerate((f"/events/{event['id']}", f"/events/{event['id']}?rows=0&cols=4&fix=2.1&show=all", f"/events/{event['id']}?rows=4&cols=5", f"/events/{event2['id']}", f"/events/{event2['id']}?rows=1&cols=0", f"/events/{event2['id']}?rows=1&cols=0&show=time", f"/events/{event2['id']}?show=all")):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=str(OUT/f"six-{n}-{at}.png"), full_page=True)
        check_page(page)
        page.set_viewport_size({"width": 320 if width == 390 else 1080, "height": 800})
        page.wait_for_timeout(150)
        wide = page.evaluate("() => [...document.querySelectorAll(\"*\")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(\".scroll, .chips\")).slice(0, 8).map(e => e.outerHTML.slice(0, 120))")
        print(path, wide)
        assert not scrolls_sideways(page), (path, wide)
        page.set_viewport_size({"width": width, "height": 844})
