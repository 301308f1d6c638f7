"""A Caddyfile for a site with a domain: Caddy fetches its certificate by itself and speaks TLS in front of the site."""

from __future__ import annotations

import ipaddress
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from foreknow.commands.init.env_file import write_private
from foreknow.kernel.hosts import LOOPBACK

NAME = "Caddyfile"
#: Whose X-Forwarded-For is believed where Caddy runs on this machine.
PROXIES = "127.0.0.1,::1"
#: The domain of the text that the package brings, which is deploy/Caddyfile.
_EXAMPLE = "example.org {"


def domain_of(public_url: str) -> str:
    """Return the domain, with its port if it has one, that Caddy can fetch a certificate for; "" for none."""
    parts = urlsplit(public_url)
    host = parts.hostname or ""
    if parts.scheme.lower() != "https" or host in LOOPBACK or "." not in host:
        return ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return parts.netloc
    return ""


def caddyfile(domain: str) -> str:
    """Return the text of the file for a domain."""
    text = (files("foreknow.commands.init") / NAME).read_text(encoding="utf-8")
    assert _EXAMPLE in text
    return text.replace(_EXAMPLE, f"{domain} {{")


def write_caddyfile(folder: Path, domain: str, *, before: str) -> bool:
    """Write the file, in place of the one for the domain `before`; return False where it was changed by hand.

    `OSError`.
    """
    path = folder / NAME
    if path.exists():
        found = path.read_text(encoding="utf-8", errors="replace")
        if found not in {caddyfile(domain), caddyfile(before)}:
            return False
    write_private(path, caddyfile(domain))
    return True
