"""Fixtures of tests in a browser: `page`, on the shared service, as a phone and as a desk.

A test chooses by parameters of the same names: `@pytest.mark.parametrize("language", ["en", "ru"])`, likewise `theme`
and `width`. A test that needs a service of its own has a fixture `site`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.browser import SIZES, Findings, Language, Look, Theme, new_context, running_browser
from tests.support.mailbox import Mailbox, mail_server
from tests.support.service import Service

NewContext = Callable[[], BrowserContext]


#: The browser, once a test has started it, and what closes it.
BROWSER = pytest.StashKey[tuple[Browser, ExitStack]]()


@pytest.fixture
def browser(sqlite_service: Service, request: pytest.FixtureRequest) -> Browser:
    """A browser that runs until the next test of this process is none of this folder's."""
    stash = request.session.stash
    if BROWSER not in stash:
        closing = ExitStack()
        stash[BROWSER] = closing.enter_context(running_browser()), closing
    return stash[BROWSER][0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Close the browser where another kind of test is next: while it runs, so does an event loop in this thread."""
    try:
        return (yield)
    finally:
        is_next = nextitem is not None and Path(__file__).parent in nextitem.path.parents
        if BROWSER in item.session.stash and not is_next:
            item.session.stash[BROWSER][1].close()
            del item.session.stash[BROWSER]


@pytest.fixture
def site(sqlite_service: Service) -> Service:
    """The service whose pages are shown."""
    return sqlite_service


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    """What a mail server of its own has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture(params=sorted(SIZES))
def width(request: pytest.FixtureRequest) -> int:
    """The window's width in CSS pixels: that of a phone and of a desk in turn."""
    return int(request.param)


@pytest.fixture
def language() -> Language:
    """The language of the browser."""
    return "en"


@pytest.fixture
def theme() -> Theme:
    """The colours that the browser prefers."""
    return "light"


@pytest.fixture
def look(width: int, language: Language, theme: Theme) -> Look:
    """How the pages of a test look."""
    return Look(width, language, theme)


@pytest.fixture
def findings(site: Service) -> Iterator[Findings]:
    """What pages did that no page may do; the test fails if there is anything at its end."""
    noted = Findings(site.url)
    yield noted
    noted.check()


@pytest.fixture
def new_visitor(browser: Browser, site: Service, findings: Findings, look: Look) -> Iterator[NewContext]:
    """Opens contexts that share nothing, each as the browser of another person."""
    opened: list[BrowserContext] = []

    def new() -> BrowserContext:
        opened.append(new_context(browser, site.url, look))
        findings.watch(opened[-1])
        return opened[-1]

    yield new
    for context in opened:
        context.close()


@pytest.fixture
def page(new_visitor: NewContext) -> Page:
    """A page of a visitor's browser."""
    return new_visitor().new_page()
