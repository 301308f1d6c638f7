"""Books with everything in them that the audit looks at, made through the interface as any client could."""

from __future__ import annotations

from typing import Any

import httpx

from foreknow.kernel.clock import iso
from foreknow.market.pools.store import load_pools
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.effects import payouts
from foreknow.trading.settlement import service as settlement
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.limit_orders import cancel, rest, stop_worker
from tests.support.lists import open_list, split
from tests.support.orders import add_liquidity
from tests.support.service import PartnerAccount, Service, expect, pool
from tests.trading.settlement.windows import disputable, stop_payments


def keep_books(service: Service) -> None:
    """Let people and partners trade on pools of every kind, and resolve them in every way."""
    ann, bob = service.user(balance_kopecks=500_000), service.user(balance_kopecks=500_000)
    acme = service.partner(float_kopecks=300_000)
    expect(service.admin.post(f"/admin/users/{ann.id}/credit", json={"amount_kopecks": -1_000}), 201)
    expect(service.admin.post(f"/admin/partners/{acme.name}/payout", json={"amount_kopecks": 2_000}), 201)

    yes_no = pool(b=10_000, margin=0.02)
    three = pool(["A", "B", "C"], b=20_000, margin=0.05, probabilities=[0.5, 0.3, 0.2])
    open_pools = service.event(pools=[yes_no, three])["pools"]
    won = service.event(pools=[yes_no, three])["pools"]
    lost, split, void = (service.event(pools=[one])["pools"][0] for one in (yes_no, three, three))
    cancelled = service.event(pools=[three])
    service.event(publish=False)
    service.event(pools=[yes_no])  # published and never traded

    for one in [*open_pools, *won, lost, split, void, *cancelled["pools"]]:
        first, last = one["markets"][0]["id"], one["markets"][-1]["id"]
        _bet(ann.client, first, "YES", 3_333, key=f"ann-{one['id']}")
        _bet(ann.client, first, "YES", 1_111)
        _bet(bob.client, last, "NO", 2_222)
        _sell(ann.client, first, "YES", 1_000, key=f"ann-sells-{one['id']}")
        for user in ("kim", "lee/7"):
            body = {"external_user_id": user, "market_id": first, "side": "no", "stake_kopecks": 5_000}
            expect(acme.client.post("/partner/bets", json=body, headers={"Idempotency-Key": f"{user}{one['id']}"}), 201)
            sale = {"external_user_id": user, "market_id": first, "side": "no", "shares": 2_345}
            expect(acme.client.post("/partner/positions/sell", json=sale), 201)
        _sell(bob.client, last, "NO", None)
        _bet(bob.client, last, "NO", 777)
    creator = service.creator.client
    expect(acme.client.post("/partner/users/kim/withdraw", json={"amount_kopecks": 500}), 200)
    _trade_baskets(ann.client, acme, open_pools[1])
    for one, b in ((open_pools[1], 30_000), (open_pools[1], 45_001), (void, 77_777), (won[1], 25_000)):
        expect(add_liquidity(creator, one["id"], b), 200)
        _bet(bob.client, one["markets"][1]["id"], "YES", 3_210)
    for one in (won[1], void):
        _trade_baskets(ann.client, acme, one)

    for said in ("Once.", "Twice."):
        expect(creator.post(f"/pools/{won[0]['id']}/clarifications", json={"text": said}), 201)
    expect(creator.post(f"/pools/{won[0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(creator.post(f"/pools/{won[1]['id']}/resolve", json={"won_side": 2}), 200)
    expect(creator.post(f"/pools/{lost['id']}/resolve", json={"won_side": 1}), 200)
    expect(creator.post(f"/pools/{split['id']}/resolve", json={"payouts": [0.25, 0.4, 0.35]}), 200)
    expect(creator.post(f"/pools/{void['id']}/resolve", json={"void": True}), 200)
    expect(creator.post(f"/events/{cancelled['id']}/cancel"), 200)
    _let_lists_grow(service)
    _let_orders_rest(service)
    _be_decided(service)


def _trade_baskets(client: httpx.Client, acme: PartnerAccount, traded: dict[str, Any]) -> None:
    """Buy on a set and on a condition, and swap, for a person and for a partner's user, in a pool of three markets."""
    markets = [market["id"] for market in traded["markets"]]
    key, of_partner = ({"Idempotency-Key": f"{name}-{markets[0]}"} for name in ("basket", "of-kim"))
    expect(client.post("/market/baskets", json={"market_ids": markets[:2], "amount_kopecks": 2_000}, headers=key), 201)
    body = {"external_user_id": "kim", "market_ids": markets[1:2], "given": markets[1:], "stake_kopecks": 1_000}
    expect(acme.client.post("/partner/baskets", json=body, headers=of_partner), 201)
    swap = [{"market_id": markets[1], "shares": -500}, {"market_id": markets[2], "shares": 700}]
    expect(client.post("/market/baskets", json={"changes": swap}), 201)
    expect(acme.client.post("/partner/baskets", json={"external_user_id": "kim", "changes": swap}), 201)
    expect(client.post("/market/baskets", json={"changes": [{"market_id": markets[2], "shares": -700}]}), 201)


def _let_lists_grow(service: Service) -> None:
    """Take outcomes out of two lists while people and a partner's user trade, and resolve one by a new one."""
    ann, acme = service.user(balance_kopecks=500_000), service.partner(float_kopecks=100_000)
    lists = [open_list(service, b=10_000) for _ in range(2)]
    for made in lists:
        first, _, other = (market["id"] for market in made["markets"])
        _bet(ann.client, other, "YES", 3_000)
        body = {"external_user_id": "kim", "market_id": other, "side": "yes", "stake_kopecks": 2_000}
        expect(acme.client.post("/partner/bets", json=body), 201)
        new = split(service, made["id"], "Dana")["markets"][3]["id"]
        _sell(ann.client, new, "YES", 700)
        _bet(ann.client, other, "YES", 1_500)
        expect(add_liquidity(service.creator.client, made["id"], 15_000), 200)
        _bet(ann.client, first, "NO", 900)
        split(service, made["id"], "Eve", 0.5)
        _sell(ann.client, other, "YES", 100)
    expect(service.creator.client.post(f"/pools/{lists[1]['id']}/resolve", json={"won_side": 3}), 200)


def _let_orders_rest(service: Service) -> None:
    """Leave limit orders that rest, that were filled, that ended, and what their fills have left to be done."""
    carl, dora = service.user(balance_kopecks=500_000), service.user(balance_kopecks=500_000)
    acme = service.partner(float_kopecks=100_000)
    two, one = service.event(pools=[pool(["A", "B"], b=50_000, margin=0.02), pool(b=50_000)])["pools"]
    (first, second), (single,) = ([market["id"] for market in made["markets"]] for made in (two, one))
    _bet(carl.client, first, "YES", 20_000)
    rest(carl, first, "YES", "sell", shares=2_000, price=90)
    rest(carl, first, "YES", "buy", shares=3_000, price=30)
    rest(carl, second, "YES", "buy", shares=3_000, price=20)
    rest(dora, second, "NO", "buy", shares=1_000, price=40)
    cancel(dora, rest(dora, single, "NO", "buy", shares=1_000, price=40)["id"])
    _bet(dora.client, single, "YES", 9_000)
    body = {"external_user_id": "kim", "market_id": single, "side": "no", "action": "buy", "shares": 1_500}
    expect(acme.client.post("/partner/orders", json=body | {"price_bps": 3_000}), 201)
    rest(dora, single, "YES", "sell", shares=2_000, price=75)
    rest(carl, single, "YES", "buy", shares=1_000, price=20)
    taking = {"market_id": first, "token_type": "YES", "action": "buy", "shares": 2_000, "price_bps": 8_000}
    expect(dora.client.post("/market/orders", json=taking, headers={"Idempotency-Key": "dora-takes"}), 201)
    stop_worker(service)
    _bet(carl.client, single, "YES", 60_000)


def _be_decided(service: Service) -> None:
    """Void a pool at a moment, and leave others decided, in their dispute windows, and half paid."""
    ann, creator = service.user(balance_kopecks=100_000), service.creator.client
    usual = pool(["A", "B"], b=10_000)
    past, decided, half_paid = (
        service.event(pools=[one])["pools"][0] for one in (usual, disputable(["A", "B"], b=10_000), usual)
    )
    moments = []
    for one in (past, decided, half_paid):
        for number in range(4):
            service.clock.advance(10_000)
            _bet(ann.client, one["markets"][number % 2]["id"], ("YES", "NO")[number // 2], 900 + number)
            moments.append(service.clock())
    expect(add_liquidity(creator, past["id"], 20_000), 200)
    _bet(ann.client, past["markets"][0]["id"], "YES", 1_234)
    expect(service.admin.post(f"/pools/{past['id']}/resolve", json={"void": True, "at": iso(moments[1])}), 200)
    expect(creator.post(f"/pools/{decided['id']}/resolve", json={"won_side": 0}), 200)
    objection = {"verdict": 1, "reason": "B came first.", "proposal": {"won_side": 1}}
    expect(ann.client.post(f"/pools/{decided['id']}/objections", json=objection), 201)
    stop_payments(service)
    service.server.run(_pay_one_piece(service, half_paid["id"]))


async def _pay_one_piece(service: Service, pool_id: int) -> None:
    def work(tx: WriteTx) -> None:
        assert settlement.decide(tx, pool_id, ResolveBody(payouts=[0.25, 0.75]))
        row = load_pools(tx, [pool_id])[pool_id]
        assert payouts.pay_piece(tx, row, payouts.PaymentProgress(), size=2).next is not None

    await service.app.db.write(work)


def _bet(client: httpx.Client, market_id: int, side: str, stake_kopecks: int, *, key: str = "") -> None:
    body = {"market_id": market_id, "token_type": side, "amount_kopecks": stake_kopecks}
    expect(client.post("/market/bets", json=body, headers={"Idempotency-Key": key} if key else {}), 201)


def _sell(client: httpx.Client, market_id: int, side: str, shares: int | None, *, key: str = "") -> None:
    body: dict[str, Any] = {"market_id": market_id, "token_type": side, "shares": shares}
    expect(client.post("/market/positions/sell", json=body, headers={"Idempotency-Key": key} if key else {}), 201)
