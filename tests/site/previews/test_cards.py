"""GET /images/cards/{event_id}.png: the picture of an event that link previews show."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import DAY_MS
from foreknow.site.previews import service as previews
from foreknow.site.previews.content import PreviewContent
from foreknow.site.previews.drawing import HEIGHT, WIDTH, draw
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.pictures import near, opened
from tests.support.service import Service, expect, pool, refused

pytestmark = ON_SQLITE

YES, NO, SECOND_OUTCOME, PAPER = (0, 0x60, 0x6C), (0x8A, 0x46, 0), (0x7A, 0x3E, 0x8E), (0xF5, 0xF7, 0xF4)


def fetch(service: Service, event_id: object, method: str = "GET", query: str = "", **headers: str) -> httpx.Response:
    url = f"{service.url}/images/cards/{event_id}.png{query}"
    return httpx.request(method, url, headers=headers, trust_env=False, verify=NO_TLS, timeout=60)


def together(service: Service, event_ids: list[int]) -> list[httpx.Response]:
    with ThreadPoolExecutor(len(event_ids)) as threads:
        return list(threads.map(lambda event_id: fetch(service, event_id), event_ids))


def colours(answer: httpx.Response) -> set[tuple[int, int, int]]:
    """Return the colours of a picture that fill more than anti-aliased rims of letters do."""
    picture = opened(answer.content)
    assert (picture.format, picture.size) == ("PNG", (WIDTH, HEIGHT))
    found = picture.convert("RGB").getcolors(maxcolors=2**24)
    assert found is not None
    return {colour for count, colour in found if count > 300}  # type: ignore[misc] # RGB


def counted(monkeypatch: pytest.MonkeyPatch) -> list[PreviewContent]:
    """Return a list that grows with each picture drawn from now on."""
    drawn: list[PreviewContent] = []

    def draw_and_count(content: PreviewContent) -> bytes:
        drawn.append(content)
        return draw(content)

    monkeypatch.setattr(previews, "draw", draw_and_count)
    return drawn


def bet(service: Service, market: dict[str, Any], kopecks: int) -> None:
    trader = service.user(balance_kopecks=kopecks)
    order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": kopecks}
    expect(trader.client.post("/market/bets", json=order), 201)


def test_the_picture_of_an_event_is_a_png_of_the_size_that_previews_want(service: Service) -> None:
    event_id = service.event(name="Will it rain?", name_ru="Пойдёт ли дождь?")["id"]
    answer = fetch(service, event_id)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert {PAPER, YES} <= colours(answer)
    assert opened(answer.content).getpixel((5, 5)) == PAPER

    head = fetch(service, event_id, "HEAD")
    assert (head.content, head.headers["content-length"]) == (b"", str(len(answer.content)))
    for known in (answer.headers["etag"], f'"x", W/{answer.headers["etag"]}'):
        again = fetch(service, event_id, **{"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
    russian = fetch(service, event_id, query="?lang=ru")
    assert russian.headers["etag"] != answer.headers["etag"]
    assert russian.content != answer.content


def test_it_follows_the_price_within_a_minute(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[pool(["Reds", "Blues"], b=10_000)])
    event_id, markets = event["id"], event["pools"][0]["markets"]
    first = fetch(service, event_id)
    assert SECOND_OUTCOME not in colours(first)
    bet(service, markets[1], 10_000)

    assert fetch(service, event_id).headers["etag"] == first.headers["etag"], "kept for a while"
    service.clock.advance(previews.TRUST_MS)
    second = fetch(service, event_id)
    assert SECOND_OUTCOME in colours(second)
    assert second.headers["etag"] != first.headers["etag"]


def test_without_a_change_it_is_looked_at_again_and_not_drawn(
    moving_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = moving_service
    event_id = service.event()["id"]
    service.clock.advance(30 * DAY_MS)
    first = fetch(service, event_id)
    drawn = counted(monkeypatch)
    service.clock.advance(previews.TRUST_MS)
    second = fetch(service, event_id)
    assert second.headers["etag"] == first.headers["etag"]
    assert second.content == first.content
    assert drawn == []


@pytest.mark.parametrize(("won_side", "colour"), [(0, YES), (1, NO)])
def test_a_resolved_question_shows_its_result(
    moving_service: Service, won_side: int, colour: tuple[int, int, int]
) -> None:
    service = moving_service
    event = service.event()
    before = fetch(service, event["id"])
    body = {"won_side": won_side}
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=body), 200)
    service.clock.advance(previews.TRUST_MS)
    after = fetch(service, event["id"])
    assert after.headers["etag"] != before.headers["etag"]
    assert colour in colours(after)


def test_only_public_events_have_one(service: Service) -> None:
    secret = service.event(publish=False)["id"]
    refused(fetch(service, secret), 404, "event_not_found")
    refused(fetch(service, secret, Authorization=f"Bearer {service.creator.token}"), 404, "event_not_found")
    refused(fetch(service, 999_999_999), 404, "event_not_found")
    expect(service.creator.client.post(f"/events/{secret}/publish"), 200)
    assert fetch(service, secret).status_code == 200
    expect(service.creator.client.post(f"/events/{secret}/cancel"), 200)
    assert fetch(service, secret).status_code == 200


def test_other_addresses_and_methods_are_refused(service: Service) -> None:
    event_id = service.event()["id"]
    for name in ("x", "0", "-1", "01", f"{event_id}.jpg", "", "9" * 30, f"{event_id}/1"):
        refused(fetch(service, name), 404, "not_found")
    answer = fetch(service, event_id, "POST")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"
    for query in ("?lang=de", "?lang=", "?lang=en&lang=en", "?lang=%ff"):
        refused(fetch(service, event_id, query=query), 400, "bad_request")
    assert fetch(service, event_id, query="?utm_source=x").status_code == 200


def test_any_name_and_any_number_of_outcomes_are_drawn(service: Service) -> None:
    ones: list[dict[str, Any]] = [
        {"name": "Щ" * 200, "pools": [pool([f"Исход {number} " + "Ж" * 180 for number in range(100)])]},
        {"name": "🚀" * 200, "pools": [pool(["🚀", "漢字"])]},
        {"name": "مرحبا بالعالم", "name_ru": "a b " * 50},
        {"name": "i" * 200, "pools": [pool(["A", "B"]) | {"name": "x"}]},
    ]
    for fields in ones:
        event_id = service.event(**fields)["id"]
        for language in ("en", "ru"):
            assert PAPER in colours(fetch(service, event_id, query=f"?lang={language}"))


def test_a_site_of_ones_own_has_its_own_name_in_pictures(start_service: Callable[..., Service]) -> None:
    # The last ones: too long for the space, and in letters that the font has not.
    services = [start_service(site_name=name) for name in ("Foreknow", "Прогнозы", "W" * 60, "漢字")]
    event_id = services[0].event(name="漢字")["id"]
    answers = [fetch(service, event_id) for service in services]
    pictures = [opened(answer.content) for answer in answers]

    assert len({answer.headers["etag"] for answer in answers}) == len(services)
    # Where the name stands, and the end of its space, before the state.
    assert len({picture.crop((124, 40, 540, 90)).tobytes() for picture in pictures}) == len(services)
    assert len({picture.crop((560, 40, WIDTH, 90)).tobytes() for picture in pictures}) == 1
    # The question, which no font spells: "A question on …".
    assert len({picture.crop((64, 112, 1136, 330)).tobytes() for picture in pictures}) == len(services)


def test_russian_names_of_outcomes_are_taken_as_they_come(service: Service) -> None:
    pictures = set()
    for russian in (["Красные", "Синие"], ["Красные"], "Красные", [1, None], {"a": "b"}):
        described = pool(["Reds", "Blues"])
        described["metadata"]["market_names_ru"] = russian
        event_id = service.event(name="Who wins?", pools=[described])["id"]
        pictures.add(fetch(service, event_id, query="?lang=ru").headers["etag"])
    assert len(pictures) == 2


def test_many_requests_for_one_picture_draw_it_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    event_id = service.event()["id"]
    drawn = counted(monkeypatch)
    answers = together(service, [event_id] * 20)
    assert {answer.status_code for answer in answers} == {200}
    assert len(drawn) == 1


def test_a_stranger_who_wants_very_many_gets_a_few_at_a_time(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "WAITING_PER_ADDRESS", 2)
    event_ids = [service.event()["id"] for _ in range(12)]
    answers = together(service, event_ids)
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) >= 2
    for answer in answers:
        if answer.status_code == 429:
            refused(answer, 429, "rate_limited")
            assert int(answer.headers["retry-after"]) >= 1
    # Afterwards everything is as before.
    assert fetch(service, event_ids[-1]).status_code == 200


def test_old_pictures_make_way_for_new_ones(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = service.app.services.previews._kept
    monkeypatch.setattr(kept, "_size_max", 100_000)
    for _ in range(6):
        assert fetch(service, service.event()["id"]).status_code == 200
    assert 0 < kept.size <= 100_000


def test_the_line_stands_where_the_price_does(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[pool(b=10_000)])
    picture = opened(fetch(service, event["id"]).content)
    # The chart's middle height: 0.5.
    assert near(picture.getpixel((700, 455)), YES, most=60)
    bet(service, event["pools"][0]["markets"][0], 20_000)
    service.clock.advance(DAY_MS)
    picture = opened(fetch(service, event["id"]).content)
    assert not near(picture.getpixel((1000, 455)), YES, most=60)
