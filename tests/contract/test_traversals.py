"""Decisions, "Pages": each list of the interface, in each of its states and orders, read while its rows change."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.full_site import ROLES, ROWS, Change, FullSite
from tests.support.kinds import ONCE
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.service import Service, expect

EXACTLY_ONCE = (
    "decisions: A full traversal under concurrent writes shows every row that matched from its start to its end "
    "exactly once"
)
OPENAPI = Path(__file__).parents[2] / "docs" / "openapi.json"
#: Changes in one traversal.
CHANGES = 2
#: The sizes of the pages of each traversal, in turn. In short one has both: of two rows it shows from which of them the
#: next page goes on, and of one row that its neighbours are kept apart.
SIZES: Sequence[Sequence[int]] = length(short=[(2, 1)], long=[(1,), (2,), (20,), (2, 1)])
#: What makes a row the same one on every page.
KEYS = ("id", "order_id", "event_id", "trade_id", "session_id", "external_user_id", "partner", "from", "user", "price")
Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list, what each traversal asks for, and what changes it meanwhile."""

    change: Change
    queries: Sequence[Query] = ({},)
    #: Who reads it.
    reader: str = "admin"


def _each(name: str, *values: str) -> list[Query]:
    return [{name: value} for value in values]


_STATUSES = _each("status", "new", "active", "closed", "resolved", "cancelled")
_ORDERS: list[Query] = [{}, *_each("status", "open", "filled", "cancelled", "expired")]
_LINES: list[Query] = [{}, *_each("type", "bet", "order", "order_return")]


def _sorted(*orders: str, **query: str) -> list[Query]:
    """Return each order of each status; in short each order of one status, and one order of each."""
    return [
        {**status, "sort": order, **query}
        for place, status in enumerate(_STATUSES)
        for order in orders
        if length(short=status["status"] == "active" or order == orders[place % len(orders)], long=True)
    ]


def _take(site: FullSite) -> None:
    site.fill(100)


def _rank(site: FullSite) -> None:
    site.earn()
    site.score()


LISTS = {
    "/users/me/sessions": Listed(FullSite.sign_in, reader="ann"),
    "/events": Listed(FullSite.change_ranks, _sorted("new", "volume", "closing", tag="full"), "creator"),
    "/cards": Listed(
        FullSite.change_ranks,
        [
            *_sorted("trending", "new", "volume", "closing", "moved"),
            {"status": "all"},
            {"status": "all", "sort": "closing", "creator": "me"},
            {"following": "true"},
        ],
        "creator",
    ),
    "/leaderboard": Listed(_rank, [*_each("period", "week", "month", "all"), {"by": "forecast"}]),
    "/market/orders": Listed(_take, [*_ORDERS, {"market_id": "{market}"}], "ann"),
    "/market/orders/{id}/fills": Listed(_take, reader="ann"),
    "/events/{event_id}/trades": Listed(FullSite.bet_for_partner, [{}, {"market_id": "{market}"}]),
    "/users/me/trades": Listed(_take, reader="ann"),
    "/users/{id}/trades": Listed(_take),
    "/market/positions": Listed(FullSite.change_ranks, reader="ann"),
    "/market/positions/completed": Listed(FullSite.change_ranks, reader="ann"),
    "/users/me/positions": Listed(FullSite.change_ranks, _each("state", "open", "closed"), "ann"),
    "/users/me/transactions": Listed(_take, reader="ann"),
    "/partner/orders": Listed(_take, _ORDERS, "partner"),
    "/partner/orders/{id}/fills": Listed(_take, [{"external_user_id": "u"}], "partner"),
    "/partner/users": Listed(FullSite.bet_for_partner, [{}, {"q": "user"}], "partner"),
    "/partner/transactions": Listed(FullSite.bet_for_partner, _LINES, "partner"),
    "/pools/{pool_id}/forecasts": Listed(FullSite.forecast),
    "/users/me/forecast-board": Listed(FullSite.score, _each("period", "week", "month", "all"), "ann"),
    "/users/me/forecasts": Listed(FullSite.forecast, reader="ann"),
    "/users/{id}/forecasts": Listed(FullSite.forecast),
    "/pools/{pool_id}/clarifications": Listed(FullSite.clarify),
    "/pools/{pool_id}/objections": Listed(FullSite.object_to_result),
    "/admin/objections": Listed(FullSite.object_to_result),
    "/events/{event_id}/comments": Listed(FullSite.comment, _each("sort", "new", "top")),
    "/admin/reports": Listed(FullSite.report, [{}, *_each("open", "true", "false")]),
    "/admin/chat/sessions": Listed(FullSite.chat, [{}, *_each("status", "open", "waiting", "answered", "closed")]),
    "/notifications": Listed(FullSite.comment, reader="ann"),
    "/admin/attention": Listed(FullSite.warn),
    "/admin/users": Listed(FullSite.earn, [{}, {"q": "person"}, *_each("role", *ROLES)]),
    "/admin/users/{user_id}/transactions": Listed(_take),
    "/admin/log": Listed(FullSite.invite, [{}, {"action": "user.credit"}]),
    "/admin/invitations": Listed(FullSite.invite),
    "/admin/partners": Listed(FullSite.add_partner),
    "/admin/partners/{partner_name}/transactions": Listed(FullSite.bet_for_partner, _LINES),
    "/assets": Listed(FullSite.set_price),
    "/assets/{symbol}/prices": Listed(FullSite.set_price),
    "/admin/currency-rates": Listed(FullSite.set_rate),
}
#: Of a query, what goes into a statement as a value; each status of events is a condition of its own.
VALUES = {"status", "type", "period"}


def _cases() -> Iterator[Any]:
    """Return what each test asks for; PostgreSQL gets a statement with other values in the long form alone."""
    seen = set()
    for path, listed in LISTS.items():
        values = VALUES - ({"status"} if path in ("/events", "/cards") else set())
        for query in listed.queries:
            statement = (path, *(name if name in values else (name, value) for name, value in query.items()))
            yield pytest.param(path, query, id=f"{path}?{query}", marks=ONCE if statement in seen else ())
            seen.add(statement)


@pytest.fixture(scope="module")
def site(module_database_url: str) -> Iterator[FullSite]:
    # Its rows are two hours old: of the same week still.
    service = Service(module_database_url, begins_midweek=True)
    yield FullSite(service)
    service.stop()


def test_no_list_is_left_out() -> None:
    paths = json.loads(OPENAPI.read_text())["paths"]
    lists = {
        path.removeprefix("/api/v1")
        for path, methods in paths.items()
        for method in methods.values()
        if any(parameter["name"] == "cursor" for parameter in method.get("parameters", ()))
    }
    assert lists == LISTS.keys()


def reader_of(site: FullSite, name: str) -> httpx.Client:
    if name == "admin":
        return site.service.admin
    client: httpx.Client = getattr(site, name).client
    return client


def key_of(row: dict[str, Any]) -> str:
    return next(str(row[name]) for name in KEYS if name in row)


def pages(client: httpx.Client, path: str, query: Query, limits: Sequence[int]) -> Iterator[list[str]]:
    cursor: dict[str, str] = {}
    for limit in itertools.cycle(limits):
        page = expect(client.get(path, params={**query, "limit": limit, **cursor}), 200)
        (rows,) = (value for value in page.values() if isinstance(value, list))
        yield [key_of(row) for row in rows]
        if not page["has_more"]:
            return
        cursor = {"cursor": page["next_cursor"]}


@LONG
@proves(EXACTLY_ONCE, "decisions: (`sort=volume` apart: its ranks move).")
@pytest.mark.parametrize(("path", "query"), list(_cases()))
def test_each_row_of_a_list_comes_exactly_once(site: FullSite, path: str, query: Query) -> None:
    listed = LISTS[path]
    client = reader_of(site, listed.reader)
    order_id = site.partner_order["order_id"] if path.startswith("/partner") else site.made_order
    of_user = site.ann.id if path.startswith("/users") else order_id
    path = path.format(
        id=of_user,
        event_id=site.event,
        pool_id=site.disputed if path.endswith("/objections") else site.pool,
        user_id=site.ann.id,
        partner_name=site.partner.name,
        symbol=site.symbol,
    )
    query = {name: value.format(market=site.market) for name, value in query.items()}
    for limits in SIZES:
        before = set(itertools.chain(*pages(client, path, query, [100])))
        seen: list[str] = []
        for number, page in enumerate(pages(client, path, query, limits)):
            seen += page
            assert len(set(seen)) == len(seen), "a row comes twice"
            if number < CHANGES and query.get("sort") != "volume":
                listed.change(site)
        after = set(itertools.chain(*pages(client, path, query, [100])))

        assert before & after <= set(seen)
        assert len(before & after) >= ROWS or query == {"following": "true"}
