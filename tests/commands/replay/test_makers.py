"""The demo's makers quote both sides of what is open, and renew what they quoted."""

from __future__ import annotations

from foreknow.commands.demo.traders import QUOTED_LOTS, quote
from foreknow.commands.replay.accounts import ReplayUser
from foreknow.commands.replay.client import ApiClient
from tests.support.orders import open_market
from tests.support.service import PASSWORD, Service


async def test_a_maker_quotes_both_sides_and_renews_its_bids(sqlite_service: Service) -> None:
    (market,) = open_market(sqlite_service, probabilities=[0.5])
    person = sqlite_service.user(balance_kopecks=1_000_000)
    async with ApiClient(sqlite_service.url) as client:
        account = ReplayUser(client, person.nickname, person.email, PASSWORD)
        # The second time it finds its own bids there.
        for nearest in (3, 2):
            await quote(account, market, 50, nearest=nearest)

        found = (await account.call("GET", "/market/orders", query={"status": "open"}))["orders"]

    # Two percent below the price of each side, and twice two more.
    bids = {(one["token_type"], one["price_bps"] // 100, one["shares"] // 100) for one in found}
    assert bids == {(side, 48 - 2 * step, lots) for side in ("YES", "NO") for step, lots in enumerate(QUOTED_LOTS)}
