"""A partner's statement by type, user and time, as pages and as CSV."""

from __future__ import annotations

import codecs
import csv
import io
from typing import Any

import httpx
import pytest

from foreknow.money.statements.filters import TYPES
from foreknow.trading.statement import routes as statement_routes
from foreknow.web.downloads import prefers_csv
from tests.support.partner_orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused

FILTERS = (
    "partners: GET /partner/transactions takes `?type=&external_user_id=&from=&to=` (times with their offset, `from` "
    "inclusive, `to` exclusive), and so does GET /admin/partners/{name}/transactions: the lines that match all that "
    "is given, newest first, paged."
)
WRONG = (
    "partners: A wrong value is 400 `bad_request`, of `external_user_id` `invalid_external_user_id`, and so is a "
    "`from` later than `to`; a user that does not exist has no lines."
)
CSV = (
    "partners: `Accept: text/csv` is answered with all lines that match as CSV (RFC 4180, UTF-8, streamed), without "
    "pages (`limit` and `cursor` are checked, and change nothing): a header row with the names of the fields, null as "
    "nothing."
)
SAFE = (
    "partners: A text that begins with `=`, `+`, `-`, `@` (full-width ones, too), a tab, a line break or an apostrophe "
    "has an apostrophe before it, so that no spreadsheet runs it and taking one away gives it back."
)
#: A name that a spreadsheet would run.
FORMULA = '=HYPERLINK("http://example.org")'


def lines(client: httpx.Client, path: str = "/partner/transactions", **query: str) -> list[dict[str, Any]]:
    """Read a statement page by page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(client.get(path, params={**query, "limit": 2, **cursor}), 200)
        found += page["transactions"]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["next_cursor"]}


def trade(service: Service) -> PartnerAccount:
    """Let two users of a partner do all that a statement shows."""
    partner = service.partner(100_000)
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    for user in ("ann", FORMULA):
        expect(bet(partner, user, market, 2_000), 201)
        expect(bet(partner, user, market, 700, side="no"), 201)
        expect(sell(partner, user, market, side="no"), 201)
    expect(partner.client.post("/partner/users/ann/withdraw", json={"amount_kopecks": 100}), 200)
    expect(service.admin.post(f"/admin/partners/{partner.name}/payout", json={"amount_kopecks": 50}), 201)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    return partner


@proves(FILTERS, WRONG)
def test_a_statement_is_filtered_by_type_user_and_time(service: Service) -> None:
    partner = trade(service)
    client, ours = partner.client, f"/admin/partners/{partner.name}/transactions"
    everything = lines(client)
    assert len(everything) == 11
    times = sorted(line["created_at"] for line in everything)
    begin, middle, end = times[0], times[5], times[-1]

    def expected(**query: str) -> list[int]:
        found = [
            line
            for line in everything
            if query.get("type", line["type"]) == line["type"]
            and query.get("external_user_id", line["external_user_id"]) == line["external_user_id"]
            and query.get("from", begin) <= line["created_at"] < query.get("to", "9")
        ]
        return [line["id"] for line in sorted(found, key=lambda line: (line["created_at"], line["id"]), reverse=True)]

    types: list[str] = [*TYPES]
    filters: list[dict[str, str]] = [
        *({"type": type_} for type_ in types),
        {"external_user_id": "ann"},
        {"external_user_id": FORMULA, "type": "settlement"},
        {"external_user_id": "stranger"},
        {"from": middle},
        {"to": middle},
        {"from": begin, "to": end},
        {"from": middle, "to": middle},
        {"from": middle, "type": "bet"},
        {"external_user_id": "ann", "from": begin, "to": middle},
    ]
    for query in filters:
        assert [line["id"] for line in lines(client, **query)] == expected(**query), query
        assert [line["id"] for line in lines(service.admin, ours, **query)] == expected(**query), query
    assert {line["type"] for line in everything} == set(types) - {"order", "order_return", "basket", "split"}
    # A later offset is the same time.
    assert lines(client, **{"from": middle.replace("Z", "+00:00")}) == lines(client, **{"from": middle})

    wrong: list[dict[str, str]] = [
        {"type": "gift"},
        {"from": "2026-03-01"},
        {"from": "2026-03-01T18:00:00"},
        {"to": "yesterday"},
        {"to": ""},
        {"from": end, "to": "2000-01-01T00:00:00Z"},
    ]
    for query in wrong:
        refused(client.get("/partner/transactions", params=query), 400, "BAD_REQUEST")
        refused(service.admin.get(ours, params=query), 400, "bad_request")
    for name in ("", "x" * 129, "a\n"):
        query = {"external_user_id": name}
        refused(client.get("/partner/transactions", params=query), 400, "INVALID_EXTERNAL_USER_ID")
        refused(service.admin.get(ours, params=query), 400, "invalid_external_user_id")
    cursor = expect(client.get("/partner/transactions", params={"type": "bet", "limit": 1}), 200)["next_cursor"]
    for query in ({}, {"type": "sale"}, {"type": "bet", "to": end}):
        refused(client.get("/partner/transactions", params={**query, "cursor": cursor}), 400, "INVALID_CURSOR")


def test_settled_positions_of_both_sides_are_distinguished(service: Service) -> None:
    partner = service.partner(100_000)
    event = service.event()
    pool = event["pools"][0]
    market = pool["markets"][0]["id"]
    # In this order, so that neither side nor payout gives away which line is whose.
    expect(bet(partner, "ann", market, 700, side="no"), 201)
    expect(bet(partner, "ann", market, 2_000), 201)
    held = expect(partner.client.get("/partner/users/ann"), 200)["positions"]
    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"payouts": [0.5, 0.5]}), 200)
    settled = {"type": "settlement"}
    for found in (lines(partner.client, **settled), lines(partner.client)[:2]):
        shown = [(line["side"], line["shares"], line["balance_change_kopecks"]) for line in found]
        assert sorted(shown) == sorted((each["side"], each["shares"], each["shares"] // 2) for each in held)
    # The second page of one line alone.
    first = expect(partner.client.get("/partner/transactions", params={**settled, "limit": 1}), 200)
    query = {**settled, "limit": 1, "cursor": first["next_cursor"]}
    second = expect(partner.client.get("/partner/transactions", params=query), 200)
    assert first["transactions"] + second["transactions"] == lines(partner.client, **settled)


@proves(CSV, SAFE, "decisions: UTF-8, begins with U+FEFF (spreadsheets garble Cyrillic without)")
def test_a_statement_comes_as_csv_in_pieces(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    partner = trade(service)
    client, accept = partner.client, {"Accept": "text/csv"}
    monkeypatch.setattr(statement_routes, "PIECE_LINES", 3)
    for query in ({}, {"type": "bet"}, {"external_user_id": FORMULA}, {"external_user_id": "stranger"}):
        answer = client.get("/partner/transactions", params={**query, "limit": 1}, headers=accept)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/csv; charset=utf-8")
        assert "attachment" in answer.headers["content-disposition"]
        assert "content-length" not in answer.headers
        assert answer.content.startswith(codecs.BOM_UTF8)
        rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
        shown = lines(client, **query)
        assert rows == [
            {
                name: "" if value is None else "'" + value if value == FORMULA else str(value)
                for name, value in line.items()
            }
            for line in shown
        ]
        names = list(statement_routes.COLUMNS)
        assert answer.text.startswith("\ufeff" + ",".join(names) + "\r\n")
        assert not shown or list(shown[0]) == names
        admins = service.admin.get(f"/admin/partners/{partner.name}/transactions", params=query, headers=accept)
        assert admins.text == answer.text
    head = client.head("/partner/transactions", headers=accept)
    assert (head.status_code, head.content) == (200, b"")
    refused(client.get("/partner/transactions", params={"type": "gift"}, headers=accept), 400, "BAD_REQUEST")
    refused(service.admin.get("/admin/partners/stranger/transactions", headers=accept), 404, "partner_not_found")


def test_csv_is_sent_to_those_who_prefer_it() -> None:
    for accept in (
        b"text/csv",
        b"TEXT/CSV; header=present",
        b"text/csv, application/json;q=0.9",
        b"*/*;q=0.1, text/csv",
    ):
        assert prefers_csv(accept), accept
    for other in (None, b"", b"*/*", b"application/json", b"text/csv;q=0", b"application/json, text/csv", b"text/*"):
        assert not prefers_csv(other), other
