"""The accounts of a replay: funded traders and the creator of the markets, all ordinary users."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from foreknow.commands.replay import texts
from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.commands.replay.concurrency import map_concurrently
from foreknow.commands.replay.history import History

#: Concurrent sign-ups: each costs the service a slow password hash.
SIGN_UPS_MAX = 8
#: Sign-ins for one request: where time is set, a token may have expired before it is used.
SIGN_INS_MAX = 4


@dataclass(frozen=True, slots=True)
class Run:
    """One replay. Its name is part of its accounts, idempotency keys and events.

    A second run with the same name and passwords continues an interrupted one and repeats no step.
    """

    name: str
    #: The password of the account with an address.
    password: Callable[[str], str]
    #: Whether an earlier run of this name may have been interrupted.
    goes_on: bool = False

    @classmethod
    def fresh(cls) -> Run:
        """Return a run that shares nothing with any other. Its accounts' passwords are random and not shown."""
        return cls(f"replay-{secrets.token_hex(4)}", lambda _email: secrets.token_urlsafe(24))

    def email(self, local_part: str) -> str:
        """Return an address that cannot receive mail (`.example`, RFC 2606), so no mail can take the account over."""
        return f"{local_part}@{self.name}.example"

    def key(self, *parts: str | int) -> str:
        """Return the Idempotency-Key of one step."""
        return ":".join([self.name, *map(str, parts)])


@dataclass(slots=True)
class ReplayUser:
    """A user of the service, and what it does there."""

    client: ApiClient
    name: str
    email: str
    password: str
    id: int = 0
    token: str = field(default="", repr=False)

    async def sign_up(self) -> Any:
        """Sign up, or in where the account is there already; return the user, as the service shows it."""
        try:
            return await self._enter("up", email=self.email, password=self.password, name=self.name)
        except RequestFailed as refused:
            if refused.code != "email_taken":
                raise
        return await self.sign_in()

    async def sign_in(self) -> Any:
        """Sign in; return the user, as the service shows it."""
        return await self._enter("in", login=self.email, password=self.password)

    async def _enter(self, how: str, **body: str) -> Any:
        answer = await self.client.post(f"/auth/sign-{how}", body=body)
        self.id, self.token = answer["user"]["id"], answer["access_token"]
        return answer["user"]

    async def call(self, method: str, path: str, **rest: Any) -> Any:
        """Send a request and return the body, signing in first, and again where the token has expired."""
        if not self.token:
            await self.sign_in()
        for _ in range(SIGN_INS_MAX):
            try:
                return await self.client.call(method, path, self.token, **rest)
            except RequestFailed as refused:
                if refused.status != HTTPStatus.UNAUTHORIZED:
                    raise
            await self.sign_in()
        return await self.client.call(method, path, self.token, **rest)

    async def bet(self, market_id: int, side: str, amount_kopecks: int, *, key: str | None = None) -> Any:
        """Bet on a side of a market."""
        body = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
        return await self.call("POST", "/market/bets", body=body, key=key)

    async def sell(self, market_id: int, side: str, shares: int, *, key: str | None = None) -> Any:
        """Sell shares of a side of a market."""
        body = {"market_id": market_id, "token_type": side, "shares": shares}
        return await self.call("POST", "/market/positions/sell", body=body, key=key)

    async def basket(self, body: Mapping[str, Any], *, key: str | None = None) -> Any:
        """Place a basket."""
        return await self.call("POST", "/market/baskets", body=body, key=key)

    async def newest_event(self, tag: str) -> Any:
        """Return the newest event with a tag, of the account's unpublished ones too; None for none."""
        found: list[Any] = []
        for status in ("new", "active", "closed", "resolved"):
            found += (await self.call("GET", "/events", query={"tag": tag, "status": status, "limit": 1}))["events"]
        return max(found, key=lambda one: one["id"], default=None)

    async def publish(self, body: Mapping[str, Any], event: Any = None) -> Any:
        """Make an event of `body`, if an interrupted run has not left `event`, and publish it."""
        if event is None:
            event = await self.call("POST", "/events/create-full", body=body)
        if event["status"] == "new":
            event = await self.call("POST", f"/events/{event['id']}/publish")
        return event


class TraderAccounts:
    """The accounts of a replay, by the names in the histories."""

    def __init__(self, client: ApiClient, run: Run, histories: Sequence[History]) -> None:
        """Prepare accounts for the traders of `histories`; nothing is sent yet."""
        self._client = client
        self._run = run
        self._spend_kopecks: Counter[str] = Counter()
        for trade in (trade for history in histories for trade in history.trades):
            self._spend_kopecks[trade.trader] += trade.amount if trade.action == "buy" else 0
        names = sorted(self._spend_kopecks)
        self.traders = {
            name: self._account(texts.trader_name(n), f"trader-{n}") for n, name in enumerate(names, start=1)
        }
        self.creator = self._account("Replication markets", "creator")

    def funded_kopecks(self, trader: str) -> int:
        """Return a trader's credit: the sum of all its purchases."""
        return self._spend_kopecks[trader]

    async def sign_in(self, step: Callable[[], None]) -> None:
        """Sign every account up (or in, where this run did so before), calling `step` after each."""

        async def sign_in_one(account: ReplayUser) -> None:
            await account.sign_up()
            step()

        await map_concurrently(sign_in_one, [self.creator, *self.traders.values()], at_once=SIGN_UPS_MAX)

    async def fund(self, admin_token: str) -> None:
        """As an admin, give the creator its role and the traders their money."""
        await self._client.call("PATCH", f"/admin/users/{self.creator.id}", admin_token, body={"is_creator": True})
        await map_concurrently(lambda trader: self._credit(admin_token, trader), self.traders, at_once=SIGN_UPS_MAX)

    async def balance_kopecks(self, trader: str) -> int:
        """Return a trader's balance as the trader sees it."""
        me = await self.traders[trader].call("GET", "/users/me")
        return int(me["balance_kopecks"])

    def _account(self, name: str, local_part: str) -> ReplayUser:
        email = self._run.email(local_part)
        return ReplayUser(self._client, name, email, self._run.password(email))

    async def _credit(self, admin_token: str, trader: str) -> None:
        if self.funded_kopecks(trader):
            body = {"amount_kopecks": self.funded_kopecks(trader), "note": f"{self._run.name}: to replay its trades"}
            path = f"/admin/users/{self.traders[trader].id}/credit"
            await self._client.post(path, admin_token, body, key=self._run.key("credit", trader))
