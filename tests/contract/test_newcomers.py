"""A site of one's own: its currency, and what newcomers are granted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.currency import Currency
from tests.support.kinds import ONCE
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, pool

CURRENCY = (
    'site: `FOREKNOW_CURRENCY`, JSON `{"code"?: ISO 4217 with two decimals, "sign", "name", "name_ru"?, '
    '"decimals"?: 0 or 2 (2)}`; default roubles. '
    "Without `code` it is play money and never called money. Amounts stay hundredths, fields "
    "keep their names; `decimals` 0: shown cut to whole ones. The sign stands before the number; in Russian, or if it "
    "has a letter, after it and U+00A0. GET /site + `currency`, with all five (`code` or null)."
)
WELCOME = (
    "site: `FOREKNOW_SIGN_UP_KOPECKS` (0): a newcomer's grant, in sign-up's transaction, or verification's where "
    "asked; `credit`, note `Welcome`. Once an account and an e-mail address, for ever (case and `+…` do not count; a "
    "keyed hash outlives deletion); of the uninvited, `FOREKNOW_GRANTS_PER_ADDRESS` (100) a network address (IPv6: "
    "/64) and UTC day, later ones none."
)
STATS = "site: /admin/stats + `grants_kopecks` (grants less forfeits), not in `house_result`."
START = "decisions: New users start with 0 (unless site.md gives more)."
GRANT = 50_000


@pytest.fixture
def site(start_service: Callable[..., Service]) -> Service:
    """A site with play money, that grants two newcomers of an address something in a day."""
    points = Currency(sign="¤", name="points", name_ru="очки", decimals=0)
    return start_service(currency=points, sign_up_kopecks=GRANT, grants_per_address=2, trusted_proxies="127.0.0.1")


def sign_up(site: Service, email: str, address: str) -> dict[str, Any]:
    body = {"email": email, "password": PASSWORD, "name": "Ann"}
    made: dict[str, Any] = expect(
        site.client(headers={"X-Forwarded-For": address}).post("/auth/sign-up", json=body), 201
    )
    return made


def granted(site: Service, email: str, address: str) -> int:
    return int(sign_up(site, email, address)["user"]["balance_kopecks"])


@proves(CURRENCY, WELCOME, STATS, START)
def test_a_newcomer_is_welcomed_once_an_address(site: Service) -> None:
    assert expect(site.client().get("/site"), 200)["currency"] == {
        "code": None,
        "sign": "¤",
        "name": "points",
        "name_ru": "очки",
        "decimals": 0,
    }
    ann = sign_up(site, "ann@example.org", "203.0.113.1")
    assert ann["user"]["balance_kopecks"] == GRANT
    [movement] = expect(site.client(ann["access_token"]).get("/users/me/transactions"), 200)["transactions"]
    assert (movement["type"], movement["change_kopecks"], movement["note"]) == ("credit", GRANT, "Welcome")
    # The same mailbox, by whichever name.
    assert granted(site, "Ann+again@Example.org", "203.0.113.2") == 0
    assert granted(site, "ann+@example.org", "203.0.113.2") == 0
    assert granted(site, "ann+3@exam\ufe0fple\u3002org", "203.0.113.2") == 0
    # Refused ones do not count, so that the second of an address has its own.
    assert granted(site, "bob@example.org", "203.0.113.1") == GRANT
    assert granted(site, "cid@example.org", "203.0.113.1") == 0
    assert granted(site, "dan@example.org", "203.0.113.3") == GRANT
    assert [granted(site, f"six{n}@example.org", f"2001:db8:0:1::{n}") for n in range(1, 4)] == [GRANT, GRANT, 0]
    assert granted(site, "seven@example.org", "2001:db8:0:2::1") == GRANT
    site.clock.advance(DAY_MS)
    assert granted(site, "eve@example.org", "203.0.113.1") == GRANT
    total = expect(site.user(stats_viewer=True).client.get("/admin/stats"), 200)["total"]
    assert (total["grants_kopecks"], total["house_result_kopecks"]) == (8 * GRANT, 0)


def test_of_one_mailbox_that_signs_up_many_times_at_once_one_is_welcomed(site: Service) -> None:
    shots = [
        ("POST", "/auth/sign-up", {"json": {"email": f"fay+{n}@example.org", "password": PASSWORD, "name": "Fay"}})
        for n in range(8)
    ]
    made = [expect(answer, 201) for answer in site.together(shots)]
    assert sorted(one["user"]["balance_kopecks"] for one in made) == [0] * 7 + [GRANT]


@proves("site: Client, mails, notices, pictures, command line write it so.")
@ONCE
def test_notices_name_amounts_in_the_currency_of_the_site(site: Service) -> None:
    event = site.event(pools=[pool(["Red", "Blue"])])
    trader = site.user()
    red = event["pools"][0]["markets"][0]["id"]
    expect(
        trader.client.post("/market/bets", json={"market_id": red, "token_type": "YES", "amount_kopecks": 1_050}), 201
    )
    expect(site.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
    [notice] = expect(trader.client.get("/notifications"), 200)["notifications"]
    assert notice["text"].endswith("paid ¤0, loss ¤10.")
    assert balance(trader) == GRANT - 1_050


@proves(
    "site: credit_kopecks? (0; beside Welcome, once an e-mail address as that, note `Invitation`)",
)
def test_the_invited_are_given_what_the_invitation_says_and_are_not_counted(site: Service) -> None:
    invitation = expect(site.admin.post("/admin/invitations", json={"uses": 9, "credit_kopecks": 700}), 201)
    token = invitation["url"].rpartition("/")[2]
    offer = expect(site.client().post("/auth/invitation", json={"token": token}), 200)
    assert (offer["grant_kopecks"], offer["credit_kopecks"], offer["expires_at"]) == (GRANT, 700, None)

    def invited(email: str) -> dict[str, Any]:
        body = {"email": email, "password": PASSWORD, "name": "Gil", "invitation": token}
        client = site.client(headers={"X-Forwarded-For": "203.0.113.7"})
        made: dict[str, Any] = expect(client.post("/auth/sign-up", json=body), 201)
        return made

    made = [invited(email) for email in ("gil@example.org", "hal@example.org", "ida@example.org", "GIL+2@example.org")]
    assert [one["user"]["balance_kopecks"] for one in made] == [GRANT + 700] * 3 + [0]
    rows = expect(site.client(made[0]["access_token"]).get("/users/me/transactions"), 200)["transactions"]
    assert {(row["note"], row["change_kopecks"]) for row in rows} == {("Welcome", GRANT), ("Invitation", 700)}
    assert granted(site, "jon@example.org", "203.0.113.7") == GRANT
