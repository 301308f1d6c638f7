"""Limits open connections, in all and per address, and counts rejected and closed ones.

Rate limits (`foreknow.web.rate_limits`) count requests, but a connection that sends nothing costs a file and memory.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

import structlog

from foreknow.kernel.errors import DomainError, RateLimited, Unavailable
from foreknow.web.client_ip import UNKNOWN, ClientAddresses, rate_limit_key
from foreknow.web.endpoint import READS, RateLimitGroup
from foreknow.web.memory import Memory
from foreknow.web.rate_limits import Headers, Limits

log = structlog.get_logger("foreknow.web")

#: Open files kept free for the database, images, providers, logs and rejected connections.
FILES_RESERVED = 200
#: Rejected connections that may wait for their error response; further ones are closed without one.
REJECTED_OPEN_MAX = 64
#: Retry-After of a rejected connection.
RETRY_S = 5
#: Least interval of log lines on rejected connections.
LOG_INTERVAL_S = 60.0


class Rejection(StrEnum):
    """Why a connection or a WebSocket was rejected."""

    TOTAL = "total"
    ADDRESS = "address"
    MEMORY = "memory"
    SOCKETS_OF_ADDRESS = "sockets_of_address"
    SOCKET_RATE = "socket_rate"
    HANDSHAKE = "handshake"


class Closed(StrEnum):
    """Why we closed an accepted connection."""

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
    """A counted connection, until `release`. One with an `error` gets it as the response and is closed."""

    __slots__ = ("_key", "_limiter", "error")

    def __init__(self, limiter: ConnectionLimiter, *, key: str | None, error: DomainError | None) -> None:
        """Occupy a slot of `limiter`, and one of its `key` unless that is None."""
        self._limiter: ConnectionLimiter | None = limiter
        self._key = key
        self.error = error

    def upgrade(self) -> None:
        """Release the address's slot: WebSockets have a limit of their own (`foreknow.web.socket_limits`)."""
        if self._limiter is not None and self._key is not None:
            self._limiter.release_key(self._key)
            self._key = None

    def release(self) -> None:
        """Release the slot of a closed connection."""
        self.upgrade()
        if self._limiter is not None:
            self._limiter.release(was_rejected=self.error is not None)
            self._limiter = None


class ConnectionLimiter:
    """Accepts connections within limits, and counts rejected ones."""

    def __init__(
        self,
        addresses: ClientAddresses,
        limits: Limits,
        memory: Memory,
        *,
        total_max: int | None = None,
        per_address_max: int | None = None,
    ) -> None:
        """Accept `total_max` connections, `per_address_max` per address (None: any number), none while memory is short.

        `per_address_max` does not apply to trusted proxies, whose clients share their addresses.
        """
        self.memory = memory
        self.total_max = total_max
        self._addresses = addresses
        self._limits = limits
        self._per_address_max = per_address_max
        self._open_by_key: dict[str, int] = {}
        self._rejected_open = 0
        self._logged: Counter[Rejection] = Counter()
        self._next_log_at_s = 0.0
        #: Accepted connections that are open.
        self.open = 0
        self.refused: Counter[Rejection] = Counter()
        self.closed: Counter[Closed] = Counter()

    def enter(self, peer: str) -> ConnectionSlot | None:
        """Count a new connection of `peer`; None if it is to be closed at once."""
        key = None
        if self._per_address_max is not None and peer != UNKNOWN and not self._addresses.is_trusted(peer):
            key = rate_limit_key(peer)
        error = self._check(key)
        if error is not None:
            if self._rejected_open >= REJECTED_OPEN_MAX:
                return None
            self._rejected_open += 1
            return ConnectionSlot(self, key=None, error=error)
        self.open += 1
        if key is not None:
            self._open_by_key[key] = self._open_by_key.get(key, 0) + 1
        return ConnectionSlot(self, key=key, error=None)

    def release(self, *, was_rejected: bool) -> None:
        """Count a closed connection."""
        if was_rejected:
            self._rejected_open -= 1
        else:
            self.open -= 1

    def release_key(self, key: str) -> None:
        """Count one connection of an address less."""
        self._open_by_key[key] -= 1
        if not self._open_by_key[key]:
            del self._open_by_key[key]

    def count_fault(self, peer: str, headers: Headers = (), *, group: RateLimitGroup = READS) -> int:
        """Count an invalid request or handshake against the rate limit of the client's address.

        Return the seconds to wait, 0 within the limit. Requests of a trusted proxy without a client's address are not
        counted.
        """
        address = self._addresses.client({"client": (peer, 0), "headers": headers})
        return 0 if self._addresses.is_trusted(address) else self._limits.take(group, None, address)[0]

    def update(self, now_s: float) -> None:
        """Measure memory, and log rejected connections; called about once a second."""
        self.memory.measure()
        if now_s >= self._next_log_at_s and self.refused != self._logged:
            new = self.refused - self._logged
            log.warning("connections rejected", **{reason.value: count for reason, count in new.items()})
            self._logged = self.refused.copy()
            self._next_log_at_s = now_s + LOG_INTERVAL_S

    def _check(self, key: str | None) -> DomainError | None:
        if self.memory.is_short:
            self.refused[Rejection.MEMORY] += 1
            return Overloaded()
        if self.total_max is not None and self.open >= self.total_max:
            self.refused[Rejection.TOTAL] += 1
            return Overloaded()
        if key is not None and self._open_by_key.get(key, 0) >= (self._per_address_max or 0):
            self.refused[Rejection.ADDRESS] += 1
            return TooManyConnections(retry_after_s=RETRY_S)
        return None


def unbounded() -> ConnectionLimiter:
    """Return a limiter without limits, for applications without their own."""
    return ConnectionLimiter(ClientAddresses(), Limits({}), Memory(None))
