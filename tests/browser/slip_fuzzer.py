"""Use slips while their markets move: `python -m tests.browser.slip_fuzzer --first 1 --lives 100`.

A seed names a life: a desk or a phone, a pool, what its user holds, what is chosen and typed in its slip; then trades,
pauses, splits, reloads, ways back and other languages under the open slip. After each it must stand on what its user
left it on, and what is sent at the end must be what was shown.

Prints every life in which a slip turned, and ends with exit code 1 where there was any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page

from tests.support.browser import SIZES, Look, new_context, running_browser
from tests.support.lists import add_outcome
from tests.support.schema import prepare
from tests.support.screens import go, page_of
from tests.support.service import Service, expect, pool

#: How long a slip may take to be what it was, and a quote or an order to be sent.
TIMEOUT_S = 8.0
TIMEOUT_MS = 1_000 * TIMEOUT_S
#: What a slip stands on; of each choice, how many there are and which it is. Its title is compared in one language, and
#: what is typed with the point of English.
STANDS = """() => {
    const slip = document.querySelector(".slip");
    if (!slip) return null;
    const all = (selector) => [...slip.querySelectorAll(selector)];
    const among = (one) => [...one.parentElement.querySelectorAll(":scope > [aria-pressed]")];
    return {
        address: location.search,
        title: slip.querySelector("h2")?.textContent.trim(),
        pressed: all("[aria-pressed=true]").map((one) => [among(one).length, among(one).indexOf(one)]),
        chosen: all("select, input[type=checkbox]").map((one) => one.type === "checkbox" ? one.checked : one.value),
        typed: all("input:not([type=checkbox])").map((one) => one.value.replace(",", ".")),
    };
}"""
#: True once nothing of it is still to come.
READY = """() => document.querySelector(".slip h2")
    && !document.querySelector(".slip .skeleton, .slip [aria-busy=true]")"""
#: What of a page says what its slip is on, where that is no part of the slip: rows, conditions, answers under them.
PAGE_CHOICES = ".outs .do button, .choices select, .when button[aria-pressed=false], button.cell[aria-pressed=false]"
#: The options of a select that may be chosen, by number.
ENABLED = "(one) => [...one.options].flatMap((option, index) => option.disabled ? [] : [index])"
#: Tells of each request before it is sent: the browser's own events lack the bodies of some.
NOTE = """(() => {
    const send = window.fetch;
    window.fetch = async (request, ...more) => {
        if (request instanceof Request) await noteSent(request.method, request.url, await request.clone().text());
        return send(request, ...more);
    };
})()"""
#: Requests that say what a slip would trade, and those that trade it.
QUOTES = ("/market/quote", "/market/baskets/quote")
ORDERS = ("/market/bets", "/market/positions/sell", "/market/orders", "/market/baskets")
QUESTIONS = [
    {"name": "Ada", "outcomes": ["Ada runs", "Ada stays away"]},
    {"name": "Mayor", "outcomes": ["Boris wins", "Clara wins"]},
    {"name": "Turnout", "outcomes": ["Many vote", "Few vote"]},
]


def _pool(priors: list[float] | None, shape: dict[str, Any] | None = None, names: list[str] | None = None) -> Any:
    described = pool(names, b=100_000, **({"probabilities": priors} if priors else {}))
    if shape:
        described["metadata"]["shape"] = shape
    return described


POOLS = {
    "yes or no": _pool(None),
    "list": _pool([0.4, 0.35, 0.25], names=["Ash", "Birch", "Cedar"]),
    "growing list": _pool([0.4, 0.35, 0.25], {"kind": "list"}, ["Ash", "Birch", "Other"]),
    "number": _pool([0.1, 0.2, 0.4, 0.2, 0.1], {"kind": "number", "edges": [0, 10, 20, 30], "unit": "°C"}),
    "joint": _pool([0.4, 0.2, 0.15, 0.25], {"kind": "joint", "questions": QUESTIONS[:2]}),
    "several conditions": _pool([0.3, 0.1, 0.1, 0.1, 0.05, 0.1, 0.05, 0.2], {"kind": "joint", "questions": QUESTIONS}),
}


class Turned(AssertionError):
    """A slip stands on something else than its user left it on."""


@dataclass
class SlipLife:
    """One user, one slip, and what happens under it."""

    site: Service
    page: Page
    random: Random
    width: int
    steps: list[str] = field(default_factory=list)
    #: What the last request of each kind was about.
    quoted: Any = None
    ordered: Any = None

    def __post_init__(self) -> None:
        """Draw a pool, and make the people around it."""
        self.kind = self.random.choice(sorted(POOLS))
        self.event = self.site.event(pools=[POOLS[self.kind]])
        self.pool_id = self.event["pools"][0]["id"]
        self.markets = [market["id"] for market in self.event["pools"][0]["markets"]]
        self.outcomes = len(self.markets)
        self.rival = self.site.user(balance_kopecks=100_000_000)
        self.page.expose_function("noteSent", self._note)
        self.page.add_init_script(NOTE)

    def live(self, trader: Any) -> None:
        """Use the slip; raises `Turned` where it did."""
        for _ in range(self.random.choice([0, 1, 2])):
            self._trade(trader, self.random.choice([3_000, 8_700]))
        self._tell(f"{self.kind}, opened on {self.width} pixels")
        self.page.goto(f"/events/{self.event['id']}", wait_until="networkidle")
        for _ in range(self.random.randint(0, 3)):
            self._choose()
        if not self._is_open():
            self._act(self._any(self.page.locator(".buybar button")))
        for _ in range(self.random.randint(1, 6)):
            self._use()
        self.page.wait_for_function(READY)
        stood = self._stands()
        self._tell(f"stands on {json.dumps(stood, ensure_ascii=False)}")
        quoted = self.quoted
        happens = [self._rival_trades, self._own_trade, self._pauses, self._reloads, self._comes_back, self._speaks]
        if self.kind == "growing list":
            happens.append(self._splits)
        for _ in range(self.random.randint(2, 6)):
            happening = self.random.choice(happens)
            self._tell(happening.__name__)
            happening(trader)
            self._check(stood, is_new_page=happening in {self._reloads, self._comes_back, self._speaks})
        if self.random.random() < 0.25:
            self._ends()
        else:
            self._presses(quoted)

    def _use(self) -> None:
        self.page.wait_for_function(READY)
        slip = self.page.locator(".slip")
        choices = slip.locator("[aria-pressed=false]:visible:enabled, select:visible")
        fields = slip.locator("input:not([type=checkbox]):not([type=range]):not([type=date]):visible")
        one = self._any(choices) if self.random.random() < 0.6 else self._any(fields)
        if one is not None:
            self.quoted = None
            self._act(one)

    def _choose(self) -> None:
        """Choose on the page what the slip is on; on a phone that may open it."""
        if not self.page.get_by_role("dialog").is_visible():
            self._act(self._any(self.page.locator(".main").locator(PAGE_CHOICES).locator("visible=true")))

    def _is_open(self) -> bool:
        return self.width == max(SIZES) or self.page.get_by_role("dialog").is_visible()

    def _act(self, one: Locator | None) -> None:
        """Choose anything of a select, type a number, or press."""
        if one is None:
            return
        if one.evaluate("(one) => one.tagName") == "SELECT":
            one.select_option(index=self.random.choice(one.evaluate(ENABLED)))
        elif one.evaluate("(one) => one.tagName") == "INPUT":
            one.fill(str(self.random.randint(2, 40)))
        else:
            self._press(one)
        # A quote is requested 150 ms after typing.
        self.page.wait_for_timeout(400)

    def _press(self, button: Locator) -> None:
        if self.width == max(SIZES):
            button.click()
        else:
            button.tap()

    def _any(self, found: Locator) -> Locator | None:
        count = found.count()
        return found.nth(self.random.randrange(count)) if count else None

    def _check(self, stood: dict[str, Any], *, is_new_page: bool) -> None:
        self.page.wait_for_function(READY)
        if is_new_page:
            # The title is in another language, and the address keeps no amounts: they are typed again.
            self.page.wait_for_function(
                f"(count) => ({STANDS})()?.typed.length === count", arg=len(stood["typed"]), timeout=TIMEOUT_MS
            )
            stood["title"] = self._stands()["title"]
            fields = self.page.locator(".slip input:not([type=checkbox])")
            for index, text in enumerate(stood["typed"]):
                if fields.nth(index).input_value().replace(",", ".") != text and fields.nth(index).is_editable():
                    fields.nth(index).fill(text)
        # What comes late turns it late.
        self.page.wait_for_timeout(300)
        began_s = time.monotonic()
        while not stands_as(stood, stands := self._stands()):
            if time.monotonic() - began_s > TIMEOUT_S:
                raise Turned(f"stood on {stood}, stands on {stands}")
            self.page.wait_for_timeout(100)
        # What had nothing to sell is from now on what it shows first.
        stood |= {name: stands[name] for name in ("pressed", "typed")}

    def _presses(self, quoted: Any) -> None:
        button = self.page.locator(".slip .go button")
        for attempt in (1, 2):
            if button.count() == 0 or not button.is_enabled():
                return
            self._tell(f"press {attempt}: {button.inner_text()}")
            self._press(button)
            self.page.wait_for_timeout(400)
            if self.ordered is not None:
                break
        if quoted is not None and self.ordered is not None and quoted[0] == self.ordered[0] and quoted != self.ordered:
            raise Turned(f"quoted {quoted}, sent {self.ordered}")

    def _ends(self) -> None:
        self._tell("decided")
        sides = {"won_side": 1 if self.outcomes == 1 else 0}
        expect(self.site.admin.post(f"/pools/{self.pool_id}/resolve", json=sides), 200)
        self.page.locator(".slip .go button").wait_for(state="detached", timeout=TIMEOUT_MS)

    def _rival_trades(self, _trader: Any) -> None:
        for _ in range(self.random.choice([1, 1, 3])):
            self._trade(self.rival, self.random.choice([500, 20_000, 300_000]))

    def _own_trade(self, trader: Any) -> None:
        self._trade(trader, self.random.choice([500, 6_000]))

    def _pauses(self, _trader: Any) -> None:
        expect(self.site.creator.client.post(f"/pools/{self.pool_id}/pause"), 200)
        self.page.locator(".slip .go").wait_for(state="detached", timeout=TIMEOUT_MS)
        expect(self.site.creator.client.post(f"/pools/{self.pool_id}/resume"), 200)

    def _splits(self, _trader: Any) -> None:
        expect(add_outcome(self.site.creator.client, self.pool_id, f"New {self.outcomes}", 0.5), 201)
        self.outcomes += 1

    def _reloads(self, _trader: Any) -> None:
        self.page.reload()

    def _comes_back(self, _trader: Any) -> None:
        go(self.page, "/leaders")
        self.page.locator(".slip").wait_for(state="detached")
        self.page.go_back()

    def _speaks(self, _trader: Any) -> None:
        language = self.random.choice(["en", "ru"])
        self.page.evaluate("(language) => localStorage.setItem('language', language)", language)
        self.page.reload()

    def _trade(self, person: Any, kopecks: int) -> None:
        is_list = self.kind == "growing list"
        last = len(self.markets) - 1
        index = self.random.randint(0, last)
        side = "YES" if is_list and index == last else self.random.choice(["YES", "NO"])
        known = {"outcomes": self.outcomes} if is_list else {}
        body = {"market_id": self.markets[index], "token_type": side, "amount_kopecks": kopecks, **known}
        expect(person.client.post("/market/bets", json=body), 201)
        self._tell(f"{person.nickname} buys {side} of {index} for {kopecks}")

    def _stands(self) -> dict[str, Any]:
        found: dict[str, Any] | None = self.page.evaluate(STANDS)
        if found is None:
            raise Turned("there is no slip")
        return found

    def _note(self, method: str, url: str, body: str) -> None:
        path = urlsplit(url).path.removeprefix("/api/v1")
        if path in QUOTES:
            self.quoted = trade_of(path, url, body)
        elif path in ORDERS and method == "POST":
            self.ordered = trade_of(path, url, body)

    def _tell(self, what: str) -> None:
        self.steps.append(what)


def stands_as(stood: dict[str, Any], stands: dict[str, Any]) -> bool:
    """Return whether a slip stands on what it stood on. Who has bought meanwhile may choose to sell, or how much."""
    before, after = (Counter(map(tuple, one["pressed"])) for one in (stood, stands))
    is_more = before <= after and all(chosen == 0 for _, chosen in after - before)
    is_typed = stands["typed"] == stood["typed"] or not stood["typed"]
    return is_more and is_typed and all(stood[name] == stands[name] for name in ("address", "title", "chosen"))


def trade_of(path: str, url: str, text: str) -> tuple[str, Any]:
    """Return what a quote or an order is about, without its amounts."""
    if not text:
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        return "one", (int(query["market_id"]), query["token_type"], "buy" if "amount_kopecks" in query else "sell")
    body = json.loads(text)
    if "baskets" in path:
        if body["changes"] is None:
            return "bundle", (body["market_ids"], body["given"])
        return "changes", None
    action = body["action"] if path == "/market/orders" else "sell" if path.endswith("sell") else "buy"
    kind = "limit" if path == "/market/orders" else "one"
    return kind, (body["market_id"], body["token_type"], action)


def live(site: Service, browser: Browser, seed: int) -> str | None:
    """Live the life of a seed; return what happened where its slip turned."""
    random = Random(seed)
    width = random.choice(sorted(SIZES))
    context: BrowserContext = new_context(browser, site.url, Look(width, "en", "light"))
    trader = site.user(balance_kopecks=10_000_000)
    life = SlipLife(site, page_of(context, trader), random, width)
    try:
        life.live(trader)
    except (Turned, Error) as error:
        return f"life {seed}: {type(error).__name__} {error}\n  " + "\n  ".join(life.steps)
    finally:
        context.close()
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--lives", type=int, default=100)
    wanted = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, running_browser() as browser:
        prepare(url := f"sqlite:///{folder}/slips.sqlite3")
        site = Service(url)
        for seed in range(wanted.first, wanted.first + wanted.lives):
            found = live(site, browser, seed)
            wrong += found is not None
            if found:
                print(found, flush=True)
        site.stop()
    print(f"{wanted.lives} lives, {wrong} of a slip that turned")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
