"""Request log, client addresses and limits in front of the endpoints, created from the settings."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from foreknow.kernel.networks import parse_networks
from foreknow.kernel.rates import parse_rate
from foreknow.kernel.settings import Settings
from foreknow.web.client_ip import ClientAddresses
from foreknow.web.connection_limits import FILES_RESERVED, ConnectionLimiter
from foreknow.web.endpoint import READS, SOCKETS, WRITES, RateLimitGroup
from foreknow.web.memory import MIB, Memory, cgroup_limit_bytes
from foreknow.web.pacing import Pacer
from foreknow.web.rate_limits import Limits
from foreknow.web.request_log import PAGES_ROUTE, RequestLog
from foreknow.web.socket_limits import Application, SocketLimits

_NO_RATES: Mapping[RateLimitGroup, str] = {}


@dataclass(frozen=True, slots=True)
class Ingress:
    """The parts of a process that every request and connection passes."""

    request_log: RequestLog
    addresses: ClientAddresses
    limits: Limits
    sockets: SocketLimits
    connection_limits: ConnectionLimiter
    pacer: Pacer | None

    async def page(self, app: Application, scope: Any, receive: Any, send: Any) -> None:
        """Serve a page outside of the API."""
        record = self.request_log.begin(scope)
        await app(scope, receive, self.request_log.logging_send(record, send, route=PAGES_ROUTE))


def open_ingress(settings: Settings, group_rates: Mapping[RateLimitGroup, str] = _NO_RATES) -> Ingress:
    """Make the ingress of one process; `group_rates` are the rates of the features' own groups of endpoints."""
    addresses = ClientAddresses(parse_networks(settings.trusted_proxies))
    limited = settings.rate_limits == "on"
    rates = {
        **group_rates,
        READS: settings.limit_reads,
        WRITES: settings.limit_writes,
        SOCKETS: settings.limit_sockets,
    }
    limits = Limits({group: parse_rate(text) for group, text in rates.items()} if limited else {})
    total_max = connections_max(settings)
    connection_limits = ConnectionLimiter(
        addresses,
        limits,
        Memory(_memory_limit_bytes(settings)),
        total_max=total_max,
        per_address_max=_bound(settings.connections_per_address, total_max // 4) if limited else None,
    )
    open_max = _bound(settings.sockets_per_address, total_max // 2) if limited else None
    work = parse_rate(settings.limit_work)
    return Ingress(
        RequestLog(log_level=settings.log_requests),
        addresses,
        limits,
        SocketLimits(addresses, limits, open_max=open_max, refused=connection_limits.refused),
        connection_limits,
        Pacer(work) if limited and work is not None else None,
    )


def connections_max(settings: Settings) -> int:
    """Return the limit of open connections: the setting, or the limit of open files if that is lower."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = settings.connections_max or sys.maxsize
    return allowed if files == resource.RLIM_INFINITY else max(1, min(allowed, files - FILES_RESERVED))


def _bound(setting: int, share: int) -> int | None:
    """Return what one address may have open: the setting (0: no limit), but no more than `share` of the whole.

    WebSockets count apart, so that the shares of both must leave space for other addresses.
    """
    return max(1, min(setting, share)) if setting else None


def _memory_limit_bytes(settings: Settings) -> int | None:
    if settings.memory_limit_mib:
        return settings.memory_limit_mib * MIB
    limit = cgroup_limit_bytes()
    # Shared by the processes of `serve --workers`.
    return None if limit is None else limit // settings.workers
