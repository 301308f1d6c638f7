"""Settings of providers and sources: what the JSON of a variable holds."""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, field_validator

from foreknow.kernel.hosts import LOOPBACK, is_host


class OidcProvider(BaseModel):
    """An OpenID Connect provider, and our registration there."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    #: Exactly as in its discovery document and ID tokens, including a trailing slash.
    issuer: str
    client_id: str = Field(min_length=1)
    #: Empty for a public client.
    client_secret: SecretStr = SecretStr("")
    #: Separated by spaces, or a JSON array.
    scopes: str = "openid email profile"

    @field_validator("issuer")
    @classmethod
    def _safe(cls, issuer: str) -> str:
        parts = urlsplit(issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
            raise ValueError("an issuer is an https URL, or an http one of this machine")
        if not parts.hostname or parts.query or parts.fragment:
            raise ValueError("an issuer is a URL without query and fragment")
        return issuer

    @field_validator("scopes", mode="before")
    @classmethod
    def _spaced(cls, scopes: object) -> object:
        if isinstance(scopes, list):
            scopes = " ".join(map(str, scopes))
        return " ".join(dict.fromkeys(["openid", *scopes.split()])) if isinstance(scopes, str) else scopes


_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}", re.ASCII)


def _by_name(providers: dict[str, OidcProvider]) -> dict[str, OidcProvider]:
    for name in providers:
        if not _NAME.fullmatch(name):
            raise ValueError(f"a provider's name has 1 to 32 of a-z, 0-9, - and _, unlike {name!r}")
    return providers


#: By the name that stands in their addresses.
OidcProviders = Annotated[dict[str, OidcProvider], AfterValidator(_by_name)]

_SYMBOL = re.compile(r"[A-Za-z0-9._-]{1,20}", re.ASCII)
#: A provider's name; "" means its adapter.
_ProviderName = Annotated[str, Field(pattern=r"^[a-z0-9_-]{0,32}$")]


class ProvidedAsset(BaseModel):
    """An asset of an exchange: the pair with its price in US dollars, and the name and type of a new asset."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pair: str = Field(min_length=1, pattern=r"^[A-Za-z0-9._-]+$")
    name: str = Field("", max_length=200)
    asset_type: str = Field("crypto", min_length=1, max_length=200)


class AssetProvider(BaseModel):
    """An exchange. `{pair}` in the URL of a coinbase adapter stands for each asset's pair in turn."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    adapter: Literal["binance", "coinbase"]
    url: str = Field(pattern=r"^https?://")
    name: _ProviderName = ""
    every_s: int = Field(60, ge=1)
    assets: dict[str, ProvidedAsset] = Field(min_length=1)

    @field_validator("name")
    @classmethod
    def _not_an_admin(cls, name: str) -> str:
        if name == "admin":
            raise ValueError("admin is the source of prices that admins set")
        return name

    @field_validator("assets")
    @classmethod
    def _by_symbol(cls, assets: dict[str, ProvidedAsset]) -> dict[str, ProvidedAsset]:
        if not all(map(_SYMBOL.fullmatch, assets)):
            raise ValueError("a symbol has 1 to 20 letters, digits and . _ -")
        return {symbol.upper(): asset for symbol, asset in assets.items()}


class RateProvider(BaseModel):
    """A central bank: cbr for the Bank of Russia's daily table, ecb for the European Central Bank's."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    adapter: Literal["cbr", "ecb"]
    url: str = Field(pattern=r"^https?://")
    name: _ProviderName = ""
    every_s: int = Field(3600, ge=1)


#: A site whose odds events can follow.
OddsSource = Literal["polymarket", "manifold", "kalshi"]


def api_url(url: str) -> str:
    """Return where an API lies, without a trailing slash."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not is_host(parts.netloc) or parts.query or parts.fragment:
        raise ValueError("an API's address is http(s)://host[:port] with a path at most")
    return url.rstrip("/")


_Provider = TypeVar("_Provider", AssetProvider, RateProvider)


def named(providers: list[_Provider]) -> list[_Provider]:
    """Use the adapter as the default name; names must be unique."""
    named = [provider.model_copy(update={"name": provider.name or provider.adapter}) for provider in providers]
    if len({provider.name for provider in named}) != len(named):
        raise ValueError("two providers have the same name")
    return named
