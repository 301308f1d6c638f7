"""A site for forecasts alone: no order is taken, nothing is granted, no currency is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from pydantic import SecretStr

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.currency import Currency
from foreknow.kernel.grant_settings import AllowanceTerms
from tests.contract.site_setting import change
from tests.support import partner_orders
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.mailbox import Mailbox, mail_server, text_of
from tests.support.orders import balance, bet
from tests.support.proofs import proves
from tests.support.service import PASSWORD, PartnerAccount, Person, Service, expect, pool, refused
from tests.support.waiting import let_work, wait_until

OFF = (
    "forecasts: **Forecasting alone**: `FOREKNOW_TRADING` (`on`; GET /site + `trading`: bool): with `off` every order "
    "(of a batch each place and replace), also of partners and the house, and every quote is 403 `trading_off`, right "
    "after the role;"
)
GOES_ON = "forecasts: cancels and payments go on; nothing is granted, no currency is shown; prices stand at the priors"
OPENAPI = Path(__file__).parents[2] / "docs" / "openapi.json"
STARS = Currency(sign="☆", name="stars", name_ru="звёзды", decimals=0)
ALLOWANCE = AllowanceTerms(kopecks=10_000, every="day", up_to=90_000)
GRANT, CREDIT, STAKE = 50_000, 700, 1_000
#: What takes an Idempotency-Key, and is no order.
NO_ORDERS = {"withdraw_from_partner_user", "credit_user", "deposit_to_partner", "pay_out_partner"}
CODE = "trading_off"


class Traded(NamedTuple):
    """A site on which people traded until it took orders no more."""

    service: Service
    event: dict[str, Any]
    trader: Person
    order_id: int
    partner: PartnerAccount
    partner_order_id: int
    invitation: str

    @property
    def market_id(self) -> int:
        """Its first market."""
        return int(self.event["pools"][0]["markets"][0]["id"])


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    """What the services' mail server has taken."""
    with mail_server() as box:
        yield box


@pytest.fixture
def traded(start_service: Callable[..., Service], mailbox: Mailbox) -> Traded:
    """Positions, limit orders, an invitation with money and an allowance from before; then `trading` is off."""
    given: dict[str, Any] = {"currency": STARS, "sign_up_kopecks": GRANT, "allowance": ALLOWANCE}
    mail = {"smtp_url": SecretStr(f"smtp://127.0.0.1:{mailbox.port}"), "email_from": "site@foreknow.test"}
    service = start_service(begins_midweek=True, public_url="http://foreknow.test", **mail, **given)
    event = service.event(name="Will it rain?", pools=[pool(["Rain", "Sun"], probabilities=[0.3, 0.7])])
    market = event["pools"][0]["markets"][0]["id"]
    trader, partner = service.user(), service.partner(float_kopecks=100_000)
    expect(bet(trader, market, "YES", STAKE), 201)
    order = {"market_id": market, "action": "buy", "shares": 1_000, "price_bps": 100}
    mine = expect(trader.client.post("/market/orders", json={**order, "token_type": "YES"}), 201)
    of_partner = {**order, "external_user_id": "ann", "side": "yes"}
    theirs = expect(partner.client.post("/partner/orders", json=of_partner), 201)
    invitation = expect(service.admin.post("/admin/invitations", json={"uses": 9, "credit_kopecks": CREDIT}), 201)
    change(service, trading="off")
    assert expect(service.client().get("/site"), 200)["trading"] is False
    token = invitation["url"].rpartition("/")[2]
    return Traded(service, event, trader, mine["id"], partner, theirs["order_id"], token)


def operations() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Return method, path below /api/v1 and description of each operation."""
    for path, methods in json.loads(OPENAPI.read_text())["paths"].items():
        for method, described in methods.items():
            if method in {"get", "post", "put", "patch", "delete"}:
                yield method, path.removeprefix("/api/v1"), described


def is_order(path: str, described: Mapping[str, Any]) -> bool:
    """Return whether an operation takes or quotes an order: it quotes, or moves money and is none of the others."""
    named = {one.get("name") for one in described.get("parameters", [])}
    return "quote" in path or ("Idempotency-Key" in named and described["operationId"] not in NO_ORDERS)


def newcomer(service: Service, name: str, **fields: str) -> int:
    """Sign up; return what they start with."""
    body = {"email": f"{name}@example.org", "password": PASSWORD, "name": name, **fields}
    return int(expect(service.client().post("/auth/sign-up", json=body), 201)["user"]["balance_kopecks"])


def ask(service: Service, path: str) -> str:
    return httpx.get(service.url + path, trust_env=False, verify=NO_TLS, timeout=60).text


@proves(OFF)
def test_each_order_and_each_quote_is_refused_before_its_body_is_read(traded: Traded) -> None:
    """With a session, with a key of one's own, a partner, on quotes a stranger too."""
    service, trader = traded.service, traded.trader
    keys = {
        scope: expect(trader.client.post("/users/me/keys", json={"name": scope, "scope": scope}), 201)["key"]
        for scope in ("trade", "read")
    }
    stranger, bot, reader = service.client(), service.client(keys["trade"]), service.client(keys["read"])
    found = [(method, path) for method, path, described in operations() if is_order(path, described)]
    assert len(found) >= 12
    for method, path in found:
        of_partner = path.startswith("/partner/")
        code = CODE.upper() if of_partner else CODE
        callers = [traded.partner.client] if of_partner else [trader.client, bot]
        for client in callers:
            refused(client.request(method, path), 403, code)
            if method == "post":
                refused(client.request(method, path, content=b"{"), 403, code)
        if of_partner:
            refused(stranger.request(method, path), 401, "INVALID_PARTNER_KEY")
        elif "quote" in path:
            refused(stranger.request(method, path), 403, code)
        else:
            refused(stranger.request(method, path), 401, "unauthorized")
            # The role comes first.
            refused(reader.request(method, path), 403, "forbidden")
    listed = [(method, path) for method, path, described in operations() if CODE in json.dumps(described).lower()]
    assert sorted(listed) == sorted(found)


@proves(GOES_ON)
def test_cancels_and_payments_go_on_where_no_order_is_taken(traded: Traded) -> None:
    service, trader, partner = traded.service, traded.trader, traded.partner
    held = balance(trader)
    assert expect(trader.client.get(f"/market/orders/{traded.order_id}"), 200)["status"] == "open"
    book = expect(service.client().get(f"/market/orderbook/{traded.market_id}"), 200)
    assert (book["bids"], book["asks"]) == ([], [])
    assert expect(trader.client.delete(f"/market/orders/{traded.order_id}"), 200)["status"] == "cancelled"
    assert balance(trader) == held + 10
    cancelled = expect(
        partner.client.post("/partner/orders/cancel", json={"external_user_id": "ann", "all": True}), 200
    )
    assert [one["order_id"] for one in cancelled["orders"]] == [traded.partner_order_id]
    (position,) = expect(trader.client.get("/market/positions"), 200)["positions"]
    expect(service.creator.client.post(f"/pools/{traded.event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    wait_until(lambda: balance(trader) == held + 10 + position["amount"])
    # Money that an admin gives by hand is no grant.
    assert expect(service.admin.post(f"/admin/users/{trader.id}/credit", json={"amount_kopecks": 5, "note": ""}), 201)


@proves(GOES_ON)
def test_nothing_is_granted_where_no_order_is_taken(traded: Traded) -> None:
    service, trader = traded.service, traded.trader
    before = balance(trader)
    offer = expect(service.client().post("/auth/invitation", json={"token": traded.invitation}), 200)
    assert (offer["grant_kopecks"], offer["credit_kopecks"]) == (0, 0)
    assert newcomer(service, "bea") == 0
    assert newcomer(service, "cyd", invitation=traded.invitation) == 0
    assert expect(trader.client.get("/users/me/allowance"), 200) == {"allowance": None}
    let_work()
    service.clock.advance(DAY_MS)
    service.sign_out_shared()
    token = service.sign_in(trader.email, PASSWORD)
    trader.client.headers["Authorization"] = f"Bearer {token}"
    let_work()
    assert balance(trader) == before
    # Whom it let in without is granted nothing later; who comes once orders are taken again is.
    change(service, trading=None)
    assert newcomer(service, "dan") == GRANT
    assert expect(trader.client.get("/users/me/allowance"), 200)["allowance"]["kopecks"] == ALLOWANCE.kopecks


@proves(GOES_ON)
@ONCE
def test_no_currency_is_shown_and_prices_stand_where_no_order_is_taken(traded: Traded, mailbox: Mailbox) -> None:
    service, trader, event = traded.service, traded.trader, traded.event
    fresh = service.event(name="Will it snow?", pools=[pool(probabilities=[0.62])])
    (market,) = fresh["pools"][0]["markets"]
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
    for path in (
        *(f"/embed/events/{one['id']}" for one in (event, fresh)),
        "/feeds/new.atom",
        f"/events/{fresh['id']}",
    ):
        # The field of GET /site stays, which the client's page brings.
        shown = ask(service, path).replace(f'"sign":"{STARS.sign}"', "")
        assert ("Will it" in shown, STARS.sign in shown) == (True, False), path
    wait_until(lambda: expect(trader.client.get("/notifications"), 200)["notifications"])
    texts = [one["text"] for one in expect(trader.client.get("/notifications"), 200)["notifications"]]
    assert any(text.endswith("paid 0, loss 10.") for text in texts), texts
    members = [{"email": "eva@example.org", "credit_kopecks": CREDIT}]
    expect(service.admin.post("/admin/members", json={"members": members}), 200)
    mail = text_of(mailbox.wait("eva@example.org"))
    assert not any(said in mail for said in (STARS.sign, "You start with"))
    refused(partner_orders.bet(traded.partner, "ann", market["id"], 100), 403, CODE.upper())
    assert expect(service.client().get(f"/markets/{market['id']}"), 200)["yes_probability"] == 0.62
    chart = expect(service.client().get(f"/pools/{fresh['pools'][0]['id']}/charts"), 200)
    assert {value for points in chart.values() for point in points for value in point["values"]} == {0.62}
