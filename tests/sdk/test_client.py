"""The Python client against a running service, as its users use it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from foreknow_client import AsyncClient, Client, endpoints, errors, models
from foreknow_client.credentials import SignIn
from tests.sdk.unreliable import FAIL, LOSE, Proxy
from tests.support.pictures import image
from tests.support.service import Person, Service, pool


@pytest.fixture(scope="module")
def trader(sqlite_service: Service) -> Person:
    return sqlite_service.user(balance_kopecks=1_000_000)


@pytest.fixture(scope="module")
def account(sqlite_service: Service, trader: Person) -> Iterator[Client]:
    """The trader, signed in by e-mail address and password."""
    with Client(sqlite_service.url, login=trader.email, password=trader.password) as client:
        yield client


@pytest.fixture(scope="module")
def key(account: Client) -> str:
    return account.create_my_key(name="bot", scope="trade").key


@pytest.fixture(scope="module")
def bot(sqlite_service: Service, key: str) -> Iterator[Client]:
    """The trader's bot, by its key."""
    with Client(sqlite_service.url, key=key) as client:
        yield client


@pytest.fixture
def event(sqlite_service: Service) -> dict[str, Any]:
    return sqlite_service.event(pools=[pool(margin=0.02)], tags=[f"sdk {secrets.token_hex(4)}"])


@pytest.fixture
def market(event: dict[str, Any]) -> int:
    return int(event["pools"][0]["markets"][0]["id"])


def bets(client: Client, market: int) -> list[models.OwnTrade]:
    return [trade for trade in client.iter_my_trades(limit=2) if trade.market_id == market and trade.action == "buy"]


def test_a_bot_quotes_bets_sells_and_reads_what_it_did_page_by_page(
    bot: Client, event: dict[str, Any], market: int
) -> None:
    quote = bot.quote_order(market_id=market, token_type="YES", amount_kopecks=10_000)
    bet = bot.place_bet(market_id=market, token_type="YES", amount_kopecks=10_000, min_shares=quote.shares)
    sale = bot.sell_shares(market_id=market, token_type="YES", shares=bet.shares // 2)
    bot.place_bet(market_id=market, token_type="NO", amount_kopecks=500)

    assert (bet.shares, bet.fee_kopecks, bet.probability_after) == (
        *(quote.shares, quote.fee_kopecks, quote.probability_after),
    )
    assert sale.created_at >= bet.created_at
    assert bet.created_at.utcoffset() is not None
    changes = [line.change_kopecks for line in bot.iter_my_transactions(limit=1)]
    assert changes[:3] == [-500, sale.payout_kopecks, -10_000]
    assert sum(changes) == bot.get_my_portfolio().balance_kopecks
    mine = [position for position in bot.iter_my_positions(limit=1) if position.market_id == market]
    held = {position.token_type: position.amount for position in mine}
    assert held["YES"] == bet.shares - bet.shares // 2
    (tag,) = event["tags"]
    assert [found.tags for found in bot.iter_events(tag=tag, limit=1)] == [[tag]]


def test_errors_are_classes_by_code_with_what_the_service_said(bot: Client, market: int) -> None:
    with pytest.raises(errors.MarketNotFound) as missing:
        bot.get_market(999_999)
    assert (missing.value.status, missing.value.error) == (404, "market_not_found")
    assert missing.value.request_id
    with pytest.raises(errors.Slippage) as slipped:
        bot.place_bet(market_id=market, token_type="YES", amount_kopecks=1000, max_price_bps=1)
    assert slipped.value.details["shares"] > 0
    with pytest.raises(errors.Forbidden):
        bot.list_my_keys()


@pytest.mark.parametrize("trouble", [[LOSE], [FAIL, 503, 429], [LOSE, LOSE, 502]])
def test_a_bet_whose_answer_is_lost_is_one_bet(
    proxy: Proxy, key: str, bot: Client, market: int, trouble: list[str | int]
) -> None:
    before = len(bets(bot, market))
    with Client(proxy.url, key=key) as client:
        client.get_health()
        proxy.seen.clear()
        proxy.plan.extend(trouble)
        bet = client.place_bet(market_id=market, token_type="YES", amount_kopecks=700)

    assert len(set(proxy.keys("/market/bets"))) == 1
    assert len(proxy.seen) == len(trouble) + 1
    assert len(bets(bot, market)) == before + 1
    assert bets(bot, market)[0].id == bet.id


async def test_many_bets_at_once_over_a_bad_line_are_each_made_once(
    proxy: Proxy, key: str, bot: Client, market: int
) -> None:
    before = len(bets(bot, market))
    async with AsyncClient(proxy.url, key=key) as client:
        await client.get_health()
        proxy.plan.extend([LOSE, 503, FAIL] * 5)
        made = await asyncio.gather(
            *(client.place_bet(market_id=market, token_type="NO", amount_kopecks=100 + number) for number in range(10))
        )
        amounts = [trade.amount_kopecks async for trade in client.iter_my_trades(limit=3)]

    assert sorted(bet.amount_kopecks for bet in made) == list(range(100, 110))
    assert sorted(amounts[:10]) == list(range(100, 110))
    assert len(set(proxy.keys("/market/bets"))) == 10
    assert len(bets(bot, market)) == before + 10


def test_a_change_whose_answer_is_lost_is_not_made_again(proxy: Proxy, account: Client, trader: Person) -> None:
    with Client(proxy.url, login=trader.email, password=trader.password) as client:
        assert client.get_me().id == trader.id
        proxy.plan.append(FAIL)
        with pytest.raises(errors.InternalError):
            client.update_me(name="Ann of the bad line")
    assert account.get_me().name == "Ann of the bad line"
    assert [path for method, path, _ in proxy.seen if method == "PATCH"] == ["/api/v1/users/me"]


def test_a_sign_in_goes_on_when_its_access_token_ends(proxy: Proxy, trader: Person) -> None:
    with Client(proxy.url, login=trader.email, password=trader.password) as client:
        client.get_me()
        credentials = client._session.credentials
        assert isinstance(credentials, SignIn)
        credentials.renewed("ended", {"refresh_token": "ended"})
        assert client.get_me().id == trader.id
        credentials.renewed("ended", {"refresh_token": credentials._refresh_token})
        assert client.get_me().id == trader.id

    assert [path.removeprefix("/api/v1") for _, path, _ in proxy.seen] == [
        *("/health", "/auth/sign-in", "/users/me"),
        *("/users/me", "/auth/refresh", "/auth/sign-in", "/users/me"),
        *("/users/me", "/auth/refresh", "/users/me"),
    ]
    assert all("cookie" not in headers for _, path, headers in proxy.seen if path.endswith("/users/me"))


def test_a_partner_bets_for_its_user_and_reads_its_statement(sqlite_service: Service, market: int) -> None:
    partner = sqlite_service.partner(float_kopecks=50_000)
    with Client(sqlite_service.url, partner_key=partner.key) as client:
        bet = client.place_partner_bet(external_user_id="anna/1", market_id=market, side="yes", stake_kopecks=5_000)
        sale = client.sell_partner_shares(external_user_id="anna/1", market_id=market, side="yes")
        taken = client.withdraw_from_partner_user("anna/1", amount_kopecks=sale.payout_kopecks)
        state = client.get_partner_user("anna/1")
        rows = list(client.iter_statement(limit=1))
        with pytest.raises(errors.InsufficientFloat):
            client.place_partner_bet(external_user_id="anna/1", market_id=market, side="no", stake_kopecks=60_000)
        balance = client.get_partner_balance()

    assert (bet.external_user_id, state.exists, state.balance_kopecks) == ("anna/1", True, 0)
    assert taken.float_balance_kopecks == balance.float_balance_kopecks
    assert sum(row.float_change_kopecks for row in rows) == balance.float_balance_kopecks
    assert [row.type for row in rows] == ["withdrawal", "sale", "bet", "deposit"]


def test_a_creator_makes_runs_and_settles_an_event(sqlite_service: Service) -> None:
    creator = sqlite_service.user(creator=True)
    with Client(sqlite_service.url, key=creator.token) as client:
        outcomes = {"market_names": ["Red", "Blue"], "market_probabilities": [0.7, 0.3], "lmsr_b_kopecks": 50_000}
        made = client.create_event(name="Which?", pools=[models.PoolBody(name="Winner", metadata=outcomes)])
        assert client.set_event_image(made.id, image()).image_url
        event = client.publish_event(made.id)
        pool_id = event.pools[0].id
        assert [each.id for each in client.get_pools(ids=[pool_id, 999_999])] == [pool_id]
        comment = client.create_comment(event_id=event.id, content="Red, surely.")
        for number in range(3):
            client.create_comment(event_id=event.id, content=f"No: {number}", parent_id=comment.id)
        texts = [reply.content for reply in client.iter_replies(comment.id, limit=2)]
        assert client.react_to_comment(comment.id, type="like").user_reaction == "like"
        assert client.react_to_comment(comment.id, type=None).user_reaction is None
        client.delete_comment(comment.id)
        client.resolve_pool(pool_id, won_side=0)
        assert client.get_event(event.id).status == "resolved"
        asked = client.create_event_from_template(models.YesNoTemplate(question="Will it rain?", probability=0.25))

    assert texts == ["No: 0", "No: 1", "No: 2"]
    assert asked.pools[0].markets[0].yes_probability == 0.25


async def test_a_visitor_writes_to_support_and_reads_its_stream(sqlite_service: Service) -> None:
    with Client(sqlite_service.url) as visitor:
        session = visitor.open_chat_session()
        visitor.send_chat_message(text="Hello?")
        assert [message.text for message in visitor.list_chat_messages().messages][-1] == "Hello?"
        assert next(visitor.stream_chat()).data == {"status": session.status}
        assert [message.text for message in visitor.list_chat_messages(after=10**9).messages] == []
    async with AsyncClient(sqlite_service.url) as another:
        with pytest.raises(errors.NotFound):
            await anext(another.stream_chat())


def test_an_order_sent_again_by_a_later_client_says_that_it_moved_nothing_now(
    sqlite_service: Service, proxy: Proxy, key: str, market: int
) -> None:
    order = endpoints.place_bet(market_id=market, token_type="NO", amount_kopecks=130, idempotency_key="of-the-day")
    with Client(proxy.url, key=key) as client:
        client.get_health()
        # Its answer is lost: the one that comes again is this order's own.
        proxy.plan.append(LOSE)
        first = client.send(order)
    with Client(sqlite_service.url, key=key) as client:
        again = client.send(order)

    assert (first.id, first.is_replayed, again.is_replayed) == (again.id, False, True)
