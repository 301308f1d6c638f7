"""Names of other sites are reached at public addresses only, at those that were checked, under their own names."""

from __future__ import annotations

import datetime as dt
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from foreknow.platform.fetching import Fetcher, FetchFailed, PublicTransport
from foreknow.platform.fetching.public import Address, is_public
from tests.support.proofs import proves
from tests.support.providers import Reply, provider

NAME = "api.example.org"
#: Both are loopback; the tests take the first for a public address.
PUBLIC, INSIDE = "127.0.0.2", "127.0.0.1"


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:0.0.0.0",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::10.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b:1::8.8.8.8",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "2606:4700::1%eth0",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
    ],
)
def test_addresses_inside_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "100.63.255.255", "100.128.0.0", "2606:4700::6810:1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2a00::1"],
)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(ip_address(address))


class Site:
    """An https server on a loopback address with a certificate for `NAME`."""

    def __init__(self, folder: Path, host: str, port: int = 0) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.names: list[str | None] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.path, self.headers["Host"]))
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(_certificate(folder))
        context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _certificate(folder: Path) -> Path:
    """Write a certificate for `NAME` that signs itself, with its key, and return the file."""
    path = folder / "site.pem"
    if path.exists():
        return path
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2120, 1, 1, tzinfo=dt.UTC))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    path.write_bytes(private + made.public_bytes(Encoding.PEM))
    return path


class Names:
    """A resolver whose answers a test sets: one list of addresses for each time it is asked, the last one forever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, name: str, port: int) -> Sequence[str]:
        self.asked.append((name, port))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if not answer:
            raise OSError("no such name")
        return answer


Fetch = Callable[..., Fetcher]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path, PUBLIC)
    yield made
    made.close()


@pytest.fixture
async def fetch(tmp_path: Path) -> AsyncIterator[Fetch]:
    opened: list[Fetcher] = []

    def make(names: Names, *, is_public: Callable[[Address], bool] = lambda address: str(address) == PUBLIC) -> Fetcher:
        tls = ssl.create_default_context(cafile=_certificate(tmp_path))
        opened.append(Fetcher(answer_s=10, transport=PublicTransport(resolve=names, is_public=is_public, tls=tls)))
        return opened[-1]

    yield make
    for one in opened:
        await one.close()


async def test_a_name_is_reached_at_its_public_address_under_its_name(site: Site, fetch: Fetch) -> None:
    names = Names([PUBLIC])
    assert await fetch(names).get(f"https://{NAME}:{site.port}/a?b=c") == b"ok"
    assert site.asked == [("/a?b=c", f"{NAME}:{site.port}")]
    assert site.names == [NAME]
    assert names.asked == [(NAME, site.port)]


@proves("lifecycle: https names must resolve to public addresses")
@pytest.mark.parametrize("addresses", [[INSIDE], [PUBLIC, INSIDE], [INSIDE, PUBLIC], ["::1"], ["not an address"], []])
async def test_a_name_that_is_not_public_is_not_connected_to(site: Site, fetch: Fetch, addresses: list[str]) -> None:
    with pytest.raises(FetchFailed):
        await fetch(Names(addresses)).get(f"https://{NAME}:{site.port}/")
    assert (site.asked, site.names) == ([], [])


@proves("lifecycle: and are connected as checked;")
async def test_a_name_that_changes_its_address_is_reached_at_the_one_that_was_checked(
    tmp_path: Path, site: Site, fetch: Fetch
) -> None:
    inside = Site(tmp_path, INSIDE, site.port)
    try:
        names = Names([PUBLIC], [INSIDE])
        fetcher = fetch(names)
        assert await fetcher.get(f"https://{NAME}:{site.port}/") == b"ok"
        assert len(names.asked) == 1
        with pytest.raises(FetchFailed):
            await fetcher.get(f"https://{NAME}:{site.port}/")
        assert len(site.asked) == 1
        assert (inside.asked, inside.names) == ([], [])
    finally:
        inside.close()


async def test_the_next_address_is_tried_where_one_does_not_listen(site: Site, fetch: Fetch) -> None:
    fetcher = fetch(Names(["127.0.0.3", PUBLIC]), is_public=lambda _: True)
    assert await fetcher.get(f"https://{NAME}:{site.port}/") == b"ok"


async def test_a_certificate_for_another_name_is_no_answer(site: Site, fetch: Fetch) -> None:
    with pytest.raises(FetchFailed):
        await fetch(Names([PUBLIC])).get(f"https://other.example.org:{site.port}/")
    assert site.asked == []


async def test_a_certificate_that_no_one_vouches_for_is_no_answer(site: Site) -> None:
    fetcher = Fetcher(transport=PublicTransport(resolve=Names([PUBLIC]), is_public=lambda _: True))
    with pytest.raises(FetchFailed):
        await fetcher.get(f"https://{NAME}:{site.port}/")
    await fetcher.close()
    assert site.asked == []


async def test_the_machines_own_names_are_not_public() -> None:
    fetcher = Fetcher(transport=PublicTransport())
    for name in ("localhost", "2130706433", "0x7f000001", "127.1"):
        with pytest.raises(FetchFailed):
            await fetcher.get(f"https://{name}:1/")
    await fetcher.close()


@proves("lifecycle: http or an IP only as the setting spells it.")
async def test_http_and_addresses_are_reached_as_the_setting_spells_them() -> None:
    fetcher = Fetcher(transport=PublicTransport(resolve=Names([])))
    with provider() as served:
        served.replies["/a"] = Reply(b"ok")
        assert await fetcher.get(f"{served.url}/a") == b"ok"
    await fetcher.close()


@proves("lifecycle: No redirects,")
async def test_a_redirect_is_not_followed() -> None:
    fetcher = Fetcher(transport=PublicTransport())
    with provider() as served:
        served.replies["/a"] = Reply(b"", 302, {"Location": f"{served.url}/b"})
        with pytest.raises(FetchFailed):
            await fetcher.get(f"{served.url}/a")
        assert served.asked == ["/a"]
    await fetcher.close()


async def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with provider() as served, provider() as proxy:
        served.replies["/a"] = Reply(b"ok")
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        fetcher = Fetcher(transport=PublicTransport())
        assert await fetcher.get(f"{served.url}/a") == b"ok"
        assert proxy.asked == []
        await fetcher.close()
