"""Nothing that a request asks of the database takes longer with every row: each statement follows an index.

Every endpoint that reads, and the orders, are asked once, and SQLite is asked how it goes about the statements that
came of it. It decides by the indexes there are, not by the few rows of a test. PostgreSQL has the same indexes
(`tests/platform/migrations`); `python -m bench flat` measures both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.sqlite.connections import sqlite_engine
from foreknow.service.tables import metadata
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Person, Service, expect, pool

OPENAPI = Path(__file__).parents[2] / "docs" / "openapi.json"
#: Tables with as many rows as there are days, providers, or servers: reading them whole takes no time.
SMALL = {
    "stats_days",
    "secrets",
    "provider_runs",
    "feed_leader",
    "activity_cursor",
    "following_cursor",
    "worth_cursor",
    "forecast_cursor",
    "newest_backup",
    "alembic_version",
}
#: Statements that a request does not wait for.
IN_THE_BACKGROUND = ("GROUP BY accounts.kind", "attention.reason = ", "FROM order_dues")
#: Rows looked up by some hundred ids may be sorted.
LOOKED_UP = re.compile(r"\bid IN \(")
BIG = set(metadata.tables) - SMALL
#: Answered by no statement, or not by an answer that ends.
NOT_ASKED = {
    "/auth/oauth/{provider}",
    "/auth/oauth/{provider}/callback",
    "/admin/chat/stream",
    "/chat/stream",
    "/ws/live",
    "/ws/trades",
}
#: A statement in all its forms, the second page of a filtered one included.
STATEMENTS = [
    "",
    *(
        f"?{type_}&{user}&{time}"
        for type_ in ("", "type=bet")
        for user in ("", "external_user_id=ann")
        for time in ("", "from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z")
    ),
    "?external_user_id=ann&limit=1",
]


@contextmanager
def statements(url: str) -> Iterator[set[str]]:
    """Collect the texts of all statements that are run on one database meanwhile."""
    seen: set[str] = set()
    database = sa.make_url(url).database

    def note(connection: Any, _cursor: Any, statement: str, _parameters: Any, _context: Any, _many: bool) -> None:
        # Services that other tests share go on working in the background.
        if connection.engine.url.database == database:
            seen.add(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def grows_with_the_rows(statement: str, plan: list[str]) -> str | None:
    """Return the step of a plan that reads a big table whole, or sorts all that was found of one; None if none does."""
    is_cut = " LIMIT " in statement
    sorts = any(step.startswith("USE TEMP B-TREE FOR ORDER BY") for step in plan)
    for step in plan:
        scanned = re.match(r"SCAN (\w+)", step)
        if is_cut and sorts and not LOOKED_UP.search(statement):
            return "a page of what was sorted"
        # From one end of an index, or of the ids, only as far as the LIMIT.
        if scanned and scanned[1] in BIG and not (is_cut and not sorts):
            return step
    return None


def test_a_scan_and_a_sort_are_seen(tmp_path: Path) -> None:
    """What the test below trusts in."""
    engine = sqlite_engine(f"sqlite:///{tmp_path}/empty.sqlite3")
    metadata.create_all(engine)

    def found(statement: str) -> str | None:
        with engine.connect() as tx:
            return grows_with_the_rows(statement, plan_of(tx, statement))

    assert found("SELECT id FROM trades WHERE amount_kopecks = 1")
    assert found("SELECT COUNT(*) FROM trades")
    assert found("SELECT id FROM trades ORDER BY amount_kopecks LIMIT 1 OFFSET 0")
    assert found(
        "SELECT trades.id FROM positions JOIN trades ON trades.position_id = positions.id WHERE positions.id = 1"
    )
    assert found("SELECT id FROM trades ORDER BY id DESC LIMIT 1 OFFSET 0") is None
    assert found("SELECT id FROM trades WHERE id = 1") is None
    of_one = "SELECT id FROM positions WHERE closed_at_ms IS NULL AND user_id = 1"
    assert found(f"{of_one} ORDER BY cost_kopecks LIMIT 2 OFFSET 0")
    assert found(f"{of_one} ORDER BY id LIMIT 2 OFFSET 0") is None
    engine.dispose()


def plan_of(tx: sa.Connection, statement: str) -> list[str]:
    """Return the steps of a statement's plan."""
    places = statement.count("?")
    rows = tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", (None,) * places)
    return [str(row[3]) for row in rows]


@pytest.fixture
def service_on_sqlite(tmp_path: Path) -> Iterator[Service]:
    url = f"sqlite:///{tmp_path}/foreknow.sqlite3"
    migrate(url)
    looks = tmp_path / "looks"
    looks.mkdir()
    (looks / "about.en.md").write_text("Hello")
    service = Service(url, house_limit_kopecks=10**12, site_dir=looks)
    yield service
    service.stop()


@proves("client: Nothing here grows slower with age, and")
def test_no_request_reads_a_big_table_whole(service_on_sqlite: Service) -> None:
    service, scene = service_on_sqlite, Scene(service_on_sqlite)
    with statements(service.database_url) as seen:
        scene.act()
        asked = scene.read()
    assert len(asked) > 50

    def growing(tx: sa.Connection) -> list[tuple[str, str]]:
        return [
            (step, statement)
            for statement in sorted(seen)
            if statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "WITH"))
            and not any(part in statement for part in IN_THE_BACKGROUND)
            if (step := grows_with_the_rows(statement, plan_of(tx, statement))) is not None
        ]

    assert len(seen) > 100
    assert service.look(growing) == []


class Scene:
    """An event with all that may belong to it, and those who ask for it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.trader: Person = service.user(balance_kopecks=100_000)
        self.partner: PartnerAccount = service.partner(float_kopecks=100_000)
        self.staff = service.user(admin=True, stats_viewer=True, operator=True)
        self.event = service.event(tags=["cup"], name_ru="Кубок", loop_interval_minutes=60)
        self.series_id = self.event["series"]["id"]
        self.pool = self.event["pools"][0]
        self.market_id = self.pool["markets"][0]["id"]

    def act(self) -> None:
        """Do what writes."""
        trade = {"market_id": self.market_id, "token_type": "YES"}
        keyed = {"Idempotency-Key": "one"}
        expect(self.trader.client.post("/market/bets", json=trade | {"amount_kopecks": 900}, headers=keyed), 201)
        expect(self.trader.client.post("/market/positions/sell", json=trade | {"shares": 10}), 201)
        hook = {"url": "http://127.0.0.1:9/hook"}
        expect(self.staff.client.put(f"/admin/partners/{self.partner.name}/webhook", json=hook), 200)
        bet = {"external_user_id": "ann", "market_id": self.market_id, "side": "no", "stake_kopecks": 500}
        expect(self.partner.client.post("/partner/bets", json=bet), 201)
        self._rest()
        self._trade_baskets()
        comment = expect(
            self.trader.client.post("/comments", json={"event_id": self.event["id"], "content": "Ah"}), 201
        )
        self.comment_id = comment["id"]
        reply = {"event_id": self.event["id"], "content": "Oh", "parent_id": self.comment_id}
        expect(self.staff.client.post("/comments", json=reply), 201)
        reaction = {"type": "like"}
        expect(self.staff.client.put(f"/comments/{self.comment_id}/reaction", json=reaction), 200)
        expect(self.trader.client.post("/notifications/read"), 200)
        expect(self.trader.client.post("/chat/session"), 201)
        expect(self.trader.client.post("/chat/message", json={"text": "Hello"}), 200)
        self.chat_id = expect(self.staff.client.get("/admin/chat/sessions"), 200)["sessions"][0]["session_id"]
        expect(self.staff.client.put("/admin/assets/BTC", json={"name": "B", "asset_type": "c", "price": 1}), 200)
        expect(self.staff.client.put("/admin/currency-rates", json={"from": "USD", "to": "RUB", "rate": 9}), 200)
        other = self.service.event()
        self.paid_id = other["id"]
        market_id = other["pools"][0]["markets"][0]["id"]
        expect(
            self.trader.client.post("/market/bets", json=trade | {"market_id": market_id, "amount_kopecks": 900}), 201
        )
        resolved = self.service.creator.client.post(f"/pools/{other['pools'][0]['id']}/resolve", json={"won_side": 0})
        expect(resolved, 200)
        self._moderate()
        self._remedy()
        self.service.sign_in(self.trader.email, self.trader.password)

    def _rest(self) -> None:
        """Let an order of each kind of caller wait for a price."""
        order = {"market_id": self.market_id, "action": "buy", "shares": 1_000, "price_bps": 100}
        own = expect(self.trader.client.post("/market/orders", json=order | {"token_type": "YES"}), 201)
        theirs = order | {"external_user_id": "ann", "side": "yes"}
        partners = expect(self.partner.client.post("/partner/orders", json=theirs), 201)
        ids = {"/market/orders/{id}": own["id"], "/partner/orders/{id}": partners["order_id"]}
        self.order_ids = ids | {f"{path}/fills": order_id for path, order_id in ids.items()}

    def _trade_baskets(self) -> None:
        """Trade several markets at once, for each kind of caller: on a set, on a condition, and both ways."""
        (several,) = self.service.event(pools=[pool(["A", "B", "C"])])["pools"]
        first, second, third = (market["id"] for market in several["markets"])
        stake = {"market_ids": [first, second], "amount_kopecks": 900}
        own = expect(self.trader.client.post("/market/baskets", json=stake), 201)
        swap = [{"market_id": first, "shares": -100}, {"market_id": third, "shares": 100}]
        expect(self.trader.client.post("/market/baskets", json={"changes": swap}), 201)
        theirs = {"external_user_id": "ann", "market_ids": [first], "given": [first, second], "stake_kopecks": 900}
        partners = expect(self.partner.client.post("/partner/baskets", json=theirs), 201)
        self.order_ids |= {"/market/baskets/{id}": own["id"], "/partner/baskets/{id}": partners["basket_id"]}

    def _moderate(self) -> None:
        """Do what members and operators do about what breaks the rules."""
        report = {"kind": "comment", "id": self.comment_id, "reason": "spam"}
        made = expect(self.trader.client.post("/reports", json=report), 201)
        expect(self.staff.client.put(f"/admin/comments/{self.comment_id}/hidden", json={"hidden": True}), 200)
        path = f"/pools/{self.pool['id']}/clarifications"
        first, _ = (expect(self.staff.client.post(path, json={"text": said}), 201) for said in ("Once.", "Twice."))
        expect(self.staff.client.put(f"/admin/clarifications/{first['id']}/hidden", json={"hidden": True}), 200)
        expect(self.staff.client.put(f"/admin/users/{self.trader.id}/muted", json={"until": None}), 200)
        expect(self.staff.client.post(f"/admin/reports/{made['id']}/close"), 200)
        expect(self.staff.client.post("/reports", json=report), 201)

    def _remedy(self) -> None:
        """Do what people do once something went wrong."""
        user = self.service.user()
        passwords = {"old": user.password, "new": "another horse battery"}
        expect(user.client.put("/users/me/password", json=passwords), 200)
        expect(user.client.delete("/users/me/sessions"), 200)
        expect(user.client.post("/users/me/keys", json={"name": "Bot", "scope": "read"}), 201)
        link = expect(self.staff.client.post(f"/admin/users/{user.id}/reset-link"), 200)
        reset = {"token": link["url"].rpartition("/")[2], "password": "staple battery horse"}
        expect(self.service.client().post("/auth/reset", json=reset), 200)
        for is_active in (False, True):
            expect(self.staff.client.patch(f"/admin/users/{user.id}", json={"is_active": is_active}), 200)

    def read(self) -> list[str]:
        """Ask every endpoint that reads, lists in all their forms; return the templates of the paths."""
        paths = json.loads(OPENAPI.read_text())["paths"].items()
        templates = [path.removeprefix("/api/v1") for path, methods in paths if "get" in methods]
        forms, values = self._forms(), self._values()
        assert {*forms, *NOT_ASKED} <= set(templates)
        asked = [template for template in templates if template not in NOT_ASKED]
        for template in asked:
            for form in forms.get(template, [""]):
                ids = {"id": self.order_ids[template]} if template in self.order_ids else {}
                self._ask(template, template.format(**values | ids) + form)
        self._ask("/events/{event_id}/page", f"/events/{self.paid_id}/page")
        return asked

    def _values(self) -> dict[str, Any]:
        """Return what stands for each parameter of a path."""
        return {
            "event_id": self.event["id"],
            "series_id": self.series_id,
            "pool_id": self.pool["id"],
            "market_id": self.market_id,
            "comment_id": self.comment_id,
            "session_id": self.chat_id,
            "id": self.trader.id,
            "user_id": self.trader.id,
            "partner_name": self.partner.name,
            "external_user_id": "ann",
            "symbol": "BTC",
            "name": "about",
        }

    def _forms(self) -> dict[str, list[str]]:
        """Return the queries of endpoints that need one, or read otherwise with another one."""
        return {
            "/events": [
                f"?{status}&{sort}&{more}&{which}"
                for status in ("", "status=closed", "status=resolved", "status=cancelled", "status=new")
                for sort in ("", "sort=volume", "sort=closing")
                for more in ("", "tag=cup", "q=event", "q=an+event+that+was+never+made")
                for which in ("", "current=true", f"series={self.series_id}", f"series={self.series_id}&current=true")
            ],
            "/cards": self._cards(),
            "/pools/batch": [f"?ids={self.pool['id']}"],
            "/pools/{pool_id}/charts": ["", "?range=all"],
            "/market/quote": [f"?market_id={self.market_id}&token_type=YES&amount_kopecks=500"],
            "/partner/quote": [f"?market_id={self.market_id}&side=yes&stake_kopecks=500"],
            "/partner/users": ["", "?q=a", "?limit=1"],
            "/partner/transactions": STATEMENTS,
            "/users/me/positions": [
                f"?{state}{of_event}&limit=1"
                for state in ("", "state=closed")
                for of_event in ("", f"&event_id={self.event['id']}")
            ],
            "/leaderboard": ["", "?period=week", "?limit=1", "?by=forecast&limit=1"],
            "/events/{event_id}/trades": ["", f"?market_id={self.market_id}&limit=1"],
            "/events/{event_id}/comments": ["", "?sort=top&limit=1"],
            "/admin/users": ["", "?q=a", "?role=admin"],
            "/admin/log": ["", "?action=user.credit", "?target=user:1", "?action=user.credit&target=user:1"],
            "/admin/stats": ["", "?days=7"],
            "/admin/chat/sessions": ["", "?status=open"],
            "/admin/reports": ["", "?open=true&limit=1", "?open=false&limit=1"],
            "/admin/partners/{partner_name}/transactions": STATEMENTS,
            "/currency/rate": ["?from=RUB&to=USD"],
        }

    def _cards(self) -> list[str]:
        return [
            f"?{status}&{sort}&{more}{limit}"
            for status in ("", "status=closed", "status=resolved", "status=cancelled", "status=new", "status=all")
            for sort in ("", "sort=moved", "sort=new", "sort=volume", "sort=closing")
            for more in ("", "tag=cup", "q=event", f"creator={self.service.creator.id}")
            for limit in ("", "&limit=1")
        ]

    def _ask(self, template: str, path: str) -> None:
        client = self.trader.client
        if template.startswith("/partner/"):
            client = self.partner.client
        elif template.startswith("/admin/") or template.endswith(("/odds", "/page")):
            client = self.staff.client
        page = expect(client.get(path), 200)
        # The second page asks otherwise than the first.
        if isinstance(page, dict) and page.get("has_more") is False and "limit" not in path:
            first = expect(client.get(path, params={"limit": 1}), 200) if "?" not in path else page
            if first["next_cursor"]:
                expect(client.get(path, params={"limit": 1, "cursor": first["next_cursor"]}), 200)
