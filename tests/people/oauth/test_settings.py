"""What the settings say of providers, and that no message about them tells a secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from foreknow.kernel.settings import Settings

SECRET = "canary-5f3a"
GOOD: dict[str, Any] = {"issuer": "https://accounts.example.org", "client_id": "foreknow", "client_secret": SECRET}


def settings(monkeypatch: pytest.MonkeyPatch, providers: str, public_url: str = "https://example.org/") -> Settings:
    monkeypatch.setenv("FOREKNOW_OIDC_PROVIDERS", providers)
    monkeypatch.setenv("FOREKNOW_PUBLIC_URL", public_url)
    return Settings()


def test_providers_are_read_from_json(monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings(monkeypatch, json.dumps({"one": GOOD, "two": GOOD | {"scopes": ["email", "groups"]}}))
    assert found.oidc_providers["one"].scopes == "openid email profile"
    assert found.oidc_providers["one"].client_secret.get_secret_value() == SECRET
    assert found.oidc_providers["two"].scopes == "openid email groups"
    assert found.public_origin == "https://example.org"
    assert SECRET not in repr(found)


@pytest.mark.parametrize("nothing", ["", "{}"])
def test_there_may_be_none(monkeypatch: pytest.MonkeyPatch, nothing: str) -> None:
    assert settings(monkeypatch, nothing, public_url="").oidc_providers == {}


@pytest.mark.parametrize(
    "wrong",
    [
        f'{{"one": {SECRET}',
        json.dumps([GOOD]),
        json.dumps({"One": GOOD}),
        json.dumps({"a/b": GOOD}),
        json.dumps({"": GOOD}),
        json.dumps({"one": GOOD | {"issuer": "http://accounts.example.org"}}),
        json.dumps({"one": GOOD | {"issuer": "https://accounts.example.org/?tenant=1"}}),
        json.dumps({"one": GOOD | {"issuer": "accounts.example.org"}}),
        json.dumps({"one": GOOD | {"client_id": ""}}),
        json.dumps({"one": GOOD | {"client_secret": [SECRET]}}),
        json.dumps({"one": GOOD | {"secret": SECRET}}),
    ],
)
def test_wrong_ones_are_refused_without_telling_the_secret(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    with pytest.raises(ValidationError) as error:
        settings(monkeypatch, wrong)
    assert SECRET not in str(error.value)
    assert {error["loc"][0] for error in error.value.errors()} == {"oidc_providers"}


def test_a_provider_needs_to_know_where_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match="FOREKNOW_PUBLIC_URL"):
        settings(monkeypatch, json.dumps({"one": GOOD}), public_url="")


@pytest.mark.parametrize("issuer", ["http://localhost:9400", "http://127.0.0.1:9400", "http://[::1]:9400"])
def test_a_provider_on_this_machine_needs_no_https(monkeypatch: pytest.MonkeyPatch, issuer: str) -> None:
    found = settings(monkeypatch, json.dumps({"one": GOOD | {"issuer": issuer}}))
    assert found.oidc_providers["one"].issuer == issuer
