"""The client over HTTP: its page at every address of its own, its files, and neither where the service answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs

from foreknow.site.client import files
from foreknow.site.client.serving import POLICY
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.service import Service, refused

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
#: Below that a coding may be longer than what it codes.
SMALL_BYTES = 200


def open_site(service: Service) -> httpx.Client:
    """Make a client of all addresses of a service that asks as a browser does."""
    return httpx.Client(base_url=service.url, headers={"Accept": BROWSER}, trust_env=False, verify=NO_TLS)


@pytest.fixture(scope="module")
def site(sqlite_service: Service) -> Iterator[httpx.Client]:
    with open_site(sqlite_service) as client:
        yield client


@pytest.fixture(scope="module")
def script(site: httpx.Client) -> str:
    """The address of the client's first script."""
    found = re.search(r'<script type="module"[^>]* src="([^"]+)"', site.get("/").text)
    assert found
    return found[1]


def is_shell(answer: httpx.Response) -> bool:
    return answer.headers["content-type"] == "text/html; charset=utf-8" and '<script type="module"' in answer.text


@pytest.mark.parametrize("path", ["/", "/portfolio", "/users/7", "/a/b/c?d=e", "/index.html", "/portfolio/"])
def test_every_address_of_the_client_starts_it(site: httpx.Client, path: str) -> None:
    answer = site.get(path)
    assert answer.status_code == 200
    assert is_shell(answer)
    head = site.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == answer.headers["content-length"]


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/v1", "/api/v1/nothing", "/apis", "/docs/nothing", "/images/none.png", "/images", "/assets"],
)
def test_addresses_of_the_service_never_start_it(site: httpx.Client, path: str) -> None:
    refused(site.get(path), 404, "not_found")


def test_the_service_s_own_pages_stay_where_they_are(site: httpx.Client) -> None:
    assert "swagger" in site.get("/docs").text
    assert site.get("/openapi.json").json()["info"]["title"] == "Foreknow"
    assert site.get("/metrics").headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("accept", ["application/json", "*/*", "image/*", "text/html;q=0"])
def test_who_wants_no_page_is_given_an_error_as_before(site: httpx.Client, accept: str) -> None:
    refused(site.get("/portfolio", headers={"Accept": accept}), 404, "not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
def test_nothing_can_be_sent_to_a_page(site: httpx.Client, method: str) -> None:
    for path in ("/", "/portfolio", "/events/1"):
        refused(site.request(method, path), 404, "not_found")


def test_the_page_may_run_nothing_but_its_own_scripts(site: httpx.Client) -> None:
    for path in ("/", "/events/9223372036854775807"):
        headers = site.get(path).headers
        assert headers.get_list("content-security-policy") == [POLICY]
        assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers.get_list("x-content-type-options") == ["nosniff"]
    assert POLICY == (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; img-src 'self' data: https:; base-uri 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html "
        "service-worker"
    )


def test_the_page_has_no_inline_script_or_style_and_names_no_other_host(site: httpx.Client) -> None:
    page = site.get("/").text
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", page) == []
    assert re.findall(r'(?:src|href)="(?!/)', page) == []


def test_all_that_the_page_names_is_there(site: httpx.Client) -> None:
    named = re.findall(r'(?:src|href)="([^"]+)"', site.get("/").text)
    assert len(named) >= 2
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "woff2": "font/woff2"}
    for path in named:
        answer = site.get(path)
        assert answer.status_code == 200
        kind = kinds.get(path.rsplit(".", 1)[1])
        assert kind is None or answer.headers["content-type"].startswith(kind)
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"]


def test_the_page_is_requested_each_time_and_hashed_files_never_again(site: httpx.Client, script: str) -> None:
    assert site.get("/").headers["cache-control"] == "no-cache"
    assert site.get(script).headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["/assets/none.js", "/assets/", "/assets/..%2findex.html", "/assets/.stamp"])
def test_a_file_that_is_gone_is_404_and_no_page(site: httpx.Client, path: str) -> None:
    refused(site.get(path), 404, "not_found")
    refused(site.get(path, headers={"Accept": "*/*"}), 404, "not_found")


def test_files_of_the_build_s_own_are_not_served(site: httpx.Client, script: str) -> None:
    for path in (f"{script}.br", f"{script}.gz", "/.stamp", "/index.html.br"):
        assert site.get(path, headers={"Accept": "*/*"}).status_code == 404


def test_files_are_read_only(site: httpx.Client, script: str) -> None:
    answer = site.post(script)
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_each_coding_has_its_own_tag_and_a_client_that_has_it_is_sent_nothing(
    sqlite_service: Service, site: httpx.Client, script: str
) -> None:
    event_id = sqlite_service.event()["id"]
    for path, codings in (("/", "br gzip"), (script, "br gzip"), (f"/events/{event_id}", "gzip")):
        plain = site.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        tags = {plain.headers["etag"]}
        for coding in codings.split():
            answer = coded(site, path, coding)
            assert answer.headers["content-encoding"] == coding
            assert int(answer.headers["content-length"]) < len(plain.content)
            assert answer.headers["vary"] == plain.headers["vary"]
            assert "Accept-Encoding" in answer.headers["vary"]
            tags.add(answer.headers["etag"])
            for known in (answer.headers["etag"], f'W/{answer.headers["etag"]}, "other"', "*"):
                again = coded(site, path, coding, **{"If-None-Match": known})
                assert (again.status_code, again.headers["etag"]) == (304, answer.headers["etag"])
                assert again.headers["cache-control"] == answer.headers["cache-control"]
            other = coded(site, path, coding, **{"If-None-Match": plain.headers["etag"]})
            assert other.status_code == 200
        assert len(tags) == 1 + len(codings.split())


def coded(site: httpx.Client, path: str, coding: str, **headers: str) -> httpx.Response:
    """Ask for one coding, and leave the body as it came: httpx may not know it."""
    with site.stream("GET", path, headers={"Accept-Encoding": coding, **headers}) as answer:
        body = b"".join(answer.iter_raw())
        assert (answer.status_code == 304) == (body == b"")
        return answer


def test_every_file_comes_as_small_as_it_was_built_and_only_once(site: httpx.Client) -> None:
    built = files.load_client()
    assert built
    for path, file in built.files.items():
        plain = len(file.bodies["identity"])
        is_text = path.endswith((".css", ".js", ".svg"))
        assert {"br", "gzip"} <= set(file.bodies) or not is_text or plain < SMALL_BYTES, path
        coding = "br" if "br" in file.bodies else "identity"
        answer = coded(site, path, "br, gzip")
        assert answer.headers.get("content-encoding", "identity") == coding, path
        assert int(answer.headers["content-length"]) == len(file.bodies[coding]) <= plain, path
        if path.startswith("/assets/"):
            assert re.search(r"-[\w-]{8}\.\w+$", path), path
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        else:
            assert answer.headers["cache-control"] == "no-cache"
        again = coded(site, path, "br, gzip", **{"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304, path
    for name in (r"first-", r"screens-", r"golos-latin-", r"golos-russian-"):
        assert [path for path in built.files if re.fullmatch(rf"/assets/{name}[\w-]{{8}}\.(js|woff2)", path)], name


def test_files_and_page_are_the_built_ones(site: httpx.Client, script: str) -> None:
    gzipped = site.get(script, headers={"Accept-Encoding": "gzip"})
    assert gzipped.content == (files.DIST / script[1:]).read_bytes()
    assert site.get("/").text == (files.DIST / "index.html").read_text()


@ON_SQLITE
def test_without_a_client_the_interface_is_alone(start_service: Callable[..., Service]) -> None:
    with open_site(start_service(web="off")) as site:
        home = site.get("/")
        assert (home.status_code, home.headers["location"], home.headers["cache-control"]) == (307, "/docs", "no-store")
        for path in ("/docs", *re.findall(r'"(/docs/[^"]+)"', site.get("/docs").text)):
            assert site.get(path).status_code == 200
        for path in ("/portfolio", "/events/1", "/assets/index.js"):
            refused(site.get(path), 404, "not_found")


@ON_SQLITE
def test_a_service_whose_client_is_not_built_says_how_to_build_it(
    start_service: Callable[..., Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "DIST", tmp_path)
    with capture_logs() as logged:
        service = start_service()
    assert [line["log_level"] for line in logged if line["event"] == "web client not built"] == ["warning"]
    with open_site(service) as site:
        for path in ("/", "/events/1"):
            answer = site.get(path)
            assert answer.status_code == 503
            assert "bin/setup" in answer.text
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["content-security-policy"] == POLICY
        assert site.get("/docs").status_code == 200
        refused(site.get("/portfolio", headers={"Accept": "*/*"}), 404, "not_found")
        refused(site.get("/assets/index.js"), 404, "not_found")
