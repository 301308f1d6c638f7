"""The dialog in which a pool's result is given."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.support.screens import Words


def go_on(dialog: Locator, say: Words) -> None:
    """Leave out on purpose what says why, and come to the last look."""
    further = dialog.get_by_role("button", name=say("Continue", "Дальше"), exact=True)
    further.click()
    dialog.get_by_role("checkbox", name=say("on purpose", "Намеренно")).check()
    further.click()


def give_at_once(dialog: Locator, say: Words) -> None:
    """Give a result that nothing undoes."""
    go_on(dialog, say)
    final = dialog.get_by_role("button", name=say("Resolve permanently", "Подвести итог окончательно"))
    expect(final).to_be_disabled()
    dialog.get_by_role("textbox").fill(say("resolve", "итог"))
    final.click()
