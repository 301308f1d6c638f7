"""The list of a partner's users: pages, beginnings of names, balances and last orders."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

import pytest

from foreknow.people.users import sub_account_pages
from foreknow.people.users.sub_account_pages import sub_account_page
from foreknow.platform.db.engine import Database
from tests.support.partner_orders import a_market, bet, sell
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused
from tests.trading.partner.made import make_partner, make_user


def listed(partner: PartnerAccount, limit: int = 100, **query: str) -> list[dict[str, Any]]:
    """Read the list page by page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(partner.client.get("/partner/users", params={**query, "limit": limit, **cursor}), 200)
        assert page.keys() == {"users", "next_cursor", "has_more"}
        found += page["users"]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            return found
        cursor = {"cursor": page["next_cursor"]}


@proves(
    "decisions: GET /partner/users | a page `users` of its sub-accounts: `{external_user_id, user_id, balance_kopecks, "
    "created_at, last_order_at}`, `?q=`: those whose `external_user_id` begins with it",
)
def test_a_partner_lists_its_users_newest_first(service: Service) -> None:
    partner, other = service.partner(100_000), service.partner(1_000)
    assert expect(partner.client.get("/partner/users"), 200) == {"users": [], "next_cursor": None, "has_more": False}
    market = a_market(service)
    names = ["Customer", "customer-1", "customer-10", "customer%", "customer_", "кот", "a/b?c"]
    placed = {name: expect(bet(partner, name, market, 500), 201) for name in names}
    expect(bet(other, "customer-1", market, 500), 201)
    sold = expect(sell(partner, "customer-1", market, shares=100), 201)
    everything = listed(partner)
    assert everything == [
        {
            "external_user_id": name,
            "user_id": placed[name]["user_id"],
            "balance_kopecks": sold["balance_kopecks"] if name == "customer-1" else 0,
            "created_at": placed[name]["created_at"],
            "last_order_at": (sold if name == "customer-1" else placed[name])["created_at"],
        }
        for name in reversed(names)
    ]
    for begins in ("", "customer", "Customer", "customer-1", "customer%", "customer_", "к", "a/b", "x", "customer-100"):
        expected = [user for user in everything if user["external_user_id"].startswith(begins)]
        assert listed(partner, q=begins) == listed(partner, limit=1, q=begins) == expected, begins

    # New ones during a traversal are no part of it.
    first = expect(partner.client.get("/partner/users", params={"limit": 3}), 200)
    expect(bet(partner, "late", market, 500), 201)
    query = {"limit": 100, "cursor": first["next_cursor"]}
    assert first["users"] + expect(partner.client.get("/partner/users", params=query), 200)["users"] == everything
    for wrong in ({"cursor": first["next_cursor"], "q": "c"}, {"cursor": "x"}):
        refused(partner.client.get("/partner/users", params=wrong), 400, "INVALID_CURSOR")
    refused(other.client.get("/partner/users", params={"cursor": first["next_cursor"]}), 400, "INVALID_CURSOR")
    refused(partner.client.get("/partner/users", params={"limit": 101}), 400, "INVALID_LIMIT")
    refused(partner.client.get("/partner/users", params={"q": "a\0"}), 400, "BAD_REQUEST")
    refused(service.client().get("/partner/users"), 401, "INVALID_PARTNER_KEY")


async def test_a_page_reads_few_rows_whatever_names_begin_with(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sub_account_pages, "FOUND_MAX", 3)
    monkeypatch.setattr(sub_account_pages, "LOOKED_AT_MAX", 4)
    monkeypatch.setattr(sub_account_pages, "LOOKED_AT_ONCE", 2)
    partner = await db.write(make_partner)
    names = [*(f"a{number}" for number in range(5)), *(f"b{number}" for number in range(6)), "\U0010ffff\U0010ffff"]
    await db.write(lambda tx: [make_user(tx, partner, name) for name in names])

    async def pages(begins: str, *, limit: int) -> list[list[str]]:
        found: list[list[str]] = []
        before_id: int | None = None
        while not found or before_id is not None:
            page = await db.read(
                partial(sub_account_page, partner_id=partner.row.id, begins=begins, before_id=before_id, limit=limit)
            )
            found.append([row.external_user_id for row in page.rows])
            before_id = page.before_id
        return found

    for begins in ("", "a", "a1", "b", "\U0010ffff"):
        for limit in (1, 2, 100):
            found = await pages(begins, limit=limit)
            assert all(len(page) <= limit for page in found)
            expected = [name for name in reversed(names) if name.startswith(begins)]
            assert list(chain.from_iterable(found)) == expected, (begins, limit)
    # Many begin so, and none of them among the newest: the page ends early.
    assert (await pages("a", limit=2))[0] == []
