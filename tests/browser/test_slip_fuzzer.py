"""A few lives of slips; `tests.browser.slip_fuzzer` lives as many as one likes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.slip_fuzzer import live
from tests.support.lengths import LONG, length
from tests.support.service import Service


@LONG
@pytest.mark.parametrize("seed", length(short=[14, 25], long=range(1, 29)))
def test_a_slip_stands_on_what_it_was_left_on_whatever_happens(site: Service, browser: Browser, seed: int) -> None:
    found = live(site, browser, seed)
    assert found is None, found
