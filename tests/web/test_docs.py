"""GET /docs: the API page, whose assets come from the service itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.service import Service, refused

ASSET = re.compile(r'(?:src|href)="(/docs/[^"]+)"')


@pytest.fixture(scope="module")
def site(sqlite_service: Service) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sqlite_service.url, trust_env=False, verify=NO_TLS) as client:
        yield client


def test_the_page_and_all_it_needs_come_from_the_service(site: httpx.Client) -> None:
    page = site.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assets = ASSET.findall(page.text)

    assert len(assets) == 3
    assert re.findall(r'(?:src|href)="(?!/docs/|data:,)', page.text) == []
    kinds = {"css": "text/css", "js": "text/javascript"}
    for asset in assets:
        answer = site.get(asset)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kinds[asset.split("?")[0].rsplit(".", 1)[1]])
    start = site.get("/docs/start.js").text
    assert '"/openapi.json"' in start
    assert "http" not in start


def test_nothing_may_come_from_elsewhere(site: httpx.Client) -> None:
    policy = site.get("/docs").headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "script-src 'self';" in policy


def test_assets_are_kept_by_their_digest_and_all_else_is_requested_again(site: httpx.Client) -> None:
    assets = ASSET.findall(site.get("/docs").text)

    for asset in assets:
        path, _, digest = asset.partition("?v=")
        assert site.get(asset).headers["cache-control"] == "public, max-age=31536000, immutable"
        assert digest in site.get(asset).headers["etag"]
        # That of another release: what is answered here is not what it names.
        for other in (path, f"{path}?v=", f"{path}?v={digest}0", f"{path}?v=0", f"{path}?{digest}"):
            assert site.get(other).headers["cache-control"] == "no-cache"
    for path in ("/docs", "/openapi.json", "/openapi.json?v=1"):
        first = site.get(path)
        assert first.headers["cache-control"] == "no-cache"
        again = site.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert site.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_pages_are_read_only(site: httpx.Client) -> None:
    for path in ("/docs", "/openapi.json", "/docs/swagger-ui-bundle.js"):
        answer = site.post(path)
        refused(answer, 405, "method_not_allowed")
        assert answer.headers["Allow"] == "GET, HEAD"
        head, get = site.head(path), site.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == get.headers["content-length"]


@pytest.mark.parametrize("path", ["/docs/no.js", "/docs/../app.py", "/docs/redoc.js", "/openapi.yaml", "/index.html"])
def test_nothing_else_is_served(site: httpx.Client, path: str) -> None:
    refused(site.get(path), 404, "not_found")


def test_anyone_may_read_the_document(site: httpx.Client) -> None:
    answer = site.get("/openapi.json", headers={"Origin": "https://elsewhere.example", "Authorization": "Bearer x"})

    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json()["info"]["title"] == "Foreknow"


PAGES = ["/docs", "/openapi.json", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_come_compressed_to_clients_that_accept_that(site: httpx.Client, path: str) -> None:
    compressed = site.get(path, headers={"Accept-Encoding": "br;q=1, gzip;q=0.5"})
    plain = site.get(path, headers={"Accept-Encoding": "identity"})
    assert compressed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert compressed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert compressed.content == plain.content
    assert len(plain.content) == int(plain.headers["content-length"])
    # Each has a tag of its own, and a client with that one is sent nothing.
    tags = compressed.headers["etag"], plain.headers["etag"]
    assert len(set(tags)) == 2
    for tag, accepted in zip(tags, ("gzip", "identity"), strict=True):
        for sent, status in ((tag, 304), (f'W/{tag}, "other"', 304), ('"other"', 200)):
            again = site.get(path, headers={"Accept-Encoding": accepted, "If-None-Match": sent})
            assert again.status_code == status
            assert again.headers["etag"] == tag
            assert (again.content == b"") == (status == 304)


def test_the_whole_page_is_small_on_the_wire(site: httpx.Client) -> None:
    sizes = [int(site.head(path, headers={"Accept-Encoding": "gzip"}).headers["content-length"]) for path in PAGES]
    assert sum(sizes) < 650_000


@pytest.mark.parametrize(
    ("accepted", "is_taken"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("deflate, gzip ; q=0.1", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*;q=0", False),
        ("deflate, br", False),
        ("", False),
    ],
)
def test_what_a_client_takes_is_read_as_it_says(site: httpx.Client, accepted: str, is_taken: bool) -> None:
    answer = site.get("/docs", headers={"Accept-Encoding": accepted})
    assert ("content-encoding" in answer.headers) == is_taken


def test_a_browser_that_comes_by_an_address_beside_it_finds_the_page(site: httpx.Client) -> None:
    answer = site.get("/docs/", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.url.path == "/docs"


def test_browsers_that_look_for_an_icon_are_answered(site: httpx.Client) -> None:
    assert site.get("/favicon.ico").status_code == 204
