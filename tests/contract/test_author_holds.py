"""What the author of a comment held when they wrote it, beside their name."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool

HOLDS = (
    "administration: **What its author held.** Comment + `holds: {market_id, token_type, shares}`: of the event's main "
    "pool their position of the largest `value_kopecks` when they wrote it (then the lower market id, then YES);"
)
NULL = (
    "administration: null under 1 kopeck, of comments before this, while the comment is hidden or deleted, its "
    "author's profile hidden or they deleted, or their `show_holds` (own view, PATCH /users/me; true) is off, then or "
    "now."
)
PUBLIC = "administration: It hides the line alone: the lists of holders and trades stay public."


def write(author: Person, event: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": "Well."} | more
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def buy(person: Person, market_id: int, side: str, stake_kopecks: int) -> int:
    """Return how many shares a bet brought."""
    shares: int = expect(bet(person, market_id, side, stake_kopecks), 201)["shares"]
    return shares


def holds(client: httpx.Client, comment: dict[str, Any]) -> Any:
    """Return what a comment shows of its author's position, alone and in its list alike."""
    alone = expect(client.get(f"/comments/{comment['id']}"), 200)["comment"]
    listed = expect(client.get(f"/events/{comment['event_id']}/comments"), 200)["comments"]
    assert next(one for one in listed if one["id"] == comment["id"]) == alone
    return alone["holds"]


def switch(person: Person, **fields: bool) -> None:
    assert expect(person.client.patch("/users/me", json=fields), 200).items() >= fields.items()


@proves(HOLDS, NULL)
def test_a_comment_shows_the_position_of_the_largest_value_when_it_was_written(service: Service) -> None:
    names = ["Reds", "Blues", "Greens"]
    event = service.event(pools=[pool(["Yes", "No"]), pool(names)], main_pool_index=1)
    other, main = event["pools"]
    reds, blues, _ = (market["id"] for market in main["markets"])
    ann = service.user(balance_kopecks=100_000)
    before = write(ann, event)
    assert before["holds"] is None

    # Positions in other pools do not count, however large.
    buy(ann, other["markets"][0]["id"], "YES", 50_000)
    assert write(ann, event)["holds"] is None
    small = buy(ann, reds, "YES", 1_000)
    first = write(ann, event)
    assert first["holds"] == {"market_id": reds, "token_type": "YES", "shares": small}
    large = buy(ann, blues, "NO", 5_000)
    second = write(ann, event, parent_id=first["id"])
    assert second["holds"] == {"market_id": blues, "token_type": "NO", "shares": large}

    # What they do later changes nothing of it.
    expect(sell(ann, blues, "NO"), 201)
    assert holds(service.client(), first) == first["holds"]
    assert expect(ann.client.get(f"/comments/{second['id']}"), 200)["comment"]["holds"] == second["holds"]
    assert holds(service.client(), before) is None


@proves(HOLDS)
def test_of_equal_values_the_lower_market_counts_then_yes(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C"])])
    lower, upper, _ = (market["id"] for market in event["pools"][0]["markets"])
    # Values are whole kopecks: prices that differ a little make equal ones.
    ann = service.user(balance_kopecks=10_000)
    for market_id in (upper, lower):
        hold(ann, market_id, "YES", 5)
    assert write(ann, event)["holds"]["market_id"] == lower

    even = service.event(pools=[pool(["A"], probabilities=[0.5])])
    (only,) = (market["id"] for market in even["pools"][0]["markets"])
    bob = service.user(balance_kopecks=10_000)
    for side in ("NO", "YES"):
        hold(bob, only, side, 5)
    assert write(bob, even)["holds"]["token_type"] == "YES"


def hold(person: Person, market_id: int, side: str, shares: int) -> None:
    """Hold some shares of a side, no more."""
    expect(sell(person, market_id, side, buy(person, market_id, side, 10) - shares), 201)


@proves(NULL)
def test_it_is_not_shown_of_what_is_hidden_or_deleted(service: Service) -> None:
    event, ann = service.event(), service.user(balance_kopecks=10_000)
    operator = service.user(operator=True)
    buy(ann, event["pools"][0]["markets"][0]["id"], "YES", 1_000)
    said, gone = write(ann, event), write(ann, event)
    shown = said["holds"]
    assert shown is not None
    for is_hidden in (True, False):
        expect(operator.client.put(f"/admin/comments/{said['id']}/hidden", json={"hidden": is_hidden}), 200)
        for reader in (service.client(), ann.client, operator.client):
            assert holds(reader, said) == (None if is_hidden else shown)
    for is_hidden in (True, False):
        switch(ann, profile_hidden=is_hidden)
        assert holds(ann.client, said) == (None if is_hidden else shown)
    expect(ann.client.delete(f"/comments/{gone['id']}"), 200)
    assert holds(ann.client, gone) is None
    expect(service.admin.post(f"/admin/users/{ann.id}/delete"), 200)
    assert holds(service.client(), said) is None


@proves(NULL, PUBLIC)
def test_who_does_not_show_it_hides_it_then_and_now(service: Service) -> None:
    event, ann = service.event(), service.user(balance_kopecks=10_000)
    market_id = event["pools"][0]["markets"][0]["id"]
    shares = buy(ann, market_id, "YES", 1_000)
    assert expect(ann.client.get("/users/me"), 200)["show_holds"] is True
    said = write(ann, event)
    switch(ann, show_holds=False)
    silent = write(ann, event)
    assert (holds(service.client(), said), holds(service.client(), silent)) == (None, None)
    trades = expect(service.client().get(f"/users/{ann.id}/trades"), 200)["trades"]
    assert [(trade["market_id"], trade["shares"]) for trade in trades] == [(market_id, shares)]
    switch(ann, show_holds=True)
    assert holds(service.client(), said) == said["holds"] is not None
    assert holds(service.client(), silent) is None
