"""Parses networks in settings."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_network

Network = IPv4Network | IPv6Network


def parse_networks(text: str) -> tuple[Network, ...]:
    """Parse addresses and CIDR blocks, separated by commas or white space. Raises `ValueError`."""
    return tuple(ip_network(part) for part in re.split(r"[,\s]+", text) if part)
