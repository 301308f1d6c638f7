"""Presses what a page offers: each enabled button once, those of the dialogs that they open, and what was typed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, Response

from tests.support.screens import go

#: A page's own count of what it waits for, before any of its code runs.
COUNTING = """
window.waitsFor = 0;
const plain = window.fetch;
window.fetch = (...given) => {
    window.waitsFor++;
    return plain(...given).finally(() => window.waitsFor--);
};
"""

#: Waits until nothing is on its way and nothing is still to be shown.
SETTLE = """async () => {
    // Between one answer and the question that follows it, nothing is on its way for a moment.
    for (let round = 0, quiet = 0; round < 80 && quiet < 2; round++) {
        await new Promise((done) => setTimeout(done, 12));
        const isShowing = document.querySelector("main [aria-busy=true], main .skeleton, dialog[open] .skeleton");
        quiet = window.waitsFor === 0 && !isShowing ? quiet + 1 : 0;
    }
}"""

#: What leads on from a page to where its reader may change something.
OFFERED = """() => [...document.querySelectorAll("main a[href]")].map((link) => link.getAttribute("href"))
    .filter((href) => /^[/](mine[?]event=|create[/][0-9]|admin[/][a-z])/.test(href))"""

#: Presses the buttons of the page that is open; returns their names. `skipped`: a pattern of those that end a session.
PRESS = """async ({ settle, address, within, fills, submits, skipped, most, backwards }) => {
    const wait = eval(settle);
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    const nameOf = (one) => (one.ariaLabel ?? one.textContent).trim().replace(/\\s+/g, " ");
    const keyOf = (one) => {
        const part = one.closest("dialog, section, article, form");
        const title = part?.ariaLabel ?? part?.querySelector("h2, h3")?.textContent ?? "";
        return `${title}/${nameOf(one)}`.replace(/[\\d.,:%\\s−]+/g, "#");
    };
    const put = (input, value) => {
        const kind = input.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(input, value);
        input.dispatchEvent(new Event("input", { bubbles: true }));
        input.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const fill = (root) => {
        for (const input of root.querySelectorAll("input:enabled, textarea:enabled")) {
            if (!input.checkVisibility()) continue;
            const word = /“(.+)”/.exec(input.labels?.[0]?.textContent ?? "")?.[1];
            if (word) put(input, word);
            else if (input.type === "radio") {
                const group = [...root.querySelectorAll("input[type=radio]")].filter(({ name }) => name === input.name);
                if (!group.some(({ checked }) => checked)) input.click();
            }
            else if (input.type === "url" && root.matches("dialog")) put(input, "https://example.org/");
            else if (input.type === "datetime-local" && fills === "all") put(input, "2028-06-01T12:00");
            else if (input.value || !["text", "textarea"].includes(input.type)) continue;
            else if (["decimal", "numeric"].includes(input.inputMode)) put(input, "10");
            else if (input.tagName === "TEXTAREA" || fills === "all") put(input, "Words");
        }
    };
    const pressed = new Map();
    const here = location.pathname;
    let rested = false;
    await wait();
    while (pressed.size < most) {
        const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
        const root = dialog ?? document.querySelector(within);
        if (fills !== "none") {
            fill(root);
            // What it makes possible is enabled a moment later.
            await later(0);
        }
        const found = [...root.querySelectorAll("button:enabled, summary")].filter((one) =>
            one.checkVisibility() && !one.matches(".close") && !pressed.has(keyOf(one)) &&
            !RegExp(skipped, "i").test(nameOf(one)) && (submits || !one.form || one.type !== "submit"));
        const next = dialog || !backwards ? found[0] : found.at(-1);
        if (next) {
            rested = false;
            // Some of what is there is loaded once it is near.
            next.scrollIntoView({ block: "center" });
            pressed.set(keyOf(next), nameOf(next));
            next.click();
            await wait();
        } else if (dialog) {
            (dialog.querySelector(".close") ?? { click: () => dialog.close() }).click();
            await later(30);
            if (dialog.open) dialog.close();
        } else if (!rested) {
            // A quote may still come, and make a bet possible.
            rested = true;
            await later(200);
            await wait();
        } else break;
        if (location.pathname !== here) {
            const link = document.createElement("a");
            link.href = address;
            document.body.append(link);
            link.click();
            link.remove();
            await wait();
        }
    }
    return [...pressed.values()];
}"""


@dataclass
class Presser:
    """A person's page, and what the service refused them on it."""

    context: BrowserContext
    #: What is not pressed: it ends the session of who presses.
    skipped: str
    most: int = 60
    #: Where buttons are pressed in their order, while a market is run: its cancellation comes first.
    forwards: str = ""
    #: Addresses that were walked, and those that are not to be.
    seen: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    #: By address.
    pressed: dict[str, list[str]] = field(default_factory=dict)

    #: Where the markets are run that pages led to: there, they end.
    to_run: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listen from the first page on."""
        self.context.add_init_script(COUNTING)
        self.context.on("response", self._on_response)
        self.page: Page = self.context.new_page()
        # A wide page of which little is painted costs a third of a whole one.
        self.page.set_viewport_size({"width": 1100, "height": 200})
        self.page.emulate_media(reduced_motion="reduce")
        self.page.on("pageerror", lambda error: self.refused.append(f"page error: {error}"))

    def _on_response(self, response: Response) -> None:
        if response.status == 403 or response.status >= 500:
            where = re.sub(r"^https?://[^/]+", "", self.page.url)
            asked = re.sub(r"^https?://[^/]+/api/v1", "", response.url)
            self.refused.append(f"{response.status} {response.request.method} {asked} on {where}")

    def menu(self) -> list[str]:
        """Return where the bars, the menu and the foot of a page lead."""
        self.page.goto("/")
        self.page.locator("button[popovertarget=menu]:visible").click()
        self.page.locator("#menu a").first.wait_for()
        hrefs: list[str] = self.page.eval_on_selector_all(
            "header a, #menu a, footer a", "(links) => links.map((link) => link.getAttribute('href'))"
        )
        self.page.keyboard.press("Escape")
        return list(dict.fromkeys(href for href in hrefs if href.startswith("/") and href != "/docs"))

    def walk(self, address: str, *, submits: bool = True) -> None:
        """Open an address and press what it offers, after the form of what may be changed there."""
        if address in self.seen:
            return
        self.seen.add(address)
        go(self.page, address)
        self.page.evaluate(SETTLE)
        offered: list[str] = self.page.evaluate(OFFERED)
        edits = [href for href in offered if href.startswith("/create/")]
        for href in edits:
            self.walk(href)
        if edits:
            go(self.page, address)
        self._press(address, submits=submits)
        for href in offered:
            if href.startswith("/admin/"):
                self.walk(href, submits=href == "/admin/attention")
            elif href not in (*edits, *self.to_run):
                self.to_run.append(href)

    def _press(self, address: str, *, submits: bool) -> None:
        fills = "all" if address.startswith("/create") else "none" if address.startswith("/settings") else "texts"
        given: dict[str, Any] = {
            "settle": f"({SETTLE})",
            "address": address,
            # What stands above the tabs is pressed without them.
            "within": "main .tabs" if "?tab=" in address else "main",
            "fills": fills,
            "submits": submits,
            "skipped": self.skipped,
            "most": self.most,
            # What ends a market stands above what is done with its pools.
            "backwards": address.startswith("/mine") and address != self.forwards,
        }
        try:
            self.pressed[address] = self.page.evaluate(PRESS, given)
        except Error as error:
            raise AssertionError(address) from error
