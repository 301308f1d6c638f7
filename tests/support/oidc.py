"""Providers to sign in through, over real HTTP, and the browser that goes to them and back.

`mock_issuer` is oidc-provider-mock in a process of its own: a provider that follows the rules. `scripted` breaks them
as a test sets it, and alone checks PKCE. `oauth_service` is a service with both in its settings.
"""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.scripted_provider import ScriptedProvider
from tests.support.service import Service

PUBLIC_URL = "http://foreknow.test"
CLIENT_ID = "foreknow"
CLIENT_SECRET = "half:a+secret &%"
START_S = 120


def free_port() -> int:
    """Return a port that no process listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def provider_settings(issuer: str, **more: Any) -> dict[str, Any]:
    """Return what the settings say of a provider."""
    return {"issuer": issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET} | more


@pytest.fixture(scope="session")
def mock_issuer() -> Iterator[str]:
    """The issuer of a running oidc-provider-mock."""
    port = free_port()
    issuer = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline_s = time.monotonic() + START_S
        while not _answers(issuer):
            assert process.poll() is None, "the provider does not start"
            assert time.monotonic() < deadline_s, "the provider does not answer"
            time.sleep(0.1)
        yield issuer
        process.terminate()


@pytest.fixture
def scripted(scripted_provider: ScriptedProvider) -> ScriptedProvider:
    """The provider that does as the test says, as well-behaved as at first."""
    scripted_provider.behave()
    return scripted_provider


@pytest.fixture(scope="session")
def scripted_provider() -> Iterator[ScriptedProvider]:
    """One such provider for the whole run."""
    provider = ScriptedProvider()
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def oauth_settings(mock_issuer: str, scripted_provider: ScriptedProvider) -> dict[str, Any]:
    """Settings with both providers, and one that is not there."""
    return {
        "public_url": PUBLIC_URL,
        "oidc_providers": {
            "mock": provider_settings(mock_issuer),
            "scripted": provider_settings(scripted_provider.issuer),
            "public": {"issuer": scripted_provider.issuer, "client_id": CLIENT_ID},
            "down": provider_settings(f"http://127.0.0.1:{free_port()}"),
        },
    }


@pytest.fixture(scope="module")
def oauth_service(module_database_url: str, oauth_settings: dict[str, Any]) -> Iterator[Service]:
    """A running service with sign-in providers, which the tests of a file share."""
    running = Service(module_database_url, **oauth_settings)
    yield running
    running.stop()


class Browser:
    """A user's browser: it keeps the service's cookies, and goes to a provider and back."""

    def __init__(self, service: Service) -> None:
        """Know no cookie yet."""
        self.client = service.client()

    def start(self, provider: str = "mock", **query: str) -> str:
        """Begin a sign-in and return the address at the provider that one is sent to."""
        answer = self.client.get(f"/auth/oauth/{provider}", params=query)
        assert answer.status_code == 303, answer.text
        assert answer.content == b""
        return str(answer.headers["location"])

    def come_back(self, url: str, *, keep: bool = True) -> httpx.Response:
        """Follow the provider's redirect to our callback; with `keep` False, without any cookie."""
        assert url.startswith(PUBLIC_URL + "/api/v1/auth/oauth/"), url
        path = url.removeprefix(PUBLIC_URL + "/api/v1")
        if not keep:
            self.client.cookies.clear()
        return self.client.get(path)

    def sign_in(self, sub: str, claims: Mapping[str, Any] | None = None, **query: str) -> httpx.Response:
        """Sign in at oidc-provider-mock as `sub`, to whom it may say `claims`, and return the callback's answer."""
        url = self.start(**query)
        return self.come_back(approve(url, sub, claims))

    def me(self) -> dict[str, Any]:
        """Return whom the cookies say this is."""
        answer = self.client.get("/users/me")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def approve(url: str, sub: str, claims: Mapping[str, Any] | None = None, *, deny: bool = False) -> str:
    """Sign in (or refuse to) on the mock's page at `url`, and return the address that it leads back to."""
    if claims is not None:
        parts = urlsplit(url)
        put = httpx.put(
            f"{parts.scheme}://{parts.netloc}/users/{sub}", json=dict(claims), trust_env=False, verify=NO_TLS
        )
        assert put.status_code == 204, put.text
    answer = httpx.post(url, data={"action": "deny"} if deny else {"sub": sub}, trust_env=False, verify=NO_TLS)
    assert answer.status_code == 302, answer.text
    return str(answer.headers["location"])


def new_identity() -> tuple[str, dict[str, Any]]:
    """Return a subject that was never used before, and claims with a verified address."""
    unique = secrets.token_hex(6)
    claims = {"email": f"Person_{unique}@Example.org", "email_verified": True, "name": f"User {unique}"}
    return f"sub-{unique}", claims


def parameters(url: str) -> dict[str, str]:
    """Return the parameters of an address."""
    return dict(parse_qsl(urlsplit(url).query))


def _answers(issuer: str) -> bool:
    try:
        return (
            httpx.get(f"{issuer}/.well-known/openid-configuration", trust_env=False, verify=NO_TLS).status_code == 200
        )
    except httpx.TransportError:
        return False
