"""The requests: for each endpoint equally many and alike in both services, spread over the history."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
import sqlalchemy as sa

from bench.history.people import WHALES, is_sub_account
from bench.service import ADMIN_EMAIL, ADMIN_PASSWORD, BenchService
from foreknow.commands.cli.database import write
from foreknow.kernel.clock import HOUR_MS, system_clock
from foreknow.kernel.settings import Settings
from foreknow.people.users.passwords import hasher
from foreknow.platform.db.transactions import ReadTx

#: Different rows of one kind that are requested in turn.
COUNT = 20
#: What is open must be so until the last request.
LASTING_MS = HOUR_MS
PASSWORD = "correct horse"
#: Users of the history who can sign in: busy ones, people like others, creators of events.
BUSY = [user_id for user_id in range(WHALES // 2 + 1, WHALES + 1) if not is_sub_account(user_id)]
OTHERS = [user_id for user_id in range(WHALES + 1, WHALES + 200) if not is_sub_account(user_id)]
#: A part of every name, of some, of one, of none; and one letter.
PARTS = {"common": "will", "some": "zenit open the bridge", "one": "#{event_id}", "none": "qqq", "letter": "з"}


@dataclass(slots=True)
class Old:
    """Ids of a history, alike in every history of these templates."""

    events: list[int] = field(default_factory=list)
    pools: list[int] = field(default_factory=list)
    markets: list[int] = field(default_factory=list)
    open_markets: list[int] = field(default_factory=list)
    open_pools: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    sub_accounts: list[str] = field(default_factory=list)
    chats: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)


def find_old(url: str, trade_counts: Sequence[int]) -> Old:
    """Look for pools of the templates with these many trades, and so on; let some users and the admin sign in."""
    hashed, admin = hasher("low").hash(PASSWORD), hasher("low").hash(ADMIN_PASSWORD)

    def work(tx: ReadTx) -> Old:
        ids = ", ".join(map(str, [*BUSY, *OTHERS]))
        known = {"hash": hashed}
        tx.execute(sa.text(f"UPDATE users SET password_hash = :hash WHERE id IN ({ids})"), known)
        # Made by an earlier measurement, with a password of its own.
        known = {"hash": admin, "email": ADMIN_EMAIL}
        tx.execute(sa.text("UPDATE users SET password_hash = :hash WHERE email_key = :email"), known)
        return _find(tx, trade_counts)

    return write(Settings(database_url=url), work)


_ALIKE = """
    SELECT p.id FROM pools p
    WHERE p.state = :state AND p.trade_count = :count
      AND (p.state = 'resolved' OR p.finish_at_ms IS NULL OR p.finish_at_ms > :now_ms)
      AND (SELECT COUNT(*) FROM pools o WHERE o.event_id = p.event_id) = 1
"""


def _find(tx: ReadTx, trade_counts: Sequence[int]) -> Old:
    old, rng = Old(), random.Random(1)

    def ids(query: str, **values: Any) -> list[Any]:
        return list(tx.execute(sa.text(query), values).scalars())

    for state, into in (("resolved", old.markets), ("open", old.open_markets)):
        for count in trade_counts:
            found = ids(_ALIKE, state=state, count=count, now_ms=system_clock() + LASTING_MS)
            if not found:
                continue
            pool_id = rng.choice(found)
            into.append(ids("SELECT MIN(id) FROM markets WHERE pool_id = :id", id=pool_id)[0])
            if state == "open":
                old.open_pools.append(pool_id)
            elif len(old.pools) < COUNT:
                old.pools.append(pool_id)
                old.events += ids("SELECT event_id FROM pools WHERE id = :id", id=pool_id)
    del old.markets[COUNT:], old.open_markets[COUNT:], old.open_pools[COUNT:]
    old.people = [user_id for user_id in ids("SELECT id FROM users WHERE partner_id IS NULL") if user_id > WHALES]
    old.people = rng.sample(old.people, COUNT)
    old.parents = rng.sample(ids("SELECT id FROM comments WHERE replies_count = 2"), COUNT)
    of_two = "SELECT user_id FROM positions WHERE closed_at_ms IS NULL GROUP BY user_id HAVING COUNT(*) = 2"
    numbers = ids(f"SELECT u.external_user_id FROM users u WHERE u.partner_id = 1 AND u.id IN ({of_two})")
    old.sub_accounts = rng.sample(numbers, min(COUNT, len(numbers)))
    old.chats = rng.sample(ids("SELECT id FROM chat_sessions"), COUNT)
    return old


@dataclass(frozen=True, slots=True)
class Callers:
    """Headers of who asks."""

    admin: dict[str, str]
    busy: dict[str, str]
    creator: dict[str, str]
    partner: dict[str, str]


@dataclass(frozen=True, slots=True)
class Target:
    """One endpoint as it is asked: the paths in turn, and who asks."""

    name: str
    paths: Sequence[str]
    headers: dict[str, str] = field(default_factory=dict)


def callers(service: BenchService) -> Callers:
    """Sign old users in, and make a key for the oldest partner."""
    keys = service.admin.get("/admin/partners/Partner-1/keys").raise_for_status().json()["keys"]
    for key in keys[1:]:
        service.admin.delete(f"/admin/partners/Partner-1/keys/{key['id']}").raise_for_status()
    issued = service.admin.post("/admin/partners/Partner-1/keys").raise_for_status().json()
    admin = str(service.admin.headers["Authorization"])
    me = service.admin.get("/users/me").raise_for_status().json()
    roles = {"is_stats_viewer": True, "is_operator": True}
    service.admin.patch(f"/admin/users/{me['id']}", json=roles).raise_for_status()
    return Callers(
        admin={"Authorization": admin},
        busy=sign_in(service, BUSY[0]),
        # The first people are the creators.
        creator=sign_in(service, BUSY[1]),
        partner={"X-Partner-Key": issued["key"]},
    )


def sign_in(service: BenchService, user_id: int) -> dict[str, str]:
    """Sign an old user in and return the headers."""
    body = {"login": f"user{user_id}@example.com", "password": PASSWORD}
    with httpx.Client(base_url=service.url + "/api/v1", timeout=60) as client:
        token = client.post("/auth/sign-in", json=body).raise_for_status().json()["access_token"]
    return {"Authorization": f"Bearer {token}"}


def targets(service: BenchService, old: Old, who: Callers) -> list[Target]:
    """List every endpoint that reads, with what is asked of it."""
    service.admin.put("/admin/assets/BTC", json={"name": "Bitcoin", "asset_type": "crypto", "price": 1.5})
    service.admin.put("/admin/currency-rates", json={"from": "USD", "to": "RUB", "rate": 90.5})
    return [*_public(service, old, who), *_own(service, old, who), *_of_admins(service, old, who)]


def _public(service: BenchService, old: Old, who: Callers) -> list[Target]:
    batch = ",".join(map(str, old.pools))
    lists = {
        "": "/events",
        "by volume": "/events?sort=volume",
        "closing soon": "/events?sort=closing",
        "resolved": "/events?status=resolved",
        "closed": "/events?status=closed",
        "cancelled": "/events?status=cancelled",
        "of a common tag": "/events?tag=sports",
        "of a rare tag": "/events?tag=rare-50&status=resolved",
        "resolved, by volume, of a tag": "/events?tag=topic-7&status=resolved&sort=volume",
    }
    for name, part in PARTS.items():
        query = quote(part.format(event_id=old.events[0]))
        lists[f"with {name} in the name"] = f"/events?status=resolved&q={query}"
    found = [Target(f"events {name}".strip(), [path]) for name, path in lists.items()]
    found.append(Target("events, 40 pages on", [deep(service, "/events?status=resolved&limit=2", {}, pages=40)]))
    found.append(Target("events, new ones of one's own", ["/events?status=new"], who.creator))
    found += [
        Target("health", ["/health"]),
        Target("ready", ["/ready"]),
        Target("event", [f"/events/{event_id}" for event_id in old.events]),
        Target("comments", [f"/events/{event_id}/comments" for event_id in old.events], who.busy),
        Target("replies", [f"/comments/{parent}/replies" for parent in old.parents], who.busy),
        Target("pools batch of 20", [f"/pools/batch?ids={batch}"]),
        Target("pool", [f"/pools/{pool_id}" for pool_id in old.pools]),
        Target("pool charts", [f"/pools/{pool_id}/charts" for pool_id in old.pools]),
        Target("market", [f"/markets/{market_id}" for market_id in old.markets]),
        Target("market chart", [f"/markets/{market_id}/chart" for market_id in old.markets]),
        Target("order book", [f"/market/orderbook/{market_id}" for market_id in old.open_markets]),
        Target(
            "quote", [f"/market/quote?market_id={id_}&token_type=YES&amount_kopecks=1000" for id_ in old.open_markets]
        ),
        Target("assets", ["/assets"]),
        Target("asset price", ["/assets/BTC/price"]),
        Target("past prices", ["/assets/BTC/prices"]),
        Target("currency rate", ["/currency/rate?from=RUB&to=USD"]),
        Target("cards", ["/cards"]),
        Target("cards that moved", ["/cards?sort=moved"]),
        Target("tags", ["/tags"]),
        Target("holders", [f"/pools/{pool_id}/holders" for pool_id in old.open_pools]),
        Target("ranking of all time", ["/leaderboard"]),
        Target("track record", ["/record", "/record?horizon=1d"]),
        Target("ranking of the month", ["/leaderboard?period=month"]),
        Target("PnL of a user", [f"/users/{user_id}/pnl/chart" for user_id in old.people], who.admin),
    ]
    return found


def _own(service: BenchService, old: Old, who: Callers) -> list[Target]:
    market_id = old.open_markets[0]
    return [
        Target("me", ["/users/me"], who.busy),
        Target("open positions", ["/market/positions"], who.busy),
        Target("closed positions", ["/market/positions/completed"], who.busy),
        Target(
            "closed positions, 10 pages on",
            [deep(service, "/market/positions/completed?limit=2", who.busy, pages=10)],
            who.busy,
        ),
        Target("own PnL", ["/users/me/pnl/chart"], who.busy),
        Target("notifications", ["/notifications"], who.busy),
        Target("unread count", ["/notifications/unread/count"], who.busy),
        Target("partner balance", ["/partner/balance"], who.partner),
        Target("partner user", [f"/partner/users/{name}" for name in old.sub_accounts], who.partner),
        Target("partner users", ["/partner/users"], who.partner),
        Target(
            "partner users by beginning", [f"/partner/users?q={name[:4]}" for name in old.sub_accounts], who.partner
        ),
        Target("partner transactions", ["/partner/transactions"], who.partner),
        Target(
            "partner transactions, 40 pages on",
            [deep(service, "/partner/transactions?limit=20", who.partner, pages=40)],
            who.partner,
        ),
        Target("partner quote", [f"/partner/quote?market_id={market_id}&side=yes&stake_kopecks=500"], who.partner),
    ]


def _of_admins(service: BenchService, old: Old, who: Callers) -> list[Target]:
    return [
        Target("admin: users", ["/admin/users"], who.admin),
        Target("admin: users, 20 pages on", [deep(service, "/admin/users?limit=20", who.admin, pages=20)], who.admin),
        Target("admin: log", ["/admin/log"], who.admin),
        Target("admin: stats", ["/admin/stats"], who.admin),
        Target("admin: stats of 30 days", ["/admin/stats?days=30"], who.admin),
        Target("admin: partners", ["/admin/partners"], who.admin),
        Target("admin: keys", ["/admin/partners/Partner-1/keys"], who.admin),
        Target("admin: chats", ["/admin/chat/sessions"], who.admin),
        Target("admin: chats that wait", ["/admin/chat/sessions?status=waiting"], who.admin),
        Target("admin: a chat", [f"/admin/chat/sessions/{chat}/messages" for chat in old.chats], who.admin),
        Target("metrics", ["/metrics"]),
    ]


def deep(service: BenchService, path: str, headers: dict[str, str], *, pages: int) -> str:
    """Read `pages` pages, and return the path of the last one."""
    with httpx.Client(base_url=service.url + "/api/v1", headers=headers, timeout=60) as client:
        cursor = ""
        for _ in range(pages):
            page = client.get(path + cursor).raise_for_status().json()
            if not page["has_more"]:
                break
            cursor = f"&cursor={page['next_cursor']}"
    return path + cursor
