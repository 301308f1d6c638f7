"""The picture of one's own position, drawn in the browser: to copy, save or send."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.browser import Look, seen_as
from tests.support.screens import Words, check_page, page_of, words
from tests.support.service import Service, pool
from tests.support.service import expect as answered

#: How many colours a canvas has, of one pixel in 50.
COLOURS = """(canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set();
    for (let at = 0; at < data.length; at += 200) found.add(data.slice(at, at + 3).join());
    return found.size;
}"""
SHARE = """
window.sent = [];
navigator.canShare = ({ files }) => files.length === 1;
navigator.share = async ({ files, title, url }) => window.sent.push([files[0].type, files[0].size, title, url]);
"""


@seen_as((1440, "en", "light"), (390, "ru", "dark"))
def test_a_position_becomes_a_picture_that_names_its_holder_only_where_they_say_so(
    page: Page, site: Service, look: Look, tmp_path: Path
) -> None:
    say: Words = words(look.language)
    event = site.event(name="Who wins the cup this year?", pools=[pool(["Reds", "Blues"])])
    trader = site.user(balance_kopecks=100_000)
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 10_000}
    answered(trader.client.post("/market/bets", json=bet), 201)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = page_of(page.context, trader)
    page.add_init_script(SHARE)
    page.goto(f"/events/{event['id']}")
    page.get_by_role("button", name=say("A picture of your position", "Картинка вашей позиции")).click()

    dialog = page.get_by_role("dialog").filter(has=page.locator("canvas"))
    picture, canvas = dialog.get_by_role("img"), dialog.locator("canvas")
    bought = say(r"Yes · Reds\. Bought at .*\. Now ", r"Да · Reds\. Куплено по .*\. Сейчас ")
    expect(picture).to_have_accessible_name(re.compile(re.escape(event["name"]) + rf"\. {bought}"))
    page.wait_for_function("() => document.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1).data[3]")
    assert canvas.evaluate(COLOURS) > 4
    check_page(page)
    name = answered(trader.client.get("/users/me"), 200)["name"]
    assert name not in (picture.get_attribute("aria-label") or "")
    nameless = canvas.evaluate("canvas => canvas.toDataURL()")
    dialog.get_by_role("checkbox").check()
    expect(picture).to_have_accessible_name(re.compile(re.escape(name)))
    page.wait_for_function("(before) => document.querySelector('canvas').toDataURL() !== before", arg=nameless)

    dialog.get_by_role("button", name=say("Copy the picture", "Скопировать картинку")).click()
    expect(dialog.get_by_text(say("Copied", "Скопировано"))).to_be_visible()
    copied = page.evaluate("async () => (await navigator.clipboard.read()).flatMap(({ types }) => types)")
    assert copied == ["image/png"]
    with page.expect_download() as saved:
        dialog.get_by_role("button", name=say("Save the picture", "Сохранить картинку")).click()
    saved.value.save_as(tmp_path / "position.png")
    head = (tmp_path / "position.png").read_bytes()[:24]
    assert head[1:4] == b"PNG"
    assert struct.unpack(">II", head[16:24]) == (1_200, 630)
    dialog.get_by_role("button", name=say("Send…", "Отправить…")).click()
    page.wait_for_function("() => window.sent.length === 1")
    kind, size, title, url = page.evaluate("() => window.sent[0]")
    assert (kind, title) == ("image/png", event["name"])
    assert size > 5_000
    assert url.endswith(f"/events/{event['id']}")
