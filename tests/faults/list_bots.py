"""Bots that trade a list over HTTP while its server is killed, and its runner, who takes outcomes out."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import httpx

from tests.support.http import NO_TLS
from tests.support.service import TIMEOUT_S, Person, expect, refused
from tests.support.waiting import WAIT_S

#: Pause between attempts to reach a server that is not running.
PAUSE_S = 0.05


class Caller:
    """A client of a server that may be dead: it asks again until it is answered."""

    def __init__(self, url: str, person: Person) -> None:
        """Speak to the API at `url`."""
        self._person = person
        self._http = httpx.Client(base_url=url, verify=NO_TLS, trust_env=False, timeout=TIMEOUT_S)
        self._http.headers["Authorization"] = f"Bearer {person.token}"
        self.unanswered = 0

    def __call__(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """Return the answer; a request that moves money needs a key."""
        until_s = time.monotonic() + WAIT_S
        while time.monotonic() < until_s:
            try:
                answer = self._http.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                self.unanswered += 1
            else:
                if answer.status_code == httpx.codes.UNAUTHORIZED:
                    self._sign_in()
                    continue
                if not answer.is_server_error:
                    return answer
            time.sleep(PAUSE_S)
        raise AssertionError(f"{method} {path}: no answer")

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def _sign_in(self) -> None:
        body = {"login": self._person.email, "password": self._person.password}
        with contextlib.suppress(httpx.TransportError):
            answer = self._http.post("/auth/sign-in", json=body)
            if answer.is_success:
                self._http.cookies.clear()
                self._http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"


@dataclass(frozen=True, slots=True)
class Traded:
    """An answered order: what it moved, of which market, and how many outcomes there were."""

    outcomes: int
    market_id: int
    side: str
    #: Below 0: sold.
    shares: int
    #: Below 0: paid.
    kopecks: int


class Bot:
    """Trades one list until it is stopped, each order under a key of its own."""

    def __init__(self, url: str, person: Person, pool_id: int, *, seed: int) -> None:
        """Trade nothing yet."""
        self.person = person
        self.call = Caller(url, person)
        self.traded: list[Traded] = []
        #: Orders that were refused since the list had grown.
        self.refused = 0
        self.chance = Random(seed)
        self._path = f"/pools/{pool_id}"
        self._ending = threading.Event()
        self._failure: BaseException | None = None
        self._is_old = True

    @contextlib.contextmanager
    def trading(self) -> Iterator[None]:
        """Trade while the block runs; a server must be running at its end. Raises what went wrong."""
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        finally:
            self._ending.set()
            thread.join()
            self.call.close()
            # Whatever else went wrong: it may have done so because of this.
            self.raise_failure()

    def raise_failure(self) -> None:
        """Raise what went wrong, if anything did: it trades no more then."""
        if self._failure is not None:
            raise self._failure

    def next_order(self, pool: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return what it does next: `bets` or `positions/sell`, and the body."""
        raise NotImplementedError

    def looks_again(self, number: int) -> bool:
        """Return whether it reads the list again before an order, though none was refused."""
        return number % 4 == 0

    def held(self, market_id: int, side: str) -> int:
        """Return the shares that it bought and did not sell."""
        return sum(one.shares for one in self.traded if (one.market_id, one.side) == (market_id, side))

    def balance(self, before: int) -> int:
        """Return what it must have left of `before`, without what it is paid at the end."""
        return before + sum(one.kopecks for one in self.traded)

    def _run(self) -> None:
        pool: dict[str, Any] = {}
        try:
            for number in itertools.count():
                if self._ending.is_set():
                    return
                if self._is_old or self.looks_again(number):
                    pool = expect(self.call("GET", self._path), 200)
                    self._is_old = False
                self._send(pool, number)
        except BaseException as failure:  # noqa: BLE001 - raised where it is waited for
            self._failure = failure

    def _send(self, pool: dict[str, Any], number: int) -> None:
        what, body = self.next_order(pool)
        headers = {"Idempotency-Key": f"bot-{self.person.id}-{number}"}
        answer = self.call("POST", f"/market/{what}", body, **headers)
        if answer.status_code == httpx.codes.CONFLICT and "outcomes" in body:
            refused(answer, 409, "slippage")
            self.refused += 1
            self._is_old = True
            return
        is_bet = what == "bets"
        if answer.status_code == httpx.codes.BAD_REQUEST and not is_bet:
            # Others have bought so much else meanwhile that these shares are worth less than a kopeck.
            refused(answer, 400, "amount_too_small")
            return
        made = expect(answer, 201)
        self.traded.append(
            Traded(
                outcomes=len(pool["markets"]),
                market_id=body["market_id"],
                side=body["token_type"],
                shares=made["shares"] if is_bet else -body["shares"],
                kopecks=-body["amount_kopecks"] if is_bet else made["payout_kopecks"],
            )
        )


class OtherBot(Bot):
    """Trades Other alone, and says how many outcomes it knows; it reads the list again once it is refused."""

    def looks_again(self, number: int) -> bool:
        """See `Bot`."""
        del number
        return False

    def next_order(self, pool: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """See `Bot`."""
        other = pool["markets"][pool["other"]]["id"]
        return _bet_or_sale(self, other, "YES", outcomes=len(pool["markets"]))

    def held_before(self, outcome_index: int) -> int:
        """Return the shares of Other that it held when an outcome left it."""
        return sum(one.shares for one in self.traded if one.outcomes <= outcome_index)


class NamedBot(Bot):
    """Trades the named outcomes, both sides: what they mean stays, so it says nothing of others."""

    def next_order(self, pool: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """See `Bot`."""
        named = [market["id"] for market in pool["markets"] if market["outcome_index"] != pool["other"]]
        return _bet_or_sale(self, self.chance.choice(named), self.chance.choice(("YES", "NO")))

    def paid_if(self, winner_id: int) -> int:
        """Return what its shares are paid if a market wins."""
        return sum(one.shares for one in self.traded if (one.market_id == winner_id) == (one.side == "YES"))


class Runner:
    """Takes outcomes out of a list's Other and resolves it, whatever happens to the server meanwhile."""

    def __init__(self, url: str, person: Person, pool_id: int, *, about_to: Callable[[], None]) -> None:
        """`about_to` is called before the first attempt of each of these."""
        self.call = Caller(url, person)
        self._path = f"/pools/{pool_id}"
        self._about_to = about_to

    def pool(self) -> dict[str, Any]:
        """Return the list as it stands."""
        shown: dict[str, Any] = expect(self.call("GET", self._path), 200)
        return shown

    def take_out(self, name: str, share: float) -> None:
        """Take an outcome out, at the price that it then has."""
        self._about_to()
        until_s = time.monotonic() + WAIT_S
        while time.monotonic() < until_s:
            shown = self.pool()
            expected = shown["markets"][shown["other"]]["yes_probability"] * share
            body = {"name": name, "share": share, "probability": min(1.0, expected)}
            answer = self.call("POST", f"{self._path}/outcomes", body)
            if answer.is_success:
                return
            # The price moved meanwhile, or the split before is still being turned.
            assert answer.json()["error"] in {"slippage", "invalid_state"}, answer.text
            time.sleep(PAUSE_S)
        raise AssertionError(f"{name} is not taken out")

    def resolve(self, winner: int) -> None:
        """Let an outcome win, and return when all are paid."""
        self._about_to()
        outcomes = len(self.pool()["markets"])
        expect(self.call("POST", f"{self._path}/resolve", {"won_side": winner, "outcomes": outcomes}), 200)
        until_s = time.monotonic() + WAIT_S
        while self.pool()["resolution"]["state"] != "paid":
            assert time.monotonic() < until_s, "it is not paid"
            time.sleep(PAUSE_S)


def _bet_or_sale(bot: Bot, market_id: int, side: str, **known: int) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {"market_id": market_id, "token_type": side, **known}
    held = bot.held(market_id, side)
    if held and bot.chance.random() < 0.3:
        return "positions/sell", body | {"shares": bot.chance.randint(1, held)}
    return "bets", body | {"amount_kopecks": bot.chance.randint(100, 600)}
