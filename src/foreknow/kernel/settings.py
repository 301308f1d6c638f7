"""Settings: environment variables `FOREKNOW_*`, all with defaults; docs/settings.md lists them."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from foreknow.kernel.community_settings import CommunitySettings
from foreknow.kernel.cors_settings import CorsSettings
from foreknow.kernel.grant_settings import GrantSettings
from foreknow.kernel.hosts import LOOPBACK, parse_origin
from foreknow.kernel.mail_settings import EmailFrom, SmtpUrl
from foreknow.kernel.networks import parse_networks
from foreknow.kernel.provider_settings import AssetProvider, OddsSource, OidcProviders, RateProvider, api_url, named
from foreknow.kernel.rates import parse_rate
from foreknow.kernel.terms import Terms
from foreknow.kernel.text import is_seen, nfc, one_line
from foreknow.kernel.units import AMOUNT_MAX

#: 128 bits in hexadecimal digits.
TOKEN_SECRET_LENGTH_MIN = 32
#: The fallback that means the keys stored in the database.
DATABASE_KEYS = "database"


class Settings(CommunitySettings, Terms, GrantSettings, CorsSettings, BaseSettings):
    """The settings of a service, terms included. Each field is the variable FOREKNOW_<NAME>."""

    model_config = SettingsConfigDict(
        env_prefix="FOREKNOW_", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    data_dir: Path = Field(Path("foreknow-data"), description="Folder for the SQLite database and stored images.")
    database_url: str = Field(
        "",
        description="postgresql://user[:password]@host:port/name (a primary and its standbys: host:port,host:port) or "
        "sqlite:///path; empty: SQLite in data_dir.",
    )
    replica_url: str = Field(
        "",
        description="A streaming replica of a PostgreSQL database_url, in the same form, for public reads, which stay "
        "as fresh as without it (docs/operations/scale.md). Empty: all reads go to the database.",
    )
    backup_days: int = Field(14, ge=1, description="Days for which `foreknow backup` keeps a backup.")
    trial: Literal["on", "off"] = Field(
        "off",
        description="on: this database is a copy for a trial. It sends nothing to partners or alert channels "
        "(docs/operations/backup.md), for copies that cannot tell by themselves, such as that of a whole machine.",
    )
    web: Literal["on", "off"] = Field(
        "on", description="off serves the interface alone, without the web client, and bin/setup does not build it."
    )
    public_url: str = Field(
        "",
        description="The service's own origin as browsers see it, such as https://example.org: http(s)://host[:port], "
        "without a path. Where it is set, a browser's Origin is compared with it alone.",
    )
    cookie_secure: bool | None = Field(
        None,
        description="Mark cookies Secure. Unset: on, except while listening on a loopback address without an "
        "https public_url.",
    )
    admin_email: str = Field("", description="With admin_password: creates this admin at the start, if missing.")
    admin_password: SecretStr = Field(SecretStr(""), description="The first admin's password; not a common one.")
    admin_name: str = Field("Admin", description="The first admin's display name.")
    token_secret: SecretStr = Field(
        SecretStr(""),
        description="Signs access and refresh tokens: at least 32 random characters, the same on every server. Unset: "
        "random keys stored in the database, a stolen copy of which would then allow forging tokens.",
    )
    token_secret_fallback: SecretStr = Field(
        SecretStr(""),
        description="While token_secret is replaced: another secret whose tokens are accepted, too; `database` for the "
        'keys stored there (docs/operations/upgrade.md, "The token secret"). Unset: none.',
    )
    token: SecretStr = Field(
        SecretStr(""),
        description="An admin's access token for the service of `foreknow replay --url`; an API key or access token "
        "with which `foreknow verify` reads a site for members.",
    )
    test_clock: Path | None = Field(
        None,
        description="For tests: all time, the database's too, is the Unix milliseconds in this file, which is read "
        "again every 0.1 s. Only while listening on a loopback address.",
    )
    site_dir: Path | None = Field(
        None,
        description="A folder with the looks of a site of one's own, read at the start, each file optional: logo.svg, "
        "icon.png, theme.json, and pages such as about.en.md (docs/own-site.md).",
    )
    rate_limits: Literal["on", "off"] = Field("on", description="off switches all rate limits off, for load tests.")
    limit_sign_in: str = Field(
        "100/s burst 1000",
        description="Sign-in, refresh and new passwords, per address. off: no limit.",
    )
    limit_sign_up: str = Field("60/m burst 600", description="Sign-ups, per address.")
    limit_trading: str = Field("1000/s", description="Bets and sales, per account; ten times this for a partner.")
    limit_orders: str = Field("50/s burst 500", description="Limit orders and cancels, per account; partners: tenfold.")
    limit_chat: str = Field("50/s burst 500", description="The support chat, per account or address.")
    limit_call_operator: str = Field("1/s burst 60", description="Calls of an operator in it, per account or address.")
    limit_avatars: str = Field(
        "20/h burst 20", description="Uploads of avatars, per account; five times this for all accounts of an address."
    )
    limit_comments: str = Field("50/s burst 500", description="Comments and reactions, per account.")
    limit_webhooks: str = Field(
        "10/m", description="Changes and tests of its webhook by a partner, of which it has ten times this."
    )
    limit_reads: str = Field("2000/s", description="Reads, per account or address; ten times this for a partner.")
    limit_writes: str = Field("1000/s", description="All other writes, likewise.")
    limit_work: str = Field(
        "30/s burst 1000",
        description="Milliseconds of work that an account or address may cause by reads and writes; a caller that has "
        "used them up waits for further responses.",
    )
    limit_sockets: str = Field("500/s burst 5000", description="New WebSockets, per address.")
    sockets_per_address: int = Field(
        10_000,
        ge=0,
        description="Limits the open WebSockets and event streams of an address; 0: no limit. Never more than half "
        "of the connections that a process takes.",
    )
    connections_max: int = Field(
        20_000,
        ge=0,
        description="Limits the open connections of a process, WebSockets included; 0: no limit. Never more than the "
        "limit of open files less 200.",
    )
    connections_per_address: int = Field(
        2_000,
        ge=0,
        description="Limits the open connections of an address to a process, without WebSockets; 0: no limit. Never "
        "more than a quarter of those that it takes in all. Does not apply to trusted proxies.",
    )
    memory_limit_mib: int = Field(
        0,
        ge=0,
        description="A process that uses 90 % of this many MiB accepts no more connections. 0: the limit of its "
        "control group (a container, a unit's MemoryMax), shared evenly by the workers.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses or CIDR blocks of the proxies in front, separated by commas, whose X-Forwarded-For is "
        "trusted. Unset: none is, and all clients behind a proxy share its address.",
    )
    drain_seconds: int = Field(
        0,
        ge=0,
        le=3600,
        description="Seconds after SIGTERM in which a server still serves while its GET /ready responds with 503: a "
        "little longer than the load balancer takes to notice.",
    )
    metrics_token: SecretStr = Field(
        SecretStr(""),
        description="The Bearer token for /metrics. Unset: only clients on this machine may read it, and none if "
        "public_url is set.",
    )
    log_requests: Literal["off", "debug", "info"] = Field(
        "debug", description="The level of the request log; debug is not shown at log_level's default, info."
    )
    oidc_providers: Annotated[OidcProviders, NoDecode] = Field(
        {},
        description="OpenID Connect providers to sign in through, as JSON by their names in "
        '/api/v1/auth/oauth/{name}: {"google": {"issuer": "https://accounts.google.com", "client_id": "…", '
        '"client_secret": "…", "scopes": "openid email profile"}}. Needs public_url; register '
        "public_url/api/v1/auth/oauth/{name}/callback at each provider.",
    )
    password_cost: Literal["normal", "low"] = Field(
        "normal", description="low makes argon2 cheap, for tests; never use it in production."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The lowest level logged.")
    log_format: Literal["auto", "console", "json"] = Field("auto", description="auto: console on terminals, or json.")
    support_alert_urls: SecretStr = Field(
        SecretStr(""),
        description="Channels that alert the support team when a visitor calls an operator: apprise URLs (Telegram, "
        "Slack, mailto://, json:// for a webhook, …), separated by commas or white space. Unset: no alerts.",
    )
    operator_alert_urls: SecretStr = Field(
        SecretStr(""),
        description="Channels that alert operators when something waits for a person (GET /admin/attention), in the "
        "same form. Unset: the support team's.",
    )
    smtp_url: SmtpUrl = SecretStr("")
    email_from: EmailFrom = ""
    image_store_url: str = Field(
        "",
        description="Storage of cover images: s3://bucket/folder, gs://…, az://… or file:///folder; empty: the folder "
        "images in data_dir, which all servers must then share.",
    )
    image_store_options: Annotated[dict[str, SecretStr], NoDecode] = Field(
        {},
        description='Options of the image store as JSON, such as {"region": "…", "endpoint": "https://…", '
        '"access_key_id": "…", "secret_access_key": "…"}; others come from the usual variables (AWS_…).',
    )
    asset_providers: Annotated[list[AssetProvider], NoDecode, AfterValidator(named)] = Field(
        [],
        description="Exchanges that provide prices, as JSON, by priority: "
        '[{"adapter": "binance", "url": "https://api.binance.com/api/v3/ticker/price", "every_s": 60, "assets": '
        '{"BTC": {"pair": "BTCUSDT", "name": "Bitcoin", "asset_type": "crypto"}}}, {"adapter": "coinbase", "url": '
        '"https://api.exchange.coinbase.com/products/{pair}/ticker", "assets": {"BTC": {"pair": "BTC-USD"}}}].',
    )
    rate_providers: Annotated[list[RateProvider], NoDecode, AfterValidator(named)] = Field(
        [],
        description="Central banks that provide currency rates, as JSON, by priority: "
        '[{"adapter": "cbr", "url": "https://www.cbr.ru/scripts/XML_daily.asp", "every_s": 3600}, {"adapter": "ecb", '
        '"url": "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"}].',
    )
    admin_price_hours: int = Field(
        24, ge=0, description="Hours in which no provider overwrites a price or rate set by an admin."
    )
    odds_sources: Annotated[dict[OddsSource, Annotated[str, AfterValidator(api_url)]], NoDecode] = Field(
        {},
        description="APIs of sites whose odds events can follow, as JSON: "
        '{"polymarket": "https://gamma-api.polymarket.com", "manifold": "https://api.manifold.markets", "kalshi": '
        '"https://api.elections.kalshi.com/trade-api/v2"}. An https name must resolve to public addresses. Unset: no '
        "site is asked.",
    )
    odds_every_s: int = Field(30, ge=1, le=86_400, description="Seconds between two rounds of an event's odds.")
    odds_stale_s: int = Field(120, ge=1, le=86_400, description="Seconds after which odds are too old to be followed.")
    odds_name: str = Field(
        "House", min_length=1, max_length=200, description="Name of the house's trading account, as traders see it."
    )
    odds_step_kopecks: int = Field(
        10_000,
        ge=0,
        le=AMOUNT_MAX,
        description="The most that the house account spends in a round to move a pool to its source's prices.",
    )
    odds_budget_kopecks: int = Field(
        0,
        ge=0,
        le=AMOUNT_MAX,
        description="The most that the house account spends on a pool, stakes less payouts. 0: it never trades.",
    )
    odds_day_kopecks: int | None = Field(
        None,
        ge=0,
        le=AMOUNT_MAX,
        description="The most that the house account spends in all pools together in a UTC day, stakes less payouts. "
        "Unset: ten times FOREKNOW_ODDS_BUDGET_KOPECKS.",
    )
    webhook_internal_hosts: str = Field(
        "",
        description="Host names and IP addresses, separated by commas, that partners' webhooks may have though they "
        "are not public; by http, too. All others have https and a name with public addresses.",
    )
    #: The listening address, set by `foreknow serve`, not by the environment: hence not on the settings page.
    listen_host: str = Field("127.0.0.1", exclude=True)
    #: Number of processes that share address and memory, also set by `foreknow serve`.
    workers: int = Field(1, exclude=True)

    @field_validator(
        "limit_sign_in",
        "limit_sign_up",
        "limit_avatars",
        "limit_trading",
        "limit_orders",
        "limit_chat",
        "limit_call_operator",
        "limit_comments",
        "limit_webhooks",
        "limit_reads",
        "limit_writes",
        "limit_work",
        "limit_sockets",
    )
    @classmethod
    def _is_rate(cls, text: str) -> str:
        parse_rate(text)
        return text

    @field_validator("public_url")
    @classmethod
    def _is_origin(cls, url: str) -> str:
        return parse_origin(url) if url else url

    @field_validator("replica_url")
    @classmethod
    def _is_replica(cls, url: str, info: ValidationInfo) -> str:
        if not url:
            return url
        parts = urlsplit(url)
        if parts.scheme != "postgresql" or not parts.hostname or not parts.path[1:]:
            raise ValueError("it has the form postgresql://user[:password]@host:port/name")
        if not info.data.get("database_url", "").startswith("postgresql:"):
            raise ValueError("only PostgreSQL has replicas; set FOREKNOW_DATABASE_URL to the primary")
        return url

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        parse_networks(text)
        return text

    @field_validator("token_secret", "token_secret_fallback")
    @classmethod
    def _long_enough(cls, secret: SecretStr, info: ValidationInfo) -> SecretStr:
        text = secret.get_secret_value()
        means_database = info.field_name == "token_secret_fallback" and text == DATABASE_KEYS
        if 0 < len(text) < TOKEN_SECRET_LENGTH_MIN and not means_database:
            raise ValueError(f"{info.field_name} needs at least {TOKEN_SECRET_LENGTH_MIN} characters")
        return secret

    @field_validator(
        "oidc_providers", "image_store_options", "asset_providers", "rate_providers", "odds_sources", mode="before"
    )
    @classmethod
    def _from_json(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        empty = cls.model_fields[str(info.field_name)].default
        try:
            return json.loads(value) if value else empty
        except ValueError:
            # Without the parser's message, which may contain a secret.
            raise ValueError("this is no valid JSON") from None

    @field_validator("oidc_providers")
    @classmethod
    def _reachable(cls, providers: OidcProviders, info: ValidationInfo) -> OidcProviders:
        # Not where public_url is invalid: that is the one error to report.
        if providers and info.data.get("public_url") == "":
            raise ValueError("sign-in providers need FOREKNOW_PUBLIC_URL")
        return providers

    @model_validator(mode="after")
    def _verifies(self) -> Self:
        if self.sends_mail and not (self.email_from and self.public_url):
            raise ValueError("FOREKNOW_SMTP_URL needs FOREKNOW_EMAIL_FROM and FOREKNOW_PUBLIC_URL")
        if self.asks_for_verification and not (self.sends_mail or self.oidc_providers):
            setting = "FOREKNOW_SIGN_UP_DOMAINS" if self.email_domains else "FOREKNOW_EMAIL_VERIFICATION=on"
            raise ValueError(f"{setting} needs FOREKNOW_SMTP_URL or a sign-in provider (FOREKNOW_OIDC_PROVIDERS)")
        if self.passwords == "admins" and not self.oidc_providers:
            raise ValueError("FOREKNOW_PASSWORDS=admins needs a sign-in provider (FOREKNOW_OIDC_PROVIDERS)")
        return self

    @field_validator("odds_name")
    @classmethod
    def _is_name(cls, name: str) -> str:
        if not is_seen(name) or one_line(name) != name:
            raise ValueError("a name is one line with something to be seen")
        return nfc(name)

    @property
    def sends_mail(self) -> bool:
        """Whether users get mails."""
        return bool(self.smtp_url.get_secret_value())

    @property
    def odds_day_limit_kopecks(self) -> int:
        """What the house account spends at most in a UTC day."""
        return 10 * self.odds_budget_kopecks if self.odds_day_kopecks is None else self.odds_day_kopecks

    @property
    def public_origin(self) -> str:
        """The service's own origin without a trailing slash; "" if not set."""
        return self.public_url

    @property
    def resolved_database_url(self) -> str:
        """The database's URL; SQLite in the data folder if not set."""
        return self.database_url or f"sqlite:///{self.data_dir}/foreknow.sqlite3"

    @property
    def terms(self) -> Terms:
        """The settings that rules depend on, without the others."""
        return Terms(**{name: getattr(self, name) for name in Terms.model_fields})

    @property
    def webhook_hosts(self) -> frozenset[str]:
        """The hosts of `webhook_internal_hosts`, as URLs name them."""
        hosts = (host.strip().strip("[]").lower() for host in self.webhook_internal_hosts.split(","))
        return frozenset(filter(None, hosts))

    @property
    def is_loopback(self) -> bool:
        """Whether the server listens on this machine only."""
        if self.listen_host in LOOPBACK:
            return True
        try:
            return ipaddress.ip_address(self.listen_host).is_loopback
        except ValueError:
            return False

    @property
    def cookies_are_secure(self) -> bool:
        """Whether cookies are marked Secure."""
        if self.cookie_secure is not None:
            return self.cookie_secure
        return self.public_url.lower().startswith("https://") or not self.is_loopback
