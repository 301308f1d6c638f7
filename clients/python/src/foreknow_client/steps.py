"""What a client carries out for a call, what it gives back, and what its calls share."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from foreknow_client.credentials import Credentials

T = TypeVar("T")

PREFIX = "/api/v1"
#: Longest answer that is read, unpacked; the service's own have a few MiB.
ANSWER_BYTES_MAX = 64 * 1024 * 1024
#: Pauses between attempts grow from the first to the second, each shortened by chance so that clients do not meet.
PAUSE_MIN_S, PAUSE_MAX_S = 0.2, 10.0
#: Says what is tried again, and why, once logging is configured.
LOG = logging.getLogger("foreknow_client")
LOG.addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Send:
    """Send this request. Its repr shows no secret: neither what it holds nor who sends it."""

    method: str
    #: Below the service's address.
    path: str
    query: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(default=None, repr=False)
    #: Longest wait for each step of the answer; None for the client's own.
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered; header names in lower case. Its repr shows no secret."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    #: Values of Set-Cookie by the cookies' names.
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: Whether the answer went on behind `content`, past `ANSWER_BYTES_MAX`.
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer came. `was_sent` False: the connection could not even be made."""

    reason: str
    was_sent: bool


Step: TypeAlias = Send | Pause
Steps: TypeAlias = Generator[Step, Reply | Lost | None, T]


@dataclass(slots=True)
class Session:
    """What calls of one client share."""

    #: The service's address, without a slash at its end.
    url: str
    credentials: Credentials
    #: How long a call may be sent again, in seconds; for calls with an Idempotency-Key the second.
    retry_s: float
    order_retry_s: float
    #: The time, in seconds since any moment.
    now_s: Callable[[], float]
    user_agent: str
    chat_cookie: str = field(default="", repr=False)
    #: Whether a Foreknow has answered at the address.
    is_met: bool = False
    #: A number of 0 … 1 by chance.
    chance: Callable[[], float] = random.random


def pause_s(reply: Reply | Lost, attempts: int, session: Session) -> float:
    """Return how long to wait before the next attempt: as the answer says, or ever longer up to a bound."""
    longest_s = min(PAUSE_MAX_S, PAUSE_MIN_S * 2.0 ** min(attempts, 16))
    by_chance_s = longest_s * (0.5 + 0.5 * session.chance())
    if isinstance(reply, Reply):
        said = reply.headers.get("retry-after", "")
        if said.isdigit():
            # All clients that got this answer would come back at the same moment.
            return float(said) + PAUSE_MIN_S * session.chance()
    return by_chance_s


def outcome(reply: Reply | Lost) -> str:
    """Return in words what came of an attempt."""
    return reply.reason if isinstance(reply, Lost) else f"answered with {reply.status}"


def log_retry(what: str, session: Session, reply: Reply | Lost, *, attempt: int, wait_s: float) -> None:
    """Log that an attempt failed and another follows."""
    LOG.warning("%s at %s: %s; attempt %d follows in %.1f s", what, session.url, outcome(reply), attempt + 1, wait_s)
