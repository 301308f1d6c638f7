"""Connections: how many may be open, in all and from one address, and what became of those that were refused.

Requests are limited by rates (`foreknow.web.rate_limits`); but a connection that sends nothing costs an open file and
some memory as well, and there are only so many of both.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

import structlog

from foreknow.kernel.errors import DomainError, RateLimited, Unavailable
from foreknow.web.client_ip import UNKNOWN, ClientAddresses, rate_limit_key
from foreknow.web.endpoint import Group
from foreknow.web.memory import Memory
from foreknow.web.rate_limits import Headers, Limits

log = structlog.get_logger("foreknow.web")

#: So many files stay free for the database, images, providers, logs and refusals.
FILES_RESERVED = 200
#: So many refused connections at a time may wait for their answer; others are closed without one.
COURTESIES_MAX = 64
#: When a refused connection may be tried again: nobody knows when another one closes.
RETRY_S = 5
#: What was refused is told in the log this often.
TELL_EVERY_S = 60.0


class Refused(StrEnum):
    """Why a connection or a WebSocket was not let in."""

    TOTAL = "total"
    ADDRESS = "address"
    MEMORY = "memory"
    SOCKETS_OF_ADDRESS = "sockets_of_address"
    SOCKET_RATE = "socket_rate"
    HANDSHAKE = "handshake"


class Closed(StrEnum):
    """Why we closed a connection that was let in."""

    MALFORMED = "malformed"
    HEAD_TOO_LARGE = "head_too_large"
    HEAD_TOO_SLOW = "head_too_slow"
    BODY_TOO_SLOW = "body_too_slow"
    BODY_ENDLESS = "body_endless"
    READER_STALLED = "reader_stalled"
    TALKS_TOO_MUCH = "talks_too_much"


class TooManyConnections(RateLimited):
    message = "Your address has too many connections open; close some, or try again after the time in Retry-After."


class Overloaded(Unavailable):
    message = "This server takes no more connections now; try again after the time in Retry-After."
    retry_after_s = RETRY_S


class ConnectionSlot:
    """What one connection holds until it `leave`s. One with a `error` is to be told so and closed."""

    __slots__ = ("_admission", "_household", "error")

    def __init__(
        self, connection_limits: ConnectionLimiter, *, rate_limit_key: str | None, error: DomainError | None
    ) -> None:
        """Hold a place of `connection_limits`, one of those of `rate_limit_key` if that is counted."""
        self._admission: ConnectionLimiter | None = connection_limits
        self._household = rate_limit_key
        self.error = error

    def upgrade(self) -> None:
        """It has become a WebSocket, of which an address may have more (`foreknow.web.connections`)."""
        if self._admission is not None and self._household is not None:
            self._admission.give_back(self._household)
            self._household = None

    def leave(self) -> None:
        """The connection is gone."""
        self.upgrade()
        if self._admission is not None:
            self._admission.note_gone(was_refused=self.error is not None)
            self._admission = None


class ConnectionLimiter:
    """Lets connections in, and counts those it does not."""

    def __init__(
        self,
        addresses: ClientAddresses,
        limits: Limits,
        memory: Memory,
        *,
        total_max: int | None = None,
        per_address_max: int | None = None,
    ) -> None:
        """Let `total_max` in, `per_address_max` of one household (None: any number), and nobody while memory is short.

        Trusted proxies are no household: all their clients share their addresses.
        """
        self.memory = memory
        self.total_max = total_max
        self._addresses = addresses
        self._limits = limits
        self._per_address_max = per_address_max
        self._by_household: dict[str, int] = {}
        self._courtesies = 0
        self._told: Counter[Refused] = Counter()
        self._tell_at_s = 0.0
        #: Connections that were let in and are open.
        self.open = 0
        self.refused: Counter[Refused] = Counter()
        self.closed: Counter[Closed] = Counter()

    def enter(self, peer: str) -> ConnectionSlot | None:
        """Let a connection of `peer` in; None where it is to be cut at once."""
        key = None
        if self._per_address_max is not None and peer != UNKNOWN and not self._addresses.is_trusted(peer):
            key = rate_limit_key(peer)
        error = self._refusal(key)
        if error is not None:
            if self._courtesies >= COURTESIES_MAX:
                return None
            self._courtesies += 1
            return ConnectionSlot(self, rate_limit_key=None, error=error)
        self.open += 1
        if key is not None:
            self._by_household[key] = self._by_household.get(key, 0) + 1
        return ConnectionSlot(self, rate_limit_key=key, error=None)

    def note_gone(self, *, was_refused: bool) -> None:
        """A connection has left its place."""
        if was_refused:
            self._courtesies -= 1
        else:
            self.open -= 1

    def give_back(self, key: str) -> None:
        """A household has one connection less."""
        self._by_household[key] -= 1
        if not self._by_household[key]:
            del self._by_household[key]

    def count_fault(self, peer: str, headers: Headers = (), *, group: Group = Group.READS) -> int:
        """Count what `peer` sent and is no request, or no handshake, against its address.

        Return how many seconds it has to wait, 0 where it may try again at once. What a trusted proxy passes on
        without saying from whom counts against nobody.
        """
        address = self._addresses.client({"client": (peer, 0), "headers": headers})
        return 0 if self._addresses.is_trusted(address) else self._limits.take(group, None, address)[0]

    def look(self, now_s: float) -> None:
        """See how memory is, and tell in the log what was refused; to be called every second or so."""
        self.memory.look()
        if now_s >= self._tell_at_s and self.refused != self._told:
            new = self.refused - self._told
            log.warning("connections were refused", **{reason.value: count for reason, count in new.items()})
            self._told = self.refused.copy()
            self._tell_at_s = now_s + TELL_EVERY_S

    def _refusal(self, key: str | None) -> DomainError | None:
        if self.memory.is_short:
            self.refused[Refused.MEMORY] += 1
            return Overloaded()
        if self.total_max is not None and self.open >= self.total_max:
            self.refused[Refused.TOTAL] += 1
            return Overloaded()
        if key is not None and self._by_household.get(key, 0) >= (self._per_address_max or 0):
            self.refused[Refused.ADDRESS] += 1
            return TooManyConnections(retry_after_s=RETRY_S)
        return None


def unbounded() -> ConnectionLimiter:
    """Return an admission that lets everybody in, for applications that bring none."""
    return ConnectionLimiter(ClientAddresses(), Limits({}), Memory(None))
