"""The client's interface: what a site is called and offers, and its page for people whose sign-in failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foreknow import __version__
from tests.support.kinds import ONCE
from tests.support.oidc import Browser, new_identity
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused

pytestmark = ONCE

SITE = "client: | 13 | GET /site (None) | `{name, version, sign_up: bool, oauth: [ids], image_bytes_max}` |"
NAVIGATION = (
    "client: | 14 | OIDC callback, a navigation (`Sec-Fetch-Mode: navigate`) | refusals: 303 to "
    "`/sign-in?error=<code>` |"
)
NAVIGATES = {"Sec-Fetch-Mode": "navigate"}


@proves(SITE)
def test_a_site_says_what_it_is_called_and_offers(service: Service, oauth_service: Service) -> None:
    most = 5 * 2**20
    plain = {"name": "Foreknow", "version": __version__, "sign_up": True, "oauth": [], "image_bytes_max": most}
    plain |= {"logo": "", "icon": "", "theme": None, "pages": [], "terms": None, "email": False}

    site = expect(service.client().get("/site"), 200)
    assert {name: site[name] for name in plain} == plain
    assert expect(service.client(token="not one").get("/site"), 200) == site
    offered = expect(oauth_service.client().get("/site"), 200)
    assert "mock" in offered["oauth"]
    for provider in offered["oauth"]:
        assert oauth_service.client().get(f"/auth/oauth/{provider}").status_code != 404
    image = b"\0" * (most + 1)
    event = service.event()
    refused(service.creator.client.put(f"/events/{event['id']}/image", content=image), 413, "payload_too_large")


@proves("site: A setting left out changes nothing;")
def test_without_settings_of_its_own_a_site_deals_in_roubles_and_is_open_to_all(service: Service) -> None:
    stranger, event = service.client(), service.event()
    site = expect(stranger.get("/site"), 200)
    assert (site["currency"]["code"], site["creators"], site["passwords"]) == ("RUB", "chosen", True)
    assert (site["invitation_only"], site["domains"], site["email"]) == (False, [], False)
    assert expect(stranger.get(f"/events/{event['id']}"), 200)["id"] == event["id"]

    newcomer = service.user()
    assert expect(newcomer.client.get("/users/me"), 200)["balance_kopecks"] == 0
    assert expect(newcomer.client.get("/users/me/allowance"), 200) == {"allowance": None}
    expect(newcomer.client.post("/comments", json={"event_id": event["id"], "content": "Hello"}), 201)
    refused(newcomer.client.post("/events/create-full", json={"name": "Mine"}), 403, "forbidden")


@proves(SITE)
def test_where_sign_up_is_closed_no_one_makes_an_account(start_service: Callable[..., Service]) -> None:
    service = start_service(sign_up="off", site_name="Прогнозы")
    body = {"email": "ann@example.org", "password": PASSWORD, "name": "Ann"}

    site = expect(service.client().get("/site"), 200)
    assert (site["name"], site["sign_up"]) == ("Прогнозы", False)
    refused(service.client().post("/auth/sign-up", json=body), 403, "sign_up_closed")
    refused(
        service.client().post("/auth/sign-in", json={"login": body["email"], "password": PASSWORD}),
        401,
        "invalid_credentials",
    )


@proves(NAVIGATION)
def test_a_browser_whose_sign_in_is_refused_comes_to_a_page_that_says_why(oauth_service: Service) -> None:
    callback = "/auth/oauth/mock/callback"
    client = oauth_service.client()
    for path, status, code in (
        (callback, 400, "bad_request"),
        (f"{callback}?state=forged&code=x", 400, "bad_request"),
        (f"{callback}?state=a&state=b", 400, "bad_request"),
        ("/auth/oauth/no-such/callback", 404, "not_found"),
    ):
        refused(client.get(path), status, code)
        refused(client.get(path, headers={"Sec-Fetch-Mode": "cors"}), status, code)
        answer = client.get(path, headers=NAVIGATES)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/sign-in?error={code}")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.content == b""


@proves(NAVIGATION)
def test_what_the_provider_does_not_vouch_for_leads_to_that_page_too(oauth_service: Service) -> None:
    browser, (sub, identity) = Browser(oauth_service), new_identity()
    browser.client.headers.update(NAVIGATES)
    answer = browser.sign_in(sub, identity | {"email_verified": False})

    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?error=email_not_verified")
    assert "set-cookie" not in answer.headers
    assert Browser(oauth_service).sign_in(*new_identity()).headers["location"].endswith("/")


@proves(NAVIGATION)
@pytest.mark.parametrize("path", ["/users/me", "/events/0", "/no-such-path", "/auth/oauth/no-such"])
def test_no_other_error_leads_to_a_page(service: Service, path: str) -> None:
    assert service.client().get(path, headers=NAVIGATES).status_code in {400, 401, 404}
