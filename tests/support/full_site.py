"""A site on which every list has rows in every state, for tests of lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso
from foreknow.people import attention
from foreknow.people.users.tables import users
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.forecast_scores import boards
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import let_work

#: Rows of each list, in each of its states.
ROWS = 3
ROLES = ("creator", "admin", "stats_viewer", "operator")


class FullSite:
    """Rows of every list, and what adds to them and changes them."""

    def __init__(self, service: Service) -> None:
        """Make all rows."""
        self.service = service
        self.numbers = itertools.count(1)
        self.creator = service.creator
        self.ann, self.bob = (service.user(balance_kopecks=9_000_000) for _ in range(2))
        self.partner = service.partner(float_kopecks=9_000_000)
        self.symbol = "BTC"
        soon = iso(service.clock() + HOUR_MS)
        self.active = [self._event(finish_at=self._in_days(20 - place)) for place in range(2 * ROWS)]
        self.active += [self._event() for _ in range(ROWS)]
        self._event_of_other_states(soon)
        self.event, self.market = self.active[0]["id"], self._market(self.active[0])
        self.pool = self.active[0]["pools"][0]["id"]
        for event in self.active[1:]:
            self.trade(self._market(event), 400)
        self.made_order = self._orders(self.ann.client, {"token_type": "YES"}, soon)["id"]
        self.partner_order = self._orders(self.partner.client, {"side": "yes", "external_user_id": "u"}, soon)
        self.disputed = self._dispute()
        for _ in range(ROWS):
            self.earn()
            self.bet_for_partner()
            self.comment()
            self.clarify()
            self.forecast()
            self.score()
            self.object_to_result()
            self.wait_for_answer()
            for status in ("open", "waiting", "answered", "closed"):
                self.chat(status)
            self.report(is_open=False)
            self.report()
            self.warn()
            self.invite()
            self.add_partner()
            self.set_price()
            self.set_rate()
            self.sign_in()
            service.user(**dict.fromkeys(ROLES, True))
        expect(self.ann.client.put(f"/events/{self.event}/follow"), 200)
        service.clock.advance(2 * HOUR_MS)
        # Their tokens have ended.
        service.sign_out_shared()
        for person in (self.ann, self.bob, self.creator):
            person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, person.password)}"
        let_work()

    def _in_days(self, days: int) -> str:
        return iso(self.service.clock() + days * DAY_MS)

    def _event(self, *, publish: bool = True, **of_pool: Any) -> dict[str, Any]:
        return self.service.event(publish=publish, tags=["full"], pools=[pool(b=20_000, **of_pool)])

    @staticmethod
    def _market(event: dict[str, Any]) -> int:
        return int(event["pools"][0]["markets"][0]["id"])

    def _event_of_other_states(self, soon: str) -> None:
        for _ in range(ROWS):
            self._event(publish=False)
            self.trade(self._market(self._event(finish_at=soon)), 300)
            resolved, cancelled = self._event(), self._event()
            self.trade(self._market(resolved), 300)
            expect(self.creator.client.post(f"/pools/{resolved['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
            expect(self.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)

    def trade(self, market: int, stake_kopecks: int, person: Person | None = None) -> None:
        """Bet on a market."""
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": stake_kopecks}
        expect((person or self.ann).client.post("/market/bets", json=order), 201)

    def _orders(self, client: httpx.Client, fields: Mapping[str, Any], soon: str) -> Any:
        """Place orders that are filled, cancelled, expired and open; return one that many have filled."""
        path, level_bps = ("/partner/orders", 4_900) if "side" in fields else ("/market/orders", 4_800)

        def buy(shares: int, price_bps: int, market: int = self.market, **more: Any) -> Any:
            order = {**fields, "market_id": market, "action": "buy", "shares": shares, "price_bps": price_bps}
            return expect(client.post(path, json=order | more), 201)

        for price_bps in range(1_000, 1_000 + 100 * ROWS, 100):
            buy(1_000, price_bps)
            buy(1_000, price_bps, expires_at=soon)
            buy(100, 6_000, time_in_force="ioc")
            placed = buy(1_000, price_bps)
            number = placed.get("order_id") or placed["id"]
            expect(
                client.delete(f"{path}/{number}?external_user_id=u" if "side" in fields else f"{path}/{number}"), 200
            )
        order = buy(2_000 * ROWS, level_bps)
        # The first takes from the curve alone.
        for _ in range(2 * ROWS):
            self.fill()
        return order

    def fill(self, shares: int = 1_000) -> None:
        """Buy NO, of who buys YES first."""
        order = {"market_id": self.market, "token_type": "NO", "action": "buy", "time_in_force": "ioc"}
        body = order | {"shares": shares, "price_bps": 9_900}
        expect(self.bob.client.post("/market/orders", json=body), 201)

    def earn(self) -> None:
        """Let one more person buy and sell."""
        person = self.service.user(balance_kopecks=10_000)
        market = self._market(self.active[next(self.numbers) % len(self.active)])
        self.trade(market, 500, person)
        expect(person.client.post("/market/positions/sell", json={"market_id": market, "token_type": "YES"}), 201)

    def bet_for_partner(self) -> None:
        """Bet for one more of a partner's users."""
        user = f"user {next(self.numbers)}"
        order = {"external_user_id": user, "market_id": self.market, "side": "yes", "stake_kopecks": 200}
        expect(self.partner.client.post("/partner/bets", json=order), 201)

    def _dispute(self) -> int:
        """Give a pool a result, which people dispute who hold shares of it; return the pool."""
        described = pool(b=20_000)
        described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 43_200}
        event = self.service.event(tags=["full"], pools=[described])
        pool_id = int(event["pools"][0]["id"])
        for person in (self.ann, self.bob):
            self.trade(self._market(event), 300, person)
        expect(self.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
        return pool_id

    def object_to_result(self) -> None:
        """Let someone object, to another result each time: one has one a result."""
        history = expect(self.service.admin.get(f"/pools/{self.disputed}"), 200)["resolution"]["history"]
        resolution = {"won_side": 1 - history[-1]["won_side"]}
        expect(self.service.admin.post(f"/pools/{self.disputed}/resolve", json=resolution), 200)
        body = {"verdict": len(history) + 1, "reason": "The match was abandoned."}
        person = (self.ann, self.bob)[len(history) % 2]
        expect(person.client.post(f"/pools/{self.disputed}/objections", json=body), 201)

    def wait_for_answer(self) -> None:
        """Let someone object to one more pool's result, which waits for an answer."""
        body = {"verdict": 1, "reason": "The match was abandoned."}
        expect(self.ann.client.post(f"/pools/{self._dispute()}/objections", json=body), 201)

    def comment(self) -> None:
        """Comment; let it be answered and liked."""
        body = {"event_id": self.event, "content": "Well."}
        made = expect(self.ann.client.post("/comments", json=body), 201)["id"]
        expect(self.bob.client.post("/comments", json=body | {"parent_id": made}), 201)
        self.like(made)

    def like(self, comment_id: int) -> None:
        """Let one more person like a comment."""
        client = self.service.user().client
        expect(client.put(f"/comments/{comment_id}/reaction", json={"type": "like"}), 200)

    def clarify(self) -> None:
        """Make a pool's rules clearer."""
        body = {"text": f"Clearly {next(self.numbers)}."}
        expect(self.creator.client.post(f"/pools/{self.pool}/clarifications", json=body), 201)

    def forecast(self) -> None:
        """Let a newcomer say what they think of a pool, and ann of another one."""
        number = next(self.numbers)
        of_ann = self.active[number % len(self.active)]["pools"][0]["id"]
        for person, pool_id in ((self.service.user(), self.pool), (self.ann, of_ann)):
            body = {"probabilities": [number % 100 / 100]}
            expect(person.client.put(f"/pools/{pool_id}/forecast", json=body), 200)

    def score(self) -> None:
        """Let one more of whom ann follows have a place on the board of forecasts, as its worker writes it."""
        person, number = self.service.user(), next(self.numbers)
        expect(self.ann.client.put(f"/users/{person.id}/follow"), 200)
        older = users.update().where(users.c.id == person.id)

        def write(tx: WriteTx) -> None:
            tx.execute(older.values(created_at_ms=users.c.created_at_ms - 31 * DAY_MS))
            for _ in range(10):
                boards.add(tx, [(person.id, float(number % 7))], event_pools=1, final_ms=self.service.clock())

        self.service.server.run(self.service.app.db.write(write))

    def chat(self, status: str = "waiting") -> None:
        """Begin a chat with support."""
        visitor = self.service.client()
        number = expect(visitor.post("/chat/session"), 201)["session_id"]
        path = f"/admin/chat/sessions/{number}"
        if status != "open":
            expect(visitor.post("/chat/session/call-operator"), 200)
        if status == "answered":
            expect(self.service.admin.post(f"{path}/messages", json={"text": "Yes?"}), 201)
        if status == "closed":
            expect(self.service.admin.post(f"{path}/close"), 200)

    def report(self, *, is_open: bool = True) -> None:
        """Report someone new."""
        body = {"kind": "user", "id": self.service.user().id, "reason": "spam"}
        made = expect(self.service.user().client.post("/reports", json=body), 201)["id"]
        if not is_open:
            expect(self.service.admin.post(f"/admin/reports/{made}/close", json={}), 200)

    def warn(self) -> None:
        """Open an entry that waits for a person."""
        number = next(self.numbers)

        def work(tx: WriteTx) -> None:
            attention.open_entry(tx, "webhook", reason="failing", partner=f"partner {number}", at_ms=number)

        self.service.server.run(self.service.app.db.write(work))

    def invite(self) -> None:
        """Make an invitation."""
        expect(self.service.admin.post("/admin/invitations", json={"uses": 1}), 201)

    def add_partner(self) -> None:
        """Make a partner."""
        self.service.partner()

    def sign_in(self) -> None:
        """Begin one more session."""
        self.service.sign_in(self.ann.email, self.ann.password)

    def set_price(self) -> None:
        """Set the price of an asset again, and that of a new one."""
        number = next(self.numbers)
        for symbol in (self.symbol, f"A{number}"):
            body = {"name": "Asset", "asset_type": "crypto", "price": number}
            expect(self.service.admin.put(f"/admin/assets/{symbol}", json=body), 200)

    def set_rate(self) -> None:
        """Set the rate of one more pair of currencies."""
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        number = next(self.numbers)
        code = "Q" + letters[number // 26 % 26] + letters[number % 26]
        expect(self.service.admin.put("/admin/currency-rates", json={"from": code, "to": "ZZZ", "rate": 2}), 200)

    def change_ranks(self) -> None:
        """Publish an event, and let others change in price, volume and end."""
        self._event()
        number = next(self.numbers)
        event = self.active[number % len(self.active)]
        # However many lists are read, all of them together cost less than there is.
        self.trade(self._market(event), 500 + 200 * (number % 97))
        pool_id = self.active[-number % (2 * ROWS)]["pools"][0]["id"]
        body = {"finish_at": self._in_days(5 + 7 * number % 40)}
        expect(self.creator.client.patch(f"/pools/{pool_id}", json=body), 200)
        let_work()


#: What changes a list while it is read.
Change = Callable[[FullSite], None]
