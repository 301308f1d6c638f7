"""Providers that break the rules: what they say is not believed, and what they do not say is not waited for."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from foreknow.people.oauth import http
from tests.people.oauth.signing_in import sign_in
from tests.service.logs.conftest import Caught
from tests.service.logs.conftest import caught as caught  # noqa: PLC0414 - a fixture
from tests.support.kinds import ON_SQLITE
from tests.support.oidc import CLIENT_ID, CLIENT_SECRET, Browser, new_identity, parameters
from tests.support.scripted_provider import ScriptedProvider, drip_until, new_key
from tests.support.service import Service, refused
from tests.support.waiting import wait_until

pytestmark = ON_SQLITE


def vouched(provider: ScriptedProvider) -> dict[str, Any]:
    """Let the provider vouch for a new identity."""
    sub, claims = new_identity()
    provider.claims = {"sub": sub} | claims
    return provider.claims


def test_the_code_is_exchanged_with_its_verifier_and_our_secret(
    oauth_service: Service, scripted: ScriptedProvider
) -> None:
    vouched(scripted)
    assert sign_in(oauth_service, scripted).status_code == 303
    form, headers = next((form, headers) for path, form, headers in scripted.asked if path == "/token")
    assert set(form) == {"grant_type", "code", "redirect_uri", "code_verifier"}
    assert len(form["code_verifier"]) == 43
    basic = base64.b64decode(headers["authorization"].removeprefix("Basic ")).decode()
    assert basic == f"{CLIENT_ID}:half%3Aa%2Bsecret+%26%25"


def test_a_public_client_sends_its_name_alone(oauth_service: Service, scripted: ScriptedProvider) -> None:
    vouched(scripted)
    assert sign_in(oauth_service, scripted, "public").status_code == 303
    form, headers = next((form, headers) for path, form, headers in scripted.asked if path == "/token")
    assert form["client_id"] == CLIENT_ID
    assert "client_secret" not in form
    assert "authorization" not in headers


def test_the_secret_goes_into_the_form_where_the_provider_knows_no_other_way(
    new_service: Service, scripted: ScriptedProvider
) -> None:
    vouched(scripted)
    scripted.discovery = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert sign_in(new_service, scripted).status_code == 303
    form, headers = next((form, headers) for path, form, headers in scripted.asked if path == "/token")
    assert form["client_secret"] == CLIENT_SECRET
    assert "authorization" not in headers


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"aud": "another-party"},
        {"aud": ["another-party"]},
        {"aud": None},
        {"aud": [CLIENT_ID, "another-party"]},
        {"azp": "another-party"},
        {"aud": [CLIENT_ID, "another-party"], "azp": "another-party"},
        {"nonce": "another"},
        {"nonce": None},
        {"nonce": 7},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"exp": "tomorrow"},
        {"iat": 9_000_000_000, "exp": 9_000_000_001},
        {"iat": None},
        {"nbf": 9_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "s" * 256},
        {"sub": "nul\0"},
        {"sub": "ы"},
        {"at_hash": "AAAA"},
        {"at_hash": 7},
    ],
    ids=str,
)
def test_an_id_token_with_a_wrong_claim_signs_no_one_in(
    oauth_service: Service, scripted: ScriptedProvider, wrong: dict[str, Any]
) -> None:
    vouched(scripted)
    scripted.claims |= wrong
    answer = sign_in(oauth_service, scripted)
    refused(answer, 401, "unauthorized")
    assert "set-cookie" not in answer.headers


def test_an_id_token_for_several_is_good_where_it_is_ours(oauth_service: Service, scripted: ScriptedProvider) -> None:
    vouched(scripted)
    scripted.claims |= {"aud": [CLIENT_ID, "another-party"], "azp": CLIENT_ID}
    assert sign_in(oauth_service, scripted).status_code == 303


def test_an_id_token_that_another_party_signed_is_refused(oauth_service: Service, scripted: ScriptedProvider) -> None:
    vouched(scripted)
    scripted.key = new_key("first")
    refused(sign_in(oauth_service, scripted), 401, "unauthorized")


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_an_id_token_that_anyone_could_sign_is_refused(
    oauth_service: Service, scripted: ScriptedProvider, algorithm: str
) -> None:
    vouched(scripted)
    browser = Browser(oauth_service)
    url = browser.start("scripted")
    body = {"access_token": "x", "token_type": "Bearer", "id_token": forged(scripted, url, algorithm)}
    scripted.instead["/token"] = (200, {}, json.dumps(body).encode())
    refused(browser.come_back(scripted.approve(url)), 401, "unauthorized")


def forged(provider: ScriptedProvider, url: str, algorithm: str) -> str:
    now_s = int(time.time())
    claims = {"iss": provider.issuer, "aud": CLIENT_ID, "iat": now_s, "exp": now_s + 60}
    claims |= {"nonce": parameters(url)["nonce"]} | provider.claims
    said = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": algorithm, "kid": "first"}, claims))
    if algorithm == "none":
        return f"{said}."
    # Signed with the public key, as if that were a shared secret.
    public = provider.shown[0].as_pem(private=False)
    return f"{said}.{base64url(hmac.digest(public, said.encode(), hashlib.sha256))}"


def base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c", "ImFsZyI.e30.e30", "." * 5, "ы", "[" * 100_000])
def test_something_else_than_an_id_token_is_refused(
    oauth_service: Service, scripted: ScriptedProvider, token: str
) -> None:
    scripted.instead["/token"] = (200, {}, json.dumps({"access_token": "x", "id_token": token}).encode())
    refused(sign_in(oauth_service, scripted), 401, "unauthorized")


def test_new_keys_of_the_provider_are_found_when_they_are_first_used(
    new_service: Service, scripted: ScriptedProvider
) -> None:
    vouched(scripted)
    assert sign_in(new_service, scripted).status_code == 303
    assert sign_in(new_service, scripted).status_code == 303
    assert scripted.paths().count("/jwks") == 1
    scripted.key = new_key("second")
    scripted.header = {"kid": "second"}
    scripted.shown = [*scripted.shown, scripted.key]
    assert sign_in(new_service, scripted).status_code == 303
    assert scripted.paths().count("/jwks") == 2
    # Also where it has no name, or the old one.
    scripted.key = new_key("second")
    scripted.shown = [scripted.key]
    assert sign_in(new_service, scripted).status_code == 303
    assert scripted.paths().count("/.well-known/openid-configuration") == 1


def test_keys_that_we_do_not_understand_are_passed_over(new_service: Service, scripted: ScriptedProvider) -> None:
    vouched(scripted)
    keys = [
        {"kty": "AKP", "kid": "new", "pub": "AAAA"},
        {"kty": "EC", "crv": "brainpoolP256r1", "x": "AAAA", "y": "AAAA"},
        {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        {"kty": "RSA", "n": "AQAB"},
        {},
        7,
        scripted.shown[0].as_dict(private=False),
    ]
    scripted.instead["/jwks"] = (200, {}, json.dumps({"keys": keys}).encode())
    assert sign_in(new_service, scripted).status_code == 303


@pytest.mark.parametrize("supported", [True, None])
def test_an_answer_that_names_another_provider_is_refused(
    new_service: Service, scripted: ScriptedProvider, supported: bool | None
) -> None:
    vouched(scripted)
    scripted.discovery = {"authorization_response_iss_parameter_supported": supported}
    refused(sign_in(new_service, scripted, iss="https://elsewhere.example"), 400, "bad_request")
    assert sign_in(new_service, scripted, iss=scripted.issuer).status_code == 303
    if supported:
        refused(sign_in(new_service, scripted), 400, "bad_request")


def test_a_callback_of_another_provider_than_it_began_at_is_refused(
    oauth_service: Service, scripted: ScriptedProvider
) -> None:
    browser = Browser(oauth_service)
    back = scripted.approve(browser.start("scripted"))
    refused(browser.come_back(back.replace("/scripted/", "/public/")), 400, "bad_request")


def test_an_answer_with_neither_code_nor_error_is_refused(oauth_service: Service, scripted: ScriptedProvider) -> None:
    refused(sign_in(oauth_service, scripted, code=""), 400, "bad_request")


@pytest.mark.parametrize(
    ("error", "passed_on"), [("access_denied", True), ("<script>", False), ("ы", False), ("e" * 500, False)]
)
def test_an_error_of_the_provider_is_passed_on_where_it_is_one(
    oauth_service: Service, scripted: ScriptedProvider, error: str, passed_on: bool
) -> None:
    message = refused(sign_in(oauth_service, scripted, error=error), 401, "unauthorized")["message"]
    assert (error in message) is passed_on
    assert "/token" not in scripted.paths()


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "  Ада\0 Лав\nлейс \ud800 "}, "Ада Лавлейс"),
        ({"name": "x" * 300}, "x" * 200),
        ({"name": "e\u0301" * 150}, "\u00e9" * 150),
        ({"name": " \t", "preferred_username": "ada"}, "ada"),
        ({"name": None, "preferred_username": "ada@example.org"}, "Trader"),
        ({"name": ["Ada"]}, "Trader"),
        ({"name": "\u202eAda\u2069 👩\u200d🚀"}, "Ada 👩\u200d🚀"),
        ({"name": "\u3164\u200b", "preferred_username": "ada"}, "ada"),
        ({"name": "\u2800"}, "Trader"),
    ],
)
def test_a_name_fits_our_bounds_and_is_no_address(
    oauth_service: Service, scripted: ScriptedProvider, claims: dict[str, Any], name: str
) -> None:
    vouched(scripted)
    scripted.claims |= claims
    browser = Browser(oauth_service)
    assert browser.come_back(scripted.approve(browser.start("scripted"))).status_code == 303
    assert browser.me()["name"] == name


@pytest.mark.parametrize(
    "email",
    [
        "no address",
        "a%b@example.org",
        "b!a@example.org",
        "a@b@c",
        "@example.org",
        "x" * 250 + "@example.org",
        7,
        "\0@b.org",
    ],
)
def test_what_is_no_address_is_not_vouched_for(
    oauth_service: Service, scripted: ScriptedProvider, email: object
) -> None:
    vouched(scripted)
    scripted.claims |= {"email": email}
    refused(sign_in(oauth_service, scripted), 403, "email_not_verified")


def unavailable(answer: httpx.Response) -> None:
    assert "another way" in refused(answer, 500, "internal_error")["message"]


def test_a_provider_that_is_down_is_unavailable_and_the_service_goes_on(oauth_service: Service) -> None:
    client = oauth_service.client()
    unavailable(client.get("/auth/oauth/down"))
    assert client.get("/health").status_code == 200


def test_a_provider_that_describes_itself_wrongly_is_not_used(new_service: Service, scripted: ScriptedProvider) -> None:
    wrong: list[dict[str, Any]] = [
        {"issuer": "https://elsewhere.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"jwks_uri": 7},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "file:///etc/passwd"},
        {"token_endpoint": "/token"},
        {"authorization_endpoint": "http://[broken"},
    ]
    for discovery in wrong:
        scripted.discovery = discovery
        unavailable(new_service.client().get("/auth/oauth/scripted"))
    scripted.discovery = {}
    assert new_service.client().get("/auth/oauth/scripted").status_code == 303


NONSENSE: dict[str, tuple[int, dict[str, str], bytes]] = {
    "500": (500, {}, b"{}"),
    "html": (200, {}, b"<html>"),
    "array": (200, {}, b"[]"),
    "bytes": (200, {}, b"\xff"),
    "deep": (200, {}, b"[" * 100_000),
    "redirect": (302, {"Location": "/elsewhere"}, b""),
    "huge": (200, {}, b'{"x": "' + b"x" * 300_000 + b'"}'),
    "packed": (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"),
}


def test_a_provider_that_makes_no_sense_is_unavailable(new_service: Service, scripted: ScriptedProvider) -> None:
    vouched(scripted)
    for instead in NONSENSE.values():
        scripted.instead = {"/.well-known/openid-configuration": instead}
        unavailable(new_service.client().get("/auth/oauth/scripted"))
    assert "/elsewhere" not in scripted.paths()
    for (name, instead), path in itertools.product(NONSENSE.items(), ("/token", "/jwks")):
        scripted.asked.clear()
        scripted.instead = {path: instead}
        unavailable(sign_in(new_service, scripted))
        assert path in scripted.paths(), name
        assert "/elsewhere" not in scripted.paths()
    scripted.instead = {}
    assert sign_in(new_service, scripted).status_code == 303


def test_a_secret_that_the_provider_does_not_take_is_our_trouble_and_not_the_persons(
    oauth_service: Service, scripted: ScriptedProvider
) -> None:
    scripted.instead["/token"] = (401, {}, b'{"error": "invalid_client"}')
    unavailable(sign_in(oauth_service, scripted))


def test_a_slow_provider_is_given_up_on(
    new_service: Service, scripted: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "REQUEST_S", 1)
    never = threading.Event()
    scripted.instead["/.well-known/openid-configuration"] = drip_until(never)
    try:
        unavailable(new_service.client().get("/auth/oauth/scripted"))
    finally:
        never.set()


def test_a_slow_provider_is_asked_once_for_all_and_delays_no_one_else(
    new_service: Service, scripted: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long this machine takes for them all.
    monkeypatch.setattr(http, "REQUEST_S", 600)
    released = threading.Event()
    discovery = json.dumps(scripted._metadata()).encode()
    scripted.instead["/.well-known/openid-configuration"] = drip_until(released, discovery)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(new_service.together, [("GET", "/auth/oauth/scripted", {})] * 20)
        try:
            wait_until(scripted.paths)
            assert new_service.client().get("/health").status_code == 200
            assert not waiting.done()
        finally:
            released.set()
        assert {answer.status_code for answer in waiting.result()} == {303}
    assert scripted.paths().count("/.well-known/openid-configuration") == 1


def test_no_secret_of_a_sign_in_is_ever_logged(
    new_service: Service, scripted: ScriptedProvider, caught: Caught
) -> None:
    vouched(scripted)
    assert sign_in(new_service, scripted).status_code == 303
    scripted.claims["nonce"] = "another-nonce"
    refused(sign_in(new_service, scripted), 401, "unauthorized")
    scripted.instead["/token"] = (500, {}, b'{"error": "canary error", "secret": "canary answer"}')
    unavailable(sign_in(new_service, scripted))
    scripted.instead["/token"] = (200, {}, b"canary page")
    unavailable(sign_in(new_service, scripted))
    written = caught.text
    assert "provider ID token rejected" in written
    assert "provider returned an error" in written
    assert "provider response is not JSON" in written
    forms = [form for _, form, _ in scripted.asked if form]
    secrets = [CLIENT_SECRET, "canary", "another-nonce", "an-access-token", str(scripted.claims["email"])]
    for secret in secrets + [form[name] for form in forms for name in ("code", "code_verifier")]:
        assert secret not in written, secret
