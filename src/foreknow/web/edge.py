"""What stands between the network and the endpoints, made from the settings once a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foreknow.kernel.networks import parse_networks
from foreknow.kernel.rates import parse_rate
from foreknow.settings import Settings
from foreknow.web.addresses import Addresses
from foreknow.web.connections import Application, Connections
from foreknow.web.endpoint import Group
from foreknow.web.limits import Limits
from foreknow.web.visits import PAGES_ROUTE, Visits


@dataclass(frozen=True, slots=True)
class Edge:
    """Who comes from where, how often they may, and what is written down of it."""

    visits: Visits
    addresses: Addresses
    limits: Limits
    connections: Connections

    async def page(self, app: Application, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request for a page beside the interface."""
        visit = self.visits.begin(scope)
        await app(scope, receive, self.visits.marking(visit, send, route=PAGES_ROUTE))


def open_edge(settings: Settings) -> Edge:
    """Make the edge of one process."""
    addresses = Addresses(parse_networks(settings.trusted_proxies))
    limited = settings.rate_limits == "on"
    rates = {
        Group.SIGN_IN: settings.limit_sign_in,
        Group.TRADING: settings.limit_trading,
        Group.CHAT: settings.limit_chat,
        Group.OPERATOR_CALLS: settings.limit_call_operator,
        Group.COMMENTS: settings.limit_comments,
        Group.READS: settings.limit_reads,
        Group.WRITES: settings.limit_writes,
        Group.SOCKETS: settings.limit_sockets,
    }
    limits = Limits({group: parse_rate(text) for group, text in rates.items()} if limited else {})
    open_max = settings.sockets_per_address if limited else None
    return Edge(
        Visits(log_level=settings.log_requests),
        addresses,
        limits,
        Connections(addresses, limits, open_max=open_max or None),
    )
