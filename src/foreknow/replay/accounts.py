"""The accounts that play: traders with money, and the creator of the markets, all of them ordinary users."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from foreknow.replay.client import ApiClient, Refused
from foreknow.replay.history import History
from foreknow.replay.side_by_side import side_by_side

#: Sign-ups at once: each costs the service a password hash on purpose.
SIGN_UPS_MAX = 8


@dataclass(frozen=True, slots=True)
class Run:
    """One replay, told apart from every other by its name: accounts, keys and events carry it.

    A run of the same name and passwords goes on where an earlier one was broken off, and does nothing twice.
    """

    name: str
    #: The password of the account with an address.
    password: Callable[[str], str]
    #: Whether a run of this name may have been broken off before.
    goes_on: bool = False

    @classmethod
    def fresh(cls) -> Run:
        """Return a run that shares nothing with any other. Nobody learns its accounts' passwords."""
        return cls(f"replay-{secrets.token_hex(4)}", lambda _email: secrets.token_urlsafe(24))

    def email(self, local_part: str) -> str:
        """Return an address that nobody has: `.example` is reserved (RFC 2606), so no mail can take an account over."""
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


class Cast:
    """Everyone who plays, by the names in the histories."""

    def __init__(self, site: ApiClient, run: Run, histories: Sequence[History]) -> None:
        """Prepare accounts for the traders of `histories`; nothing is sent yet."""
        self._site = site
        self._run = run
        self._spend_kopecks: Counter[str] = Counter()
        for trade in (trade for history in histories for trade in history.trades):
            self._spend_kopecks[trade.trader] += trade.amount if trade.action == "buy" else 0
        names = sorted(self._spend_kopecks)
        self.traders = {name: self._account(f"Trader {name}", f"trader-{n}") for n, name in enumerate(names, start=1)}
        self.creator = self._account("Replication markets", "creator")

    def funded_kopecks(self, trader: str) -> int:
        """Return what a trader is given: enough for all purchases, were nothing ever sold."""
        return self._spend_kopecks[trader]

    async def enter(self, step: Callable[[], None]) -> None:
        """Sign everybody up, or in where this run has done so before, calling `step` after each."""

        async def enter(account: Account) -> None:
            await self._enter(account)
            step()

        await side_by_side(enter, [self.creator, *self.traders.values()], at_once=SIGN_UPS_MAX)

    async def equip(self, admin_token: str) -> None:
        """Have an admin make the creator one, and give the traders their money."""
        await self._site.call("PATCH", f"/admin/users/{self.creator.id}", admin_token, body={"is_creator": True})
        await side_by_side(lambda trader: self._credit(admin_token, trader), self.traders, at_once=SIGN_UPS_MAX)

    async def call(self, account: Account, method: str, path: str, **rest: Any) -> Any:
        """Return the body of an account's request, signing in again where its token has run out."""
        try:
            return await self._site.call(method, path, account.token, **rest)
        except Refused as refused:
            if refused.status != HTTPStatus.UNAUTHORIZED:
                raise
        await self._sign_in(account)
        return await self._site.call(method, path, account.token, **rest)

    async def balance_kopecks(self, trader: str) -> int:
        """Return a trader's balance as the trader sees it."""
        me = await self.call(self.traders[trader], "GET", "/users/me")
        return int(me["balance_kopecks"])

    def _account(self, name: str, local_part: str) -> Account:
        email = self._run.email(local_part)
        return Account(name, email, self._run.password(email))

    async def _enter(self, account: Account) -> None:
        body = {"email": account.email, "password": account.password, "name": account.name}
        try:
            answer = await self._site.post("/auth/sign-up", body=body)
        except Refused as refused:
            if refused.code != "email_taken":
                raise
            await self._sign_in(account)
            return
        account.id, account.token = answer["user"]["id"], answer["access_token"]

    async def _sign_in(self, account: Account) -> None:
        body = {"login": account.email, "password": account.password}
        answer = await self._site.post("/auth/sign-in", body=body)
        account.id, account.token = answer["user"]["id"], answer["access_token"]

    async def _credit(self, admin_token: str, trader: str) -> None:
        if self.funded_kopecks(trader):
            body = {"amount_kopecks": self.funded_kopecks(trader), "note": f"{self._run.name}: to replay its trades"}
            path = f"/admin/users/{self.traders[trader].id}/credit"
            await self._site.post(path, admin_token, body, key=self._run.key("credit", trader))
