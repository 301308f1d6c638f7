"""Settings of mails to users: the server that takes them, and the sender."""

from __future__ import annotations

from dataclasses import dataclass
from email.headerregistry import Address
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, Field, SecretStr

from foreknow.kernel.email_addresses import ascii_domain
from foreknow.kernel.hosts import LOOPBACK, is_host

#: What a local part has in quotes only (RFC 5322, 3.2.3).
_SPECIAL = frozenset('<>()[]:;@,\\"')
_PORTS = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mails are handed over."""

    host: str
    port: int
    #: TLS from the first byte, by STARTTLS, or none (this machine alone).
    tls: Literal["tls", "starttls", "none"]
    user: str
    password: str

    @classmethod
    def parse(cls, url: str) -> MailServer:
        """Read `smtp://` or `smtps://[user:password@]host[:port]`; `ValueError`."""
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = 0
        is_address = parts.hostname and is_host(parts.netloc.rpartition("@")[2]) and port != 0
        if parts.scheme not in _PORTS or not is_address or parts.path not in {"", "/"} or parts.query or parts.fragment:
            raise ValueError("it has the form smtp[s]://[user:password@]host[:port]")
        assert parts.hostname is not None
        plain: Literal["starttls", "none"] = "none" if parts.hostname in LOOPBACK else "starttls"
        return cls(
            parts.hostname,
            port or _PORTS[parts.scheme],
            "tls" if parts.scheme == "smtps" else plain,
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )


def parse_sender(text: str) -> Address:
    """Read `address` or `name <address>`, with the domain in ASCII; `ValueError`."""
    name, bracket, rest = text.strip().rpartition("<")
    address = rest.removesuffix(">") if bracket else rest
    if bracket and not rest.endswith(">"):
        raise ValueError("it has the form name@host or Name <name@host>")
    local, _, domain = address.rpartition("@")
    known = ascii_domain(domain)
    is_local = bool(local) and not any(char.isspace() or char in _SPECIAL for char in local)
    if known is None or not is_local or not text.isprintable():
        raise ValueError("it has the form name@host or Name <name@host>")
    return Address(name.strip().strip('"'), local, domain if domain.isascii() else known)


def _server_url(url: SecretStr) -> SecretStr:
    """Check the setting of the server; "" is none."""
    if url.get_secret_value():
        MailServer.parse(url.get_secret_value())
    return url


def _sender_text(text: str) -> str:
    """Check the setting of the sender; "" is none."""
    if text:
        parse_sender(text)
    return text


SmtpUrl = Annotated[
    SecretStr,
    AfterValidator(_server_url),
    Field(
        description="The server that takes mails to users: smtp://user:password@host:587 (with STARTTLS) or "
        "smtps://…:465; without TLS only on this machine. Needs email_from and public_url, with which every link of a "
        "mail begins. Unset: no mail is sent (docs/mail.md)."
    ),
]
EmailFrom = Annotated[
    str,
    AfterValidator(_sender_text),
    Field(description="Sender of mails to users: name@example.org or Name <name@example.org>."),
]
