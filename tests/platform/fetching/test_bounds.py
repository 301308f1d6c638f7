"""Servers that never end are cut off, whether asked or posted to, and by whatever way they are reached."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import pytest

from foreknow.people.oauth.errors import ProviderUnavailable
from foreknow.people.oauth.http import OidcClient
from foreknow.platform.fetching import Fetcher, FetchFailed, OutsideTransport, ProxiedTransport, PublicTransport
from foreknow.platform.fetching.fetcher import ANSWER_BYTES_MAX
from tests.support.evil import BODIES, FAST, OK, SLOW, Evil, Script
from tests.support.providers import Reply, provider

#: What the system holds of a connection at both ends besides what was read.
BUFFERED_BYTES = 8 * 2**20
TRANSPORTS = {"outside": OutsideTransport, "public": PublicTransport, "proxied": ProxiedTransport}


@pytest.fixture(params=TRANSPORTS.values(), ids=list(TRANSPORTS))
async def fetcher(request: pytest.FixtureRequest) -> AsyncIterator[Fetcher]:
    made = Fetcher(transport=request.param())
    yield made
    await made.close()


@pytest.fixture
async def hasty() -> AsyncIterator[Fetcher]:
    made = Fetcher(answer_s=0.1, transport=PublicTransport())
    yield made
    await made.close()


@pytest.mark.parametrize("name", FAST)
async def test_what_has_no_end_is_no_response(fetcher: Fetcher, name: str) -> None:
    script, reason = FAST[name]
    async with Evil({name: script}).serving() as server:
        with pytest.raises(FetchFailed, match=re.escape(reason)):
            await fetcher.get(f"{server.url}/{name}")
        with pytest.raises(FetchFailed, match=re.escape(reason)):
            await fetcher.post(f"{server.url}/{name}", b"{}", {})
        assert server.sent_bytes[name] < 2 * BUFFERED_BYTES


@pytest.mark.parametrize("name", BODIES)
async def test_a_body_without_end_is_none_and_does_not_delay_what_was_posted(name: str) -> None:
    fetcher = Fetcher(transport=PublicTransport())
    async with Evil({name: BODIES[name]}).serving() as server:
        with pytest.raises(FetchFailed, match=f"more than {ANSWER_BYTES_MAX} bytes"):
            await fetcher.get(f"{server.url}/{name}")
        asked_bytes = server.sent_bytes[name]
        assert asked_bytes < ANSWER_BYTES_MAX + BUFFERED_BYTES
        assert await fetcher.post(f"{server.url}/{name}", b"{}", {}) == 200
        assert server.sent_bytes[name] - asked_bytes < BUFFERED_BYTES
    await fetcher.close()


async def test_what_comes_too_slowly_is_cut_off_by_one_deadline(hasty: Fetcher) -> None:
    async with Evil(SLOW).serving() as server:
        urls = [f"{server.url}/{name}" for name in SLOW]
        asked = [*map(hasty.get, urls), *(hasty.post(url, b"{}", {}) for url in urls)]
        ended = await asyncio.gather(*asked, return_exceptions=True)
    assert {str(one) for one in ended} == {"no whole response within 0.1 s", "no response within 0.1 s"}


async def test_a_handshake_that_hangs_is_cut_off(hasty: Fetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(FetchFailed, match=r"no whole response within 0\.1 s"):
            await hasty.get(f"https://127.0.0.1:{silent.getsockname()[1]}/")
        connection, _ = silent.accept()
        with connection:
            connection.settimeout(10)
            hello = connection.recv(2**16)
            assert hello
            assert connection.recv(2**16) == b""


async def test_a_compressed_response_is_none() -> None:
    fetcher = Fetcher(transport=PublicTransport())
    with provider() as served:
        served.replies["/bomb"] = Reply(b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
        with pytest.raises(FetchFailed, match="the response is compressed"):
            await fetcher.get(f"{served.url}/bomb")
    await fetcher.close()


async def test_what_is_sent_after_a_response_answers_no_later_request() -> None:
    whole = OK + b"Content-Length: 2\r\n\r\nok"
    fetcher = Fetcher(transport=OutsideTransport())
    scripts = {
        "a": Script(whole + OK + b"Content-Length: 6\r\n\r\nforged", b"", pause_s=60),
        "b": Script(whole, b"", 60),
    }
    async with Evil(scripts).serving() as server:
        assert await fetcher.get(f"{server.url}/a") == b"ok"
        assert await fetcher.get(f"{server.url}/b") == b"ok"
    await fetcher.close()


async def test_sign_in_providers_are_bounded_alike() -> None:
    client = OidcClient()
    scripts = {**{name: script for name, (script, _) in FAST.items()}, **BODIES}
    async with Evil(scripts).serving() as server:
        for name in scripts:
            with pytest.raises(ProviderUnavailable):
                await client.request("GET", f"{server.url}/{name}")
    await client.close()


@contextmanager
def environment(patch: pytest.MonkeyPatch, **proxies: str) -> Iterator[None]:
    with patch.context() as patched:
        for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
            patched.delenv(name, raising=False)
            patched.delenv(name.upper(), raising=False)
        for name, url in proxies.items():
            patched.setenv(name, url)
        yield


@pytest.mark.parametrize(
    ("proxies", "is_proxied"),
    [
        (lambda url: {"HTTP_PROXY": url}, True),
        (lambda url: {"http_proxy": url.removeprefix("http://")}, True),
        (lambda url: {"ALL_PROXY": url}, True),
        (lambda url: {"HTTPS_PROXY": url}, False),
        (lambda url: {"HTTP_PROXY": url, "NO_PROXY": "other.example.org,.example.org"}, False),
        (lambda _: {}, False),
    ],
    ids=["http", "without scheme", "all", "only https", "not for this one", "none"],
)
async def test_the_environment_says_through_which_proxy(
    monkeypatch: pytest.MonkeyPatch, proxies: Callable[[str], dict[str, str]], *, is_proxied: bool
) -> None:
    with provider() as proxy:
        # A proxy gets the whole address.
        proxy.replies["http://prices.example.org:1/a"] = Reply(b"through the proxy")
        with environment(monkeypatch, **proxies(proxy.url)):
            fetcher = Fetcher()
            if is_proxied:
                assert await fetcher.get("http://prices.example.org:1/a") == b"through the proxy"
            else:
                with pytest.raises(FetchFailed):
                    await fetcher.get("http://prices.example.org:1/a")
                assert proxy.asked == []
        await fetcher.close()
