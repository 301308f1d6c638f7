"""What is offered is allowed: every button of every role, on every screen, gets no 403 from the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from foreknow.kernel.clock import DAY_MS, iso
from tests.browser.pressing import Presser
from tests.support.browser import Look, new_context, sign_in
from tests.support.lengths import LONG, length
from tests.support.lists import list_pool
from tests.support.schema import SqliteFiles
from tests.support.service import Person, Service, expect, pool

ROLES: dict[str, dict[str, bool]] = {
    "member": {},
    "creator": {"creator": True},
    "admin": {"admin": True},
    "admin who makes markets": {"admin": True, "creator": True},
    "operator": {"operator": True},
    "stats viewer": {"stats_viewer": True},
}
#: Who makes markets there, and whose market it is that is walked.
MAKERS = {
    "chosen": ("creator", "admin who makes markets"),
    "members": ("member",),
    "suggest": ("member", "creator"),
}
WALKS = [
    *(("chosen", role) for role in ("stranger", *ROLES)),
    ("members", "member"),
    *(("suggest", role) for role in ("member", "creator", "admin", "operator")),
]
#: Those whose markets and buttons differ most.
FEW = [("chosen", "creator"), ("suggest", "member")]
#: It would end the session, or change the site under the feet of who walks on it.
SKIPPED = "^(sign out|end|русский|english|delete my account)"
#: What it changes, all others see.
OF_SITE = ("/admin/site", "/admin/site/looks")
#: What is pressed at least: that the walk saw nothing would be no proof.
MUST = {
    "stranger": {"Sign in", "Share", "Call an operator", "Report"},
    "member": {"Set the alert", "Send the report", "Delete permanently"},
    "operator": {"Mute", "Close it now"},
}
RUN = {"Publish", "Add liquidity", "Add it", "Pause trading", "Resolve permanently", "Cancel permanently", "Save"}
#: Where who makes markets, and who works for the site, is shown other things than a member.
OF_WORK = ("/", "/create", "/mine", "/desk", "/desk/reports", "/desk/objections", "/admin")
#: Alike for all and on all markets: a stranger and a member press it.
OF_EVENTS = (
    "share$|copy|as the reader|light$|dark$|as a |report$|reply$|cancel$|like|dislike|follow|yes|no|buy|sell|now$|"
    "at my price|price alert|chance|new$|top$|any but"
)
RUNNERS = ("creator", "admin", "admin who makes markets")
#: Of a market that trades.
TABS = ("orders", "rules")
STATES = ("new", "active", "list", "ruled", "closed", "decided", "resolved", "cancelled")
SOON_MS = 3_000


@pytest.fixture
def site(creators: str, sqlite_files: SqliteFiles) -> Iterator[Service]:
    running = Service(sqlite_files.fresh_database(), creators=creators, creator_limit_kopecks=10**9)
    yield running
    running.stop()


def made(site: Service, maker: Person, name: str, described: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Make a market, which an admin publishes."""
    event = site.event(maker, publish=False, name=name, pools=[described], **fields)
    published: dict[str, Any] = expect(site.admin.post(f"/events/{event['id']}/publish"), 200)
    return published


def ruled(kind: str, **rest: Any) -> dict[str, Any]:
    described = pool()
    described["metadata"]["resolution"] = {"kind": kind, **rest}
    return described


def markets_in_each_state(site: Service, maker: Person, trader: Person) -> dict[str, int]:
    """Make a market in each state and return their ids."""
    now_ms = site.clock()
    by_price = ruled("price", symbol="RAIN", outcomes=[{"above": 1}]) | {"finish_at": iso(now_ms + DAY_MS)}
    events = {
        "new": site.event(maker, publish=False, name="Not published yet?"),
        "active": made(site, maker, "Active?", pool(finish_at=iso(now_ms + DAY_MS)), loop_interval_minutes=60),
        "list": made(site, maker, "Which of a list?", list_pool(b=100_000)),
        "ruled": made(site, maker, "By a price?", by_price),
        "closed": made(site, maker, "Closed?", pool(finish_at=iso(now_ms + SOON_MS))),
        "decided": made(site, maker, "Decided?", ruled("manual", dispute_minutes=60)),
        "resolved": made(site, maker, "Resolved?", pool()),
        "cancelled": made(site, maker, "Cancelled?", pool()),
    }
    for name in ("active", "list", "closed", "decided", "resolved", "cancelled"):
        event = events[name]
        bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 2_000}
        expect(trader.client.post("/market/bets", json=bet), 201)
        expect(trader.client.post("/comments", json={"event_id": event["id"], "content": "Because."}), 201)
    for name in ("decided", "resolved"):
        expect(site.admin.post(f"/pools/{events[name]['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(site.admin.post(f"/events/{events['cancelled']['id']}/cancel"), 200)
    site.clock.advance(SOON_MS)
    return {name: event["id"] for name, event in events.items()}


def fill(site: Service, trader: Person) -> list[str]:
    """Let something wait for the team; return where it is looked at."""
    visitor = site.client()
    chat = expect(visitor.post("/chat/session"), 201)["session_id"]
    expect(visitor.post("/chat/message", json={"text": "Hello?"}), 200)
    expect(visitor.post("/chat/session/call-operator"), 200)
    report = {"kind": "user", "id": trader.id, "reason": "spam"}
    expect(site.user().client.post("/reports", json=report), 201)
    partner = site.partner()
    if site.settings.creators == "suggest":
        site.event(site.user(), publish=False, name="Suggested?")
    return [f"/desk?chat={chat}", f"/admin/people?q={trader.id}", f"/admin/partners/{partner.name}"]


@LONG
@pytest.mark.parametrize("width", [1440])
@pytest.mark.parametrize(("creators", "role"), length(short=FEW, long=WALKS))
def test_no_button_asks_for_what_who_sees_it_may_not(
    browser: Browser, site: Service, creators: str, role: str, look: Look
) -> None:
    trader = site.user(balance_kopecks=100_000)
    person = None if role == "stranger" else site.user(balance_kopecks=100_000, **ROLES[role])
    is_maker = person is not None and role in MAKERS[creators]
    events = markets_in_each_state(site, person if person and is_maker else site.user(creator=True), trader)
    extra = fill(site, trader)
    context = new_context(browser, site.url, look)
    if person is not None:
        expect(person.client.post("/comments", json={"event_id": events["active"], "content": "My own."}), 201)
        sign_in(context, person)
    presser = Presser(context, SKIPPED, forwards=f"/mine?event={events['active']}", seen=set(OF_SITE))
    addresses = presser.menu()
    addresses += [one for one in extra if f"/{one.split('/')[1].split('?')[0]}" in addresses]
    is_plain = creators == "chosen" and role in {"stranger", "member"}
    is_run = role in RUNNERS or creators == "members"
    if is_plain:
        addresses += [f"/events/{events[name]}" for name in ("active", "decided")]
    else:
        presser.skipped += f"|^({OF_EVENTS})"
        addresses = [one for one in addresses if one in OF_WORK or one in extra]
        # Of what is not published its maker and admins know alone.
        addresses += [f"/events/{events[name]}" for name in STATES if is_run or is_maker or name == "active"]
    addresses += [f"/events/{events['active']}?tab={tab}" for tab in TABS]
    for address in sorted(addresses, key=lambda one: one.startswith("/settings")):
        presser.walk(address, submits=not address.startswith("/admin"))
    for address in presser.to_run:
        presser.walk(address)
    context.close()
    assert presser.refused == [], "\n".join(presser.refused)
    must = (MUST[role] if creators == "chosen" and role in MUST else set()) | (RUN if is_run else set())
    assert must <= {name for found in presser.pressed.values() for name in found}
