"""What each setting of the site does, as one request shows it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import httpx
import sqlalchemy as sa

from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import SITE_SETTINGS
from foreknow.platform.db.engine import open_database
from tests.support.cluster import Cluster, Node
from tests.support.http import NO_TLS
from tests.support.service import PASSWORD, TIMEOUT_S, Person, expect, pool

#: Within which a change holds in a process that only looks for it.
FRESH_S = 1.0
#: What is set throughout, so that each setting can be changed alone.
BASE: Mapping[str, Any] = {"sign_up_kopecks": 500, "creator_limit_kopecks": 10**9}
#: Beside the code, which the ledger keeps.
ROUBLES = {"code": "RUB", "sign": "Rb", "name": "roubles", "name_ru": "рубли", "decimals": 2}
ALLOWANCE = {"kopecks": 100, "every": "day", "up_to": 1_000}
BOTS = "https://bots.example"


class Scene:
    """A site on which each setting shows, and its people, all with verified addresses."""

    def __init__(self, cluster: Cluster) -> None:
        """Make them."""
        self._numbers = itertools.count()
        self._admins: dict[Node, httpx.Client] = {}
        self.admin = {"Authorization": str(cluster.admin.headers["authorization"])}
        self.member, creator = cluster.user(), cluster.user(creator=True, balance_kopecks=10**9)
        self.creator = bearer(creator)
        self.trader = cluster.user(balance_kopecks=10**9)
        self.events = [cluster.event(creator) for _ in range(2)]
        self.markets = [int(event["pools"][0]["markets"][0]["id"]) for event in self.events]

    def at(self, node: Node) -> httpx.Client:
        """Return the admin's client of a server."""
        if node not in self._admins:
            client = httpx.Client(base_url=node.api_url, headers=self.admin, timeout=TIMEOUT_S, verify=NO_TLS)
            self._admins[node] = client
        return self._admins[node]

    def close(self) -> None:
        """Close the clients of `at`."""
        for client in self._admins.values():
            client.close()

    def balance_kopecks(self) -> int:
        """Return what the trader has."""
        return int(expect(self.trader.client.get("/users/me"), 200)["balance_kopecks"])

    def sign_up(self, client: httpx.Client) -> str | int:
        """Make an account; return what it has, or why there is none."""
        name = f"newcomer_{next(self._numbers)}"
        body = {"email": f"{name}@example.org", "password": PASSWORD, "name": name}
        answer = client.post("/auth/sign-up", json=body)
        client.cookies.clear()
        return int(answer.json()["user"]["balance_kopecks"]) if answer.is_success else code(answer)

    def create(self, client: httpx.Client, caller: Mapping[str, str]) -> httpx.Response:
        """Make an event that is not published."""
        return client.post("/events/create-full", json={"name": "E", "pools": [pool()]}, headers=caller)

    def publish(self, client: httpx.Client) -> str:
        """Publish another event of the creator."""
        event = expect(self.create(client, self.creator), 201)
        return code(client.post(f"/events/{event['id']}/publish", headers=self.creator))

    def bet(self, client: httpx.Client) -> str:
        """Bet as the creator, in an event of theirs."""
        order = {"market_id": self.markets[0], "token_type": "YES", "amount_kopecks": 100}
        return code(client.post("/market/bets", json=order, headers=self.creator))

    def quote(self, client: httpx.Client) -> str:
        """Ask for a price as the trader."""
        query: dict[str, str | int] = {"market_id": self.markets[0], "token_type": "YES", "amount_kopecks": 100}
        return code(client.get("/market/quote", params=query, headers=bearer(self.trader)))


See = Callable[[Scene, httpx.Client], Any]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a setting does."""

    #: What it is changed to, and what requests show before and after.
    other: Any
    before: Any
    after: Any
    see: See
    #: From the answer of a change on, until it holds; 0: it is read in the transaction that it decides.
    within_s: float = 0


def bearer(person: Person) -> dict[str, str]:
    return {"Authorization": f"Bearer {person.token}"}


def code(answer: httpx.Response) -> str:
    """Return the error of an answer, or that it has none."""
    return "done" if answer.is_success else str(answer.json()["error"])


def of_site(name: str) -> See:
    """Return what GET /site says."""
    return lambda _, client: expect(client.get("/site"), 200)[name]


def listed(name: str) -> See:
    """Return what the list of settings says."""

    def see(scene: Scene, client: httpx.Client) -> Any:
        found = expect(client.get("/admin/settings", headers=scene.admin), 200)["settings"]
        return next(one["value"] for one in found if one["name"] == name)

    return see


def _allowance(scene: Scene, client: httpx.Client) -> Any:
    terms = expect(client.get("/users/me/allowance", headers=bearer(scene.member)), 200)["allowance"]
    return None if terms is None else terms["kopecks"]


def _sign(_: Scene, client: httpx.Client) -> Any:
    return expect(client.get("/site"), 200)["currency"]["sign"]


def _allowed_origin(_: Scene, client: httpx.Client) -> Any:
    return client.get("/site", headers={"Origin": BOTS}).headers.get("access-control-allow-origin")


def _window(scene: Scene, client: httpx.Client) -> Any:
    event = expect(scene.create(client, scene.creator), 201)
    return event["pools"][0]["resolution"]["dispute_minutes"]


#: In the order in which they are changed. `read` ends the sockets of strangers: it is the last.
EFFECTS: Mapping[str, Effect] = {
    "site_name": Effect("Club", "Foreknow", "Club", of_site("name"), FRESH_S),
    "currency": Effect(ROUBLES, "₽", "Rb", _sign, FRESH_S),
    "languages": Effect(["ru"], ["en", "ru"], ["ru"], of_site("languages"), FRESH_S),
    "time_zone": Effect("Europe/Berlin", "UTC", "Europe/Berlin", listed("time_zone")),
    "sign_up": Effect("off", 500, "sign_up_closed", Scene.sign_up),
    "sign_up_domains": Effect(["ours.example"], 500, "domain_not_allowed", Scene.sign_up),
    "sign_up_kopecks": Effect(700, 500, 700, Scene.sign_up),
    "grants_per_address": Effect(1, 500, 0, Scene.sign_up),
    "allowance": Effect(ALLOWANCE, None, 100, _allowance, FRESH_S),
    "creators": Effect(
        "members", "forbidden", "done", lambda scene, client: code(scene.create(client, bearer(scene.member))), FRESH_S
    ),
    "creator_limit_kopecks": Effect(1, "done", "house_limit", Scene.publish),
    "creators_trade": Effect("off", "done", "own_event", Scene.bet),
    "house_limit_kopecks": Effect(1, "done", "house_limit", Scene.publish),
    "dispute_minutes": Effect(30, 0, 30, _window, FRESH_S),
    "trading": Effect("off", "done", "trading_off", Scene.quote, FRESH_S),
    "cors_origins": Effect([BOTS], None, BOTS, _allowed_origin, FRESH_S),
    "read": Effect(
        "members",
        "done",
        "unauthorized",
        lambda scene, client: code(client.get(f"/events/{scene.events[0]['id']}")),
        FRESH_S,
    ),
}


def effects() -> Mapping[str, Effect]:
    """Return what each setting of the site does, those first of which nothing is said here."""
    assert EFFECTS.keys() <= SITE_SETTINGS.keys()
    return {**{name: of_choice(name) for name in SITE_SETTINGS if name not in EFFECTS}, **EFFECTS}


def of_choice(name: str) -> Effect:
    """Return that of a setting which chooses one of a few, as the list of settings shows it at once."""
    field = Settings.model_fields[name]
    before, *others = sorted(get_args(field.annotation), key=lambda one: one != field.default)
    return Effect(others[0], before, others[0], listed(name))


async def verify_all(url: str) -> None:
    """Let all addresses be verified, which no one can read here."""
    database = open_database(url)
    try:
        await database.write(lambda tx: tx.execute(sa.text("UPDATE users SET email_verified = true")))
    finally:
        await database.close()
