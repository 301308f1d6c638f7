"""Interface, section 6 and "Trade feed item"; decisions, "`/ws/trades`"."""

from __future__ import annotations

from typing import Any

from tests.site.feed.listening import listening
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool

ITEM = (
    "interface: amount (integer, kopecks), name (string, trader display name), token (string, YES or NO), event "
    "(string, event title), market (string, market name), avatar (string, URL)."
)


@proves(
    ITEM,
    "interface: 1. On connection the server sends one message: type is initial, trades is an array of recent trade "
    "feed items.",
    "interface: 2. For every new trade on any market the server sends one message: type is trade, trade is one trade "
    "feed item.",
    "decisions: `/ws/trades`: the messages of the interface, exactly",
    "decisions: buys and sales of users and sub-accounts alike, `amount` in kopecks paid or received, `name` the "
    "user's name",
)
def test_everyone_watches_every_trade(service: Service) -> None:
    event = service.event(name="The derby", pools=[pool(["Reds", "Blues"])])
    market = event["pools"][0]["markets"][1]["id"]
    avatar = "https://example.org/a.png"
    person = service.user(balance_kopecks=1_000, name="Ann")
    expect(person.client.patch("/users/me", json={"avatar_url": avatar}), 200)
    partner = service.partner(float_kopecks=500)
    with listening(service) as feed:
        first = feed.message()
        assert first.keys() == {"type", "trades"}
        assert first["type"] == "initial"
        assert len(first["trades"]) <= 50
        order = {"market_id": market, "token_type": "NO", "amount_kopecks": 700}
        expect(person.client.post("/market/bets", json=order), 201)
        sale = {"market_id": market, "token_type": "NO"}
        paid = expect(person.client.post("/market/positions/sell", json=sale), 201)["payout_kopecks"]
        bet = {"external_user_id": "a", "market_id": market, "side": "yes", "stake_kopecks": 500}
        expect(partner.client.post("/partner/bets", json=bet), 201)
        sent = feed.messages(3)

    def item(amount: int, name: str, token: str, picture: str) -> dict[str, Any]:
        titles = {"event": "The derby", "market": "Blues"}
        trade = {"amount": amount, "name": name, "token": token, **titles, "avatar": picture}
        return {"type": "trade", "trade": trade}

    assert sent == [
        item(700, "Ann", "NO", avatar),
        item(paid, "Ann", "NO", avatar),
        item(500, partner.name, "YES", ""),
    ]
    with listening(service) as feed:
        assert feed.message()["trades"][-3:] == [message["trade"] for message in sent]


@proves(
    'decisions: a hidden profile shows `nickname` and `avatar_url` as "" and its name as "Hidden trader", in comments '
    "and in the trade feed alike (its `initial` too, once hidden)",
)
@ONCE
def test_a_hidden_trader_has_neither_name_nor_picture(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000, name="Ann")
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 123}
    with listening(service) as feed:
        feed.message()
        expect(person.client.post("/market/bets", json=order), 201)
        assert feed.message()["trade"]["name"] == "Ann"
    change = {"profile_hidden": True, "avatar_url": "https://example.org/a.png"}
    expect(person.client.patch("/users/me", json=change), 200)
    with listening(service) as feed:
        last = feed.message()["trades"][-1]
        expect(person.client.post("/market/bets", json=order), 201)
        trade = feed.message()["trade"]

    for shown in (last, trade):
        assert (shown["amount"], shown["name"], shown["avatar"]) == (123, "Hidden trader", "")


@proves(
    "decisions: `?seq=1` adds to every message `seq`, growing, the same from every server, and `prev`, the seq of the "
    "trade before it (0 for none); `initial` carries only the `seq` of its last trade (0): whoever sees another `prev` "
    "than the last `seq` has missed something.",
    "decisions: One message a trade, in one order, the same from every server, that agrees with each market's prices "
    "and with real time",
)
def test_with_seq_every_message_names_the_one_before(fresh_service: Service) -> None:
    service = fresh_service
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10_000)
    with listening(service, "?seq=1") as feed, listening(service) as plain:
        assert feed.message() == {"type": "initial", "trades": [], "seq": 0}
        assert plain.message() == {"type": "initial", "trades": []}
        last = 0
        for stake in range(100, 120):
            order = {"market_id": market, "token_type": "YES", "amount_kopecks": stake}
            expect(person.client.post("/market/bets", json=order), 201)
        for stake in range(100, 120):
            message = feed.message()
            assert message.keys() == {"type", "trade", "seq", "prev"}
            assert message["trade"]["amount"] == stake
            assert message["prev"] == last < message["seq"]
            assert plain.message() == {"type": "trade", "trade": message["trade"]}
            last = message["seq"]
    with listening(service, "?seq=1") as feed:
        initial = feed.message()
        assert initial.keys() == {"type", "trades", "seq"}
        assert initial["seq"] == last
        assert [trade["amount"] for trade in initial["trades"]] == list(range(100, 120))
