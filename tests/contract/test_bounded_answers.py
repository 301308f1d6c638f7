"""Answers have a bound: pages of events end early; several pools at once come in any order."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool

EARLY = "decisions: a page of events ends early (`has_more`) once it shows 2,000 markets."


def event(service: Service, tag: str, *markets_of_pools: int) -> int:
    pools = [pool([str(number) for number in range(markets)]) for markets in markets_of_pools]
    return int(service.event(publish=False, tags=[tag], pools=pools)["id"])


def pages(creator: Person, **query: Any) -> list[list[tuple[int, int]]]:
    """Return each event of each page, and how many markets it shows there."""
    found: list[list[tuple[int, int]]] = []
    cursor: dict[str, str] = {}
    while True:
        params = {"status": "new", "limit": 100, **query, **cursor}
        page = expect(creator.client.get("/events", params=params), 200)
        assert page["has_more"] == (page["next_cursor"] is not None)
        found.append([(one["id"], sum(len(each["markets"]) for each in one["pools"])) for one in page["events"]])
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["next_cursor"]}


@proves(EARLY)
def test_a_page_of_events_ends_early_once_it_shows_2000_markets(service: Service) -> None:
    tag = uuid.uuid4().hex
    most = [100] * 10
    ids = [event(service, tag, *pools) for pools in (most, [1] * 50, most, most, [50] * 2, [2], most)]
    for sort in ("new", "volume", "closing"):
        found = pages(service.creator, tag=tag, sort=sort)

        assert [each for each, _ in itertools.chain(*found)] == ids[::-1]
        for page, following in itertools.pairwise(found):
            shown = sum(markets for _, markets in page)
            # Not a market too many, and no earlier than need be.
            assert shown <= 2_000 < shown + following[0][1]
        assert len(found) == 3
        # The limit counts as ever.
        assert list(map(len, pages(service.creator, tag=tag, sort=sort, limit=1))) == [1] * len(ids)


@proves(EARLY)
@ONCE
def test_exactly_2000_markets_are_one_page(service: Service) -> None:
    tag = uuid.uuid4().hex
    for _ in range(2):
        event(service, tag, *[100] * 10)
    assert list(map(len, pages(service.creator, tag=tag))) == [2]
    event(service, tag, 2)
    assert list(map(len, pages(service.creator, tag=tag))) == [2, 1]


@proves(EARLY)
@ONCE
def test_an_event_of_before_the_bound_is_a_page_of_its_own(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = uuid.uuid4().hex
    before = event(service, tag, 2)
    with monkeypatch.context() as patch:
        # As earlier releases made them.
        patch.setattr("foreknow.market.events.drafts.EVENT_MARKETS_MAX", 10_000)
        large = [event(service, tag, *[100] * 22) for _ in range(2)]
    after = event(service, tag, 2)

    assert pages(service.creator, tag=tag) == [[(after, 2)], [(large[1], 2_200)], [(large[0], 2_200)], [(before, 2)]]
    shown = expect(service.creator.client.get(f"/events/{large[0]}"), 200)
    assert sum(len(each["markets"]) for each in shown["pools"]) == 2_200
    expect(service.creator.client.post(f"/events/{large[0]}/publish"), 200)


@proves("decisions: Pools batch: answers in the order asked, duplicates once, unknown ids left out")
def test_pools_at_once_come_in_the_order_of_the_request(service: Service) -> None:
    first, second = (service.event(pools=[pool(["Ä", "B"]), pool()]) for _ in range(2))
    secret = service.event(publish=False)["pools"][0]["id"]
    public = {each["id"]: each for each in (*first["pools"], *second["pools"])}
    client = service.client()

    def ask(ids: list[int]) -> list[Any]:
        return list(expect(client.get("/pools/batch", params={"ids": ",".join(map(str, ids))}), 200))

    for order in itertools.permutations([*public, secret]):
        assert ask([*order, order[0]]) == [public[pool_id] for pool_id in order if pool_id in public]
    assert ask([secret]) == []
