"""The house's own trader is paid like any other, and its money goes back to the house with the rest of escrow."""

from __future__ import annotations

from foreknow.market.pools.store import load_pools
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.effects import payouts
from foreknow.trading.settlement import service as settlement
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.books import audit_database
from tests.support.following import Follower, following
from tests.support.kinds import ONCE
from tests.support.odds import polymarket_group
from tests.support.proofs import proves
from tests.support.service import expect
from tests.support.waiting import wait_until
from tests.trading.settlement.windows import state, stop_payments

EMPTY = "SELECT SUM(a.balance_kopecks) FROM accounts a JOIN users u ON u.account_id = a.id WHERE u.nickname_key = :key"


@proves(
    "lifecycle: `foreknow audit` is clean at every moment.",
)
def test_the_books_are_right_while_it_is_paid_and_it_keeps_nothing(database_url: str) -> None:
    with following(database_url) as follower:
        event = follower.event({"Reds": "0.6", "Blues": "0.4"})
        pool_id = event["pools"][0]["id"]
        follower.bet(event)
        assert follower.round(event)
        stop_payments(follower.service)
        follower.service.server.run(follower.service.app.db.write(lambda tx: pay_all_but_the_rest(tx, pool_id)))
        assert held(follower) > 0
        audit_database(database_url)
        follower.service.restart()
        wait_until(lambda: state(follower.service, pool_id) == "paid")
        assert held(follower) == 0
        audit_database(database_url)


@ONCE
def test_the_result_of_a_pool_counts_what_its_trader_earned(database_url: str) -> None:
    """After a change of the pool's prior, too, which returned a part of what the house had paid in."""
    with following(database_url) as follower:
        event = follower.event({"Reds": "0.9", "Blues": "0.1"})
        assert follower.round(event)
        follower.answer(event, polymarket_group(Reds="0.7", Blues="0.3"))
        assert follower.round(event)
        assert follower.sum("SELECT COUNT(*) FROM transfers WHERE kind = 'return'") == 1
        follower.bet(event, 3_000)
        follower.answer(event, polymarket_group(Reds="0.8", Blues="0.2"))
        assert follower.round(event)
        assert follower.spent(event) > 0
        path = f"/pools/{event['pools'][0]['id']}/resolve"
        expect(follower.service.admin.post(path, json={"won_side": 0}), 200)
        page = expect(follower.service.admin.get(f"/events/{event['id']}/page"), 200)
        viewer = follower.service.user(stats_viewer=True).client
        total = expect(viewer.get("/admin/stats"), 200)["total"]
        assert page["pools"][0]["house"]["result_kopecks"] == total["house_result_kopecks"] < 0


def held(follower: Follower) -> int:
    """Return what the trader's account holds, kopecks."""
    return follower.sum(EMPTY, key="house account")


def pay_all_but_the_rest(tx: WriteTx, pool_id: int) -> None:
    """Let the source's favourite win, and pay every position in one piece."""
    assert settlement.decide(tx, pool_id, ResolveBody(won_side=0))
    piece = payouts.pay_piece(tx, load_pools(tx, [pool_id])[pool_id], payouts.PaymentProgress(), size=100)
    assert piece.positions > 0
    assert piece.next is None
