"""Decisions, "Accounts and sign-in": requests that ride on a cookie."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

pytestmark = ONCE

RULE = (
    "decisions: A state-changing request that rides on a cookie is refused (403 `cross_site`) unless `Sec-Fetch-Site` "
    "is same-origin or none"
)
WITHOUT = (
    "decisions: without that header, when `Origin` is there and is not the service's own (`FOREKNOW_PUBLIC_URL` alone "
    "where it is set, else `Host`; a scheme's own port is as none)."
)


@proves(RULE)
@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense", "", "Same-Origin"])
def test_a_change_from_another_site_is_refused(service: Service, site: str) -> None:
    person = service.user()
    client = service.client(headers={"Cookie": f"access_token={person.token}", "Sec-Fetch-Site": site})

    refused(client.patch("/users/me", json={"name": "Stolen"}), 403, "cross_site")
    refused(client.delete("/auth/logout"), 403, "cross_site")
    assert expect(client.get("/users/me"), 200)["name"] != "Stolen"


@proves(RULE)
@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_a_change_from_the_site_itself_is_allowed(service: Service, site: str) -> None:
    headers = {
        "Cookie": f"access_token={service.user().token}",
        "Sec-Fetch-Site": site,
        "Origin": "https://evil.example",
    }

    expect(service.client(headers=headers).patch("/users/me", json={"name": "Own"}), 200)


@proves(WITHOUT)
@pytest.mark.parametrize(
    "origin",
    [
        *(
            "https://evil.example",
            "null",
            "http://127.0.0.1",
            "http://localhost:{port}",
            "http://127.0.0.1:{port}.evil",
        ),
        *("", "127.0.0.1:{port}", "http://["),
    ],
)
def test_a_change_with_a_foreign_origin_is_refused(service: Service, origin: str) -> None:
    headers = {"Cookie": f"access_token={service.user().token}", "Origin": origin.format(port=service.server.port)}

    refused(service.client(headers=headers).patch("/users/me", json={}), 403, "cross_site")


@proves(WITHOUT)
def test_a_change_with_the_services_own_origin_or_none_is_allowed(service: Service) -> None:
    cookie = {"Cookie": f"access_token={service.user().token}"}

    expect(service.client(headers={**cookie, "Origin": service.url}).patch("/users/me", json={}), 200)
    expect(service.client(headers=cookie).patch("/users/me", json={}), 200)


@proves(WITHOUT)
def test_the_public_url_alone_is_the_services_own_origin(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="https://Market.example:443/")
    cookie = {"Cookie": f"access_token={service.user().token}"}

    for own in ("https://market.example", "https://market.example:443"):
        expect(service.client(headers={**cookie, "Origin": own}).patch("/users/me", json={}), 200)
    for origin in ("http://market.example", "https://market.example:444", "https://other.example", service.url):
        answer = service.client(headers={**cookie, "Origin": origin}).patch("/users/me", json={})
        refused(answer, 403, "cross_site")


@proves(WITHOUT)
@pytest.mark.parametrize(
    ("host", "origin", "is_own"),
    [
        ("example.com:443", "https://example.com", True),
        ("example.com", "https://example.com:443", True),
        ("example.com:80", "http://example.com", True),
        ("Example.com", "https://example.com", True),
        ("example.com:80", "https://example.com", False),
        ("example.com:443", "http://example.com", False),
        ("example.com:8443", "https://example.com", False),
    ],
)
def test_a_schemes_own_port_is_as_none(service: Service, host: str, origin: str, is_own: bool) -> None:
    headers = {"Cookie": f"access_token={service.user().token}", "Host": host, "Origin": origin}
    answer = service.client(headers=headers).patch("/users/me", json={})

    if is_own:
        expect(answer, 200)
    else:
        refused(answer, 403, "cross_site")


@proves(RULE)
def test_a_header_rides_on_nothing(service: Service) -> None:
    person = service.user()
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}

    expect(service.client(token=person.token, headers=foreign).patch("/users/me", json={}), 200)
    both = {**foreign, "Cookie": f"access_token={person.token}"}
    expect(service.client(token=person.token, headers=both).patch("/users/me", json={}), 200)
    market = service.event()["pools"][0]["markets"][0]["id"]
    bet = {"external_user_id": "a", "market_id": market, "side": "yes", "stake_kopecks": 100}
    partner = service.partner(float_kopecks=100)
    expect(service.client(partner_key=partner.key, headers=both).post("/partner/bets", json=bet), 201)


@proves(RULE)
def test_reading_is_allowed_from_anywhere(service: Service) -> None:
    headers = {"Cookie": f"access_token={service.user().token}", "Sec-Fetch-Site": "cross-site"}

    expect(service.client(headers=headers).get("/users/me"), 200)
    assert service.client(headers=headers).head("/events").status_code == 200


@proves(RULE)
def test_refreshing_rides_on_its_cookie(service: Service) -> None:
    client = service.client()
    person = service.user()
    expect(client.post("/auth/sign-in", json={"login": person.email, "password": person.password}), 200)

    refused(client.post("/auth/refresh", headers={"Sec-Fetch-Site": "cross-site"}), 403, "cross_site")
    refused(client.post("/auth/refresh", headers={"Origin": "https://evil.example"}), 403, "cross_site")
    expect(client.post("/auth/refresh", headers={"Sec-Fetch-Site": "same-origin"}), 200)


@proves("interface: cookies are sent automatically on later requests")
def test_a_browser_needs_nothing_but_its_cookies(service: Service) -> None:
    client, person = service.client(), service.user(balance_kopecks=100)
    expect(client.post("/auth/sign-in", json={"login": person.email, "password": person.password}), 200)
    market = service.event()["pools"][0]["markets"][0]["id"]

    assert expect(client.get("/users/me"), 200)["id"] == person.id
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    expect(client.post("/market/bets", json=order, headers={"Sec-Fetch-Site": "same-origin"}), 201)
    expect(client.delete("/auth/logout"), 200)
    refused(client.get("/users/me"), 401, "unauthorized")
    # The device is known for as long as its cookie lives; it signs no one in.
    assert set(client.cookies) == {"device"}
