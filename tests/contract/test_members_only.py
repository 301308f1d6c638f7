"""A site that only members may read: nothing but what is listed here answers without a session or key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from pydantic import SecretStr
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from foreknow.kernel.access.levels import AuthLevel
from foreknow.people.mail.serving import UnsubscribePages
from foreknow.service.metrics import MetricsPage
from foreknow.site.looks import SiteFiles
from foreknow.web.docs import Docs
from foreknow.web.members import MembersPage, MembersSocket, Robots
from tests.support.books import audit_database
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.stored_images import put
from tests.support.waiting import let_work

#: What strangers may have, all below /api/v1.
OPEN = {
    "GET /health",
    "GET /ready",
    "GET /site",
    "GET /site/pages/{name}",
    "POST /auth/sign-up",
    "POST /auth/sign-in",
    "POST /auth/refresh",
    "POST /auth/invitation",
    "POST /auth/setup",
    "POST /auth/reset",
    "POST /auth/forgot",
    "POST /auth/verify",
    "GET /auth/oauth/{provider}",
    "GET /auth/oauth/{provider}/callback",
}
#: A mail server that is not there.
NOWHERE = SecretStr("smtp://127.0.0.1:9")
#: One's own positions, orders and baskets.
OWN_TRADING = ("/market/positions", "/market/orders", "/market/baskets")
OPEN_PAGES = {Docs, MetricsPage, Robots, SiteFiles, UnsubscribePages}


@pytest.fixture(scope="module")
def club(module_database_url: str) -> Iterator[Service]:
    """A site that only members may read."""
    running = Service(module_database_url, read="members")
    yield running
    running.stop()
    audit_database(module_database_url)


def ask(club: Service, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    return httpx.request(
        method, club.url + path, headers=headers, follow_redirects=False, trust_env=False, verify=NO_TLS, timeout=60
    )


@proves(
    "site: - `FOREKNOW_READ=members`: without session or key 401, before rows and ETags, on everything, sockets, "
    "streams, images and previews too, but health, ready, /metrics, site, its pages and files, /auth/*, /unsubscribe, "
    "/docs, partners' endpoints, the client's assets and shell",
)
@ONCE
def test_a_stranger_is_refused_at_every_endpoint_but_those_listed(club: Service) -> None:
    open_to_strangers = set()
    for endpoint in club.app.front.routes.endpoints:
        named = f"{endpoint.method} {endpoint.path}"
        # Ids that are none: a caller who is let through gets 400 or 404.
        path = re.sub(r"\{\w+\}", "0", endpoint.path)
        if endpoint.level is AuthLevel.PARTNER:
            assert path.startswith("/partner/")
            continue
        if endpoint.for_strangers:
            open_to_strangers.add(named)
            continue
        for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Cookie": "access_token=nonsense; chat_session=x"}):
            answer = club.client(headers=headers).request(endpoint.method, path, headers={"If-None-Match": "*"})
            assert answer.status_code == 401, f"{named}: {answer.status_code} {answer.text}"
            assert answer.headers["cache-control"] == "no-store"
            assert "etag" not in answer.headers
    assert open_to_strangers == OPEN


@proves("site: Feed and embeds are 404;")
@ONCE
def test_a_stranger_is_refused_at_every_socket_and_page_but_those_listed(club: Service) -> None:
    event = club.event()
    put(club, event["id"], image())
    picture = expect(club.admin.get(f"/events/{event['id']}"), 200)["image_url"]
    sockets = club.app.front.routes.sockets
    assert {path for path, _ in sockets} == {"/ws/trades", "/ws/live"}
    for path, socket in sockets:
        assert isinstance(socket, MembersSocket), path
        url = club.api_url.replace("http", "ws", 1) + path
        with pytest.raises(InvalidStatus) as failed, connect(url, proxy=None):
            pass
        assert failed.value.response.status_code == 401
    for page in club.app.front.pages:
        assert isinstance(page, MembersPage) or type(page) in OPEN_PAGES, page
    for path in (
        picture,
        *(f"{picture}?w={width}" for width in (160, 640, 1280)),
        f"/images/cards/{event['id']}.png",
        f"/images/cards/{event['id']}.png?lang=ru",
        "/images/cards/0.png",
        "/images/none.png",
    ):
        for method in ("GET", "HEAD"):
            answer = ask(club, path, method, **{"If-None-Match": "*"})
            assert answer.status_code == 401, path
    for path in ("/feeds/new.atom", f"/embed/events/{event['id']}"):
        refused(ask(club, path, Accept="text/html"), 404, "not_found")


@proves(
    "site: the client's assets and shell (the same 200 for every path, naming the site alone).",
    "site: robots.txt refuses all.",
)
@ONCE
def test_a_stranger_gets_the_same_page_at_every_address(club: Service) -> None:
    event = club.event(name="Will the merger go through?")
    pages = [ask(club, path, Accept="text/html") for path in ("/", f"/events/{event['id']}", "/events/0", "/users/1")]
    assert {(page.status_code, page.content) for page in pages} == {(200, pages[0].content)}
    assert b"merger" not in pages[0].content
    robots = ask(club, "/robots.txt")
    assert (robots.status_code, robots.text) == (200, "User-agent: *\nDisallow: /\n")
    assert ask(club, "/docs").status_code == 200
    expect(club.client().get("/site"), 200)


@proves("site: Nothing else is cached in public.")
@ONCE
def test_no_cache_that_people_share_keeps_what_members_read(club: Service) -> None:
    event, member = club.event(), club.user()
    put(club, event["id"], image())
    picture = expect(member.client.get(f"/events/{event['id']}"), 200)["image_url"]
    shown = member.client.get(f"/pools/batch?ids={event['pools'][0]['id']}")
    assert shown.headers["cache-control"] == "private, no-cache"
    again = member.client.get(str(shown.request.url), headers={"If-None-Match": shown.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "private, no-cache")
    cookie = f"access_token={member.token}"
    for path in (picture, f"{picture}?w=160", f"/images/cards/{event['id']}.png"):
        answer = ask(club, path, Cookie=cookie)
        assert answer.status_code == 200, path
        assert answer.headers["cache-control"].startswith("private, max-age=")
        assert ask(club, path, Authorization=f"Bearer {member.token}").status_code == 200
    for page in club.app.front.routes.endpoints:
        if page.method == "GET" and "{" not in page.path and page.level is AuthLevel.REQUIRED and not page.event_stream:
            caching = member.client.get(page.path).headers["cache-control"]
            assert caching == "no-store" or caching.startswith("private, "), page.path


@proves("site: Sockets and streams end within 20 s of their session.")
def test_a_socket_ends_with_its_session(club: Service) -> None:
    member = club.user()
    key = expect(member.client.post("/users/me/keys", json={"name": "Bot", "scope": "read"}), 201)
    headers = [{"Cookie": f"access_token={member.token}"}, {"Authorization": f"Bearer {key['key']}"}]
    url = f"{club.api_url.replace('http', 'ws', 1)}/ws/trades"
    by_session, by_key = (connect(url, proxy=None, additional_headers=header) for header in headers)
    with by_session as ending, by_key as staying:
        assert "initial" in str(ending.recv(timeout=60))
        assert "initial" in str(staying.recv(timeout=60))
        expect(member.client.delete("/auth/logout"), 200)
        let_work(["session-watch"])
        with pytest.raises(ConnectionClosed) as closed:
            ending.recv(timeout=60)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        # A key's session is its own.
        assert staying.ping().wait(60)
        expect(club.admin.patch(f"/admin/users/{member.id}", json={"is_active": False}), 200)
        let_work(["session-watch"])
        with pytest.raises(ConnectionClosed):
            staying.recv(timeout=60)


@ONCE
def test_pages_of_other_sites_open_no_socket_by_the_cookie(club: Service) -> None:
    member = club.user()
    headers = {"Cookie": f"access_token={member.token}", "Origin": "https://elsewhere.example.org"}
    url = f"{club.api_url.replace('http', 'ws', 1)}/ws/trades"
    with pytest.raises(InvalidStatus) as failed, connect(url, proxy=None, additional_headers=headers):
        pass
    assert failed.value.response.status_code == 403


@ONCE
def test_a_partner_goes_on_as_before(club: Service) -> None:
    event, partner = club.event(), club.partner(float_kopecks=1_000)
    bet = {
        "external_user_id": "a",
        "market_id": event["pools"][0]["markets"][0]["id"],
        "side": "yes",
        "stake_kopecks": 500,
    }
    expect(partner.client.post("/partner/bets", json=bet), 201)


@proves("site: The unverified, where verification is asked, read their own account alone.")
@ONCE
def test_who_has_not_verified_an_address_reads_their_own_account_alone(start_service: Callable[..., Service]) -> None:
    club = start_service(
        read="members",
        email_verification="on",
        smtp_url=NOWHERE,
        email_from="site@foreknow.test",
        public_url="http://foreknow.test",
    )
    stranger = club.user()
    own = (
        "/users/me",
        "/users/me/sessions",
        "/notifications",
        "/users/me/keys",
        "/market/positions",
        "/market/positions/completed",
        "/market/orders",
    )
    for path in own:
        expect(stranger.client.get(path), 200)
    # None of theirs are there to be shown.
    for path, code in (
        ("orders/1", "order_not_found"),
        ("orders/1/fills", "order_not_found"),
        ("baskets/1", "basket_not_found"),
    ):
        refused(stranger.client.get(f"/market/{path}"), 404, code)
    for path in ("/market/orders", "/market/orders/cancel", "/market/baskets"):
        refused(stranger.client.post(path, json={}), 403, "email_not_verified")
    refused(stranger.client.delete("/market/orders/1"), 403, "email_not_verified")
    quoted = {"market_ids": [1], "amount_kopecks": 100}
    refused(stranger.client.post("/market/baskets/quote", json=quoted), 403, "email_not_verified")
    for endpoint in club.app.front.routes.endpoints:
        if endpoint.method != "GET" or endpoint.for_strangers or endpoint.level is AuthLevel.PARTNER:
            continue
        if endpoint.path.startswith(("/users/me", "/notifications", "/chat/", *OWN_TRADING)):
            continue
        answer = stranger.client.get(re.sub(r"\{\w+\}", "0", endpoint.path))
        assert answer.status_code == 403, endpoint.path
    headers = {"Authorization": f"Bearer {stranger.token}"}
    for path in ("/images/none.png", "/images/cards/1.png"):
        refused(ask(club, path, **headers), 403, "email_not_verified")
    url = f"{club.api_url.replace('http', 'ws', 1)}/ws/trades"
    with pytest.raises(InvalidStatus) as failed, connect(url, proxy=None, additional_headers=headers):
        pass
    assert failed.value.response.status_code == 403
