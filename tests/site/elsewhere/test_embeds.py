"""/embed/events/{id}: a card of an event, whole without scripts, which any page may show."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import httpx
import pytest

from foreknow.kernel.clock import HOUR_MS, iso
from foreknow.site.previews.texts import WORDS, moment
from tests.support.disputes import asked, read_time, resolve
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE, ONCE
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

EMBED = (
    "site: - `/embed/events/{id}` `?theme=light|dark&lang=`: one live card, ≤ 60 kB in all, for iframes elsewhere "
    "(`frame-ancestors *` there alone; no cookies, no orders)."
)
BYTES_MAX = 60_000


def ask(service: Service, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    return httpx.request(method, service.url + path, headers=headers, trust_env=False, verify=NO_TLS, timeout=60)


def text(answer: httpx.Response) -> str:
    """Return what the card says."""
    (main,) = re.findall(r"<main>(.*?)</main>", answer.text)
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))).strip()


@proves(EMBED)
def test_a_card_says_what_is_likely_now(service: Service) -> None:
    event = service.event(name="Is <b> & “c” likely?", name_ru="Вероятно?", pools=[pool(probabilities=[0.62])])
    path = f"/embed/events/{event['id']}"
    answer = ask(service, path)
    assert (answer.status_code, text(answer)) == (200, "Is <b> & “c” likely? Yes 62% live Open Foreknow")
    assert len(answer.content) < BYTES_MAX
    assert "set-cookie" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors *")
    assert "default-src 'none'" in policy
    # All that it loads is itself: again, and again.
    assert re.findall(r"(?:src|href)=\"([^\"]*)\"", answer.text) == [f"/events/{event['id']}"] * 2
    assert text(ask(service, f"{path}?lang=ru")) == "Вероятно? Да 62 % обновляется Открыт Foreknow"
    trader = service.user(balance_kopecks=1_000_000)
    expect(bet(trader, event["pools"][0]["markets"][0]["id"], "YES", 100_000), 201)
    assert "Yes 62%" not in text(ask(service, path))


@proves(EMBED)
@ONCE
def test_a_card_lists_the_leading_outcomes_and_then_the_winner(service: Service) -> None:
    names = [f"Team {letter}" for letter in "ABCDEF"]
    event = service.event(name="Who wins?", pools=[pool(names, probabilities=[0.1, 0.3, 0.2, 0.15, 0.15, 0.1])])
    path = f"/embed/events/{event['id']}"
    shown = "Who wins? Team B 30% Team C 20% Team D 15% and 3 more live Open Foreknow"
    assert text(ask(service, path)) == shown
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 4}), 200)
    assert text(ask(service, path)).startswith("Who wins? Team E won Team")
    assert "Resolved" in text(ask(service, path))
    yes_no = service.event(name="Will it?")
    expect(service.creator.client.post(f"/pools/{yes_no['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
    assert text(ask(service, f"/embed/events/{yes_no['id']}")) == "Will it? No won Resolved Foreknow"


@proves(EMBED)
@ONCE
def test_a_card_of_a_number_shows_its_median_and_its_ranges(service: Service) -> None:
    made = pool() | {"name": "How many?"}
    made["metadata"] |= {"shape": {"kind": "number", "edges": [0, 1000, 20_000], "unit": "t"}}
    event = service.event(name="How many?", pools=[made])
    path = f"/embed/events/{event['id']}"
    shown = "How many? 1,000 t median 80% from under 0 to over 20,000 t live Open Foreknow"
    assert text(ask(service, path)) == shown
    assert ask(service, path).text.count("<rect") == 4
    assert "1 000 t медиана" in text(ask(service, f"{path}?lang=ru"))
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)
    assert "won" in text(ask(service, path))
    assert "median" not in text(ask(service, path))


@ONCE
def test_a_card_of_a_number_below_0_has_a_minus(service: Service) -> None:
    made = pool()
    made["metadata"] |= {"shape": {"kind": "number", "edges": [-20, -5.5, 0], "unit": "°C"}}
    event = service.event(name="How cold?", pools=[made])
    shown = "How cold? −5.5 °C median 80% from under −20 to over 0 °C live Open Foreknow"
    assert text(ask(service, f"/embed/events/{event['id']}")) == shown


@ONCE
@pytest.mark.parametrize(
    ("weights", "shown", "in_russian"),
    [
        ([0.05, 0.45, 0.45, 0.05], "10 t median 80% between 1.11 and 18.9 t", "80 % между 1,11 и 18,9 t"),
        ([0.3, 0.3, 0.35, 0.05], "6.67 t median 90% under 18.6 t", "90 % меньше 18,6 t"),
        ([0.05, 0.1, 0.25, 0.6], "over 20 t median 90% over 5 t", "90 % больше 5 t"),
    ],
)
def test_a_card_says_of_an_open_range_no_more_than_its_end(
    service: Service, weights: list[float], shown: str, in_russian: str
) -> None:
    made = pool(probabilities=weights)
    made["metadata"] |= {"shape": {"kind": "number", "edges": [0, 10, 20], "unit": "t"}}
    path = f"/embed/events/{service.event(name='How many?', pools=[made])['id']}"
    assert text(ask(service, path)) == f"How many? {shown} live Open Foreknow"
    assert in_russian in text(ask(service, f"{path}?lang=ru"))


@ONCE
def test_a_card_says_of_a_date_when_at_the_earliest(service: Service) -> None:
    made = pool(probabilities=[0.02, 0.03, 0.95])
    made["metadata"] |= {"shape": {"kind": "date", "edges": ["2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"]}}
    event = service.event(name="When?", pools=[made])
    shown = "When? after 1 Jan 2031 median 90% after 1 Jan 2031 live Open Foreknow"
    assert text(ask(service, f"/embed/events/{event['id']}")) == shown


@ONCE
def test_a_card_says_how_trading_ended(fresh_service: Service) -> None:
    service = fresh_service
    closed = service.event(name="Cup?", pools=[pool(finish_at=iso(service.clock() + HOUR_MS))])
    cancelled = service.event(name="Match?")
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    assert "Cancelled" in text(ask(service, f"/embed/events/{cancelled['id']}"))
    service.clock.advance(2 * HOUR_MS)
    assert "Awaiting the result" in text(ask(service, f"/embed/events/{closed['id']}"))
    service.sign_out_shared()
    decided = asked(service)
    until_ms = read_time(resolve(service.admin, decided["id"], won_side=0)["disputable_until"])
    path = f"/embed/events/{decided['event_id']}"
    assert f"Decided, can change until {moment(until_ms, WORDS['en'])}" in text(ask(service, path))
    assert f"Итог исправим до {moment(until_ms, WORDS['ru'])}" in text(ask(service, f"{path}?lang=ru"))


@proves(EMBED)
def test_what_no_one_may_see_is_gone(service: Service) -> None:
    draft = service.event(name="Secret?", publish=False)
    for name in (str(draft["id"]), "0", str(2**62), "x", str(2**70)):
        answer = ask(service, f"/embed/events/{name}")
        assert (answer.status_code, text(answer)) == (404, "This question is not here any more. Foreknow")
        assert answer.headers["content-security-policy"].endswith("frame-ancestors *")
        assert "Secret" not in answer.text
    refused(ask(service, "/embed/users/1"), 404, "not_found")
    refused(ask(service, f"/embed/events/{draft['id']}?theme=blue"), 400, "bad_request")
    refused(ask(service, f"/embed/events/{draft['id']}?lang=de"), 400, "bad_request")
    refused(ask(service, f"/embed/events/{draft['id']}", "POST"), 405, "method_not_allowed")


@ONCE
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_elsewhere_chooses_light_or_dark(service: Service, theme: str) -> None:
    event = service.event()
    assert f'<html lang="en" data-theme="{theme}">' in ask(service, f"/embed/events/{event['id']}?theme={theme}").text
    assert '<html lang="en">' in ask(service, f"/embed/events/{event['id']}").text


@proves("site: (`frame-ancestors *` there alone;")
@ON_SQLITE
def test_no_other_page_may_be_framed(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="https://forecasts.example.org")
    event = service.event()
    for path in ("/", f"/events/{event['id']}", "/docs", "/unsubscribe/x"):
        answer = ask(service, path, Accept="text/html")
        assert "frame-ancestors *" not in answer.headers.get("content-security-policy", ""), path
