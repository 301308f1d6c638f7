"""The accounts of a replay: funded traders and the creator of the markets, all ordinary users."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from foreknow.replay import texts
from foreknow.replay.client import ApiClient, Refused
from foreknow.replay.concurrency import map_concurrently
from foreknow.replay.history import History

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
class Account:
    """A user of the service."""

    name: str
    email: str
    password: str
    id: int = 0
    token: str = field(default="", repr=False)


async def call_as(client: ApiClient, account: Account, method: str, path: str, **rest: Any) -> Any:
    """Send a request of an account and return the body, signing in again where the token has expired."""
    for _ in range(SIGN_INS_MAX):
        try:
            return await client.call(method, path, account.token, **rest)
        except Refused as refused:
            if refused.status != HTTPStatus.UNAUTHORIZED:
                raise
        await sign_in(client, account)
    return await client.call(method, path, account.token, **rest)


async def sign_up(client: ApiClient, account: Account) -> Any:
    """Sign an account up, or in where it is there already; return the user, as the service shows it."""
    body = {"email": account.email, "password": account.password, "name": account.name}
    try:
        answer = await client.post("/auth/sign-up", body=body)
    except Refused as refused:
        if refused.code != "email_taken":
            raise
        return await sign_in(client, account)
    account.id, account.token = answer["user"]["id"], answer["access_token"]
    return answer["user"]


async def sign_in(client: ApiClient, account: Account) -> Any:
    """Sign an account in; return the user, as the service shows it."""
    body = {"login": account.email, "password": account.password}
    answer = await client.post("/auth/sign-in", body=body)
    account.id, account.token = answer["user"]["id"], answer["access_token"]
    return answer["user"]


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

        async def sign_in_one(account: Account) -> None:
            await sign_up(self._client, account)
            step()

        await map_concurrently(sign_in_one, [self.creator, *self.traders.values()], at_once=SIGN_UPS_MAX)

    async def fund(self, admin_token: str) -> None:
        """As an admin, give the creator its role and the traders their money."""
        await self._client.call("PATCH", f"/admin/users/{self.creator.id}", admin_token, body={"is_creator": True})
        await map_concurrently(lambda trader: self._credit(admin_token, trader), self.traders, at_once=SIGN_UPS_MAX)

    async def call(self, account: Account, method: str, path: str, **rest: Any) -> Any:
        """Send a request of an account; see `call_as`."""
        return await call_as(self._client, account, method, path, **rest)

    async def balance_kopecks(self, trader: str) -> int:
        """Return a trader's balance as the trader sees it."""
        me = await self.call(self.traders[trader], "GET", "/users/me")
        return int(me["balance_kopecks"])

    def _account(self, name: str, local_part: str) -> Account:
        email = self._run.email(local_part)
        return Account(name, email, self._run.password(email))

    async def _credit(self, admin_token: str, trader: str) -> None:
        if self.funded_kopecks(trader):
            body = {"amount_kopecks": self.funded_kopecks(trader), "note": f"{self._run.name}: to replay its trades"}
            path = f"/admin/users/{self.traders[trader].id}/credit"
            await self._client.post(path, admin_token, body, key=self._run.key("credit", trader))
