"""GET /tags: how many active events each tag has."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from foreknow.kernel.clock import DAY_MS, iso
from tests.site.cards.glance import shown
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool


@proves(
    "client: | 2 | GET /tags (None) | `{tags: [{tag, active}]}`, the 100 with most active events, kept as counters |"
)
def test_tags_count_events_while_these_are_active(start_service: Callable[..., Service]) -> None:
    service = start_service()
    creator = service.creator.client

    def wait_for(*tags: tuple[str, int]) -> None:
        wanted = [{"tag": tag, "active": active} for tag, active in tags]
        shown(service.client(), "/tags", lambda body: body == {"tags": wanted})

    wait_for()
    draft = service.event(tags=["cup", "draft"], publish=False)
    first = service.event(tags=["cup", "a"])
    second = service.event(tags=["cup", "b", "b"])
    third = service.event(tags=["b"], pools=[pool(finish_at=iso(service.clock() + DAY_MS))])
    wait_for(("cup", 2), ("b", 2), ("a", 1))
    expect(creator.post(f"/events/{draft['id']}/publish"), 200)
    wait_for(("cup", 3), ("b", 2), ("draft", 1), ("a", 1))
    expect(creator.post(f"/pools/{first['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    wait_for(("cup", 2), ("b", 2), ("draft", 1))
    expect(creator.post(f"/events/{second['id']}/cancel"), 200)
    wait_for(("draft", 1), ("cup", 1), ("b", 1))
    # It closes by the time alone; an end that is moved counts.
    later = {"finish_at": iso(service.clock() + 3 * DAY_MS)}
    expect(creator.patch(f"/pools/{third['pools'][0]['id']}", json=later), 200)
    service.clock.advance(2 * DAY_MS)
    service.restart()
    wait_for(("draft", 1), ("cup", 1), ("b", 1))
    service.clock.advance(2 * DAY_MS)
    wait_for(("draft", 1), ("cup", 1))


def test_of_many_tags_a_hundred_are_shown(start_service: Callable[..., Service]) -> None:
    service = start_service()
    names = [secrets.token_hex(4) for _ in range(101)]
    for start in range(0, 101, 50):
        service.event(tags=names[start : start + 50])
    service.event(tags=["most"])
    service.event(tags=["most"])
    tags = shown(service.client(), "/tags", lambda body: [tag["active"] for tag in body["tags"]] == [2] + 99 * [1])[
        "tags"
    ]
    assert tags[0]["tag"] == "most"
    assert {tag["tag"] for tag in tags[1:]} <= set(names)
