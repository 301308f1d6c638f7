"""Limits WebSockets and server-sent streams per address: their rate, and the number open.

`foreknow.web.connection_limits` limits all connections, whatever they carry.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from foreknow.kernel.errors import DomainError, RateLimited
from foreknow.web.client_ip import ClientAddresses, rate_limit_key
from foreknow.web.connection_limits import RETRY_S, Rejection
from foreknow.web.endpoint import SOCKETS
from foreknow.web.event_streams import END
from foreknow.web.rate_limits import Headers, Limits
from foreknow.web.responses import error_response
from foreknow.web.sockets import POLICY_VIOLATION, direct

#: WebSocket close code for a handshake that cannot get an HTTP response.
TRY_AGAIN_LATER = 1013

Application: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
#: Calls the function once the session with this id has ended, while the block runs.
FollowSession = Callable[[int, Callable[[], None]], AbstractContextManager[None]]


class SocketLimits:
    """Counts open WebSockets and streams by address."""

    def __init__(
        self, addresses: ClientAddresses, limits: Limits, *, open_max: int | None, refused: Counter[Rejection]
    ) -> None:
        """Limit an address to `open_max` open at once (None: any number) and to the rate of `limits`.

        Rejected ones are counted in `refused`.
        """
        self._addresses = addresses
        self._limits = limits
        self._open_max = open_max
        self._refused = refused
        self._open: dict[str, int] = {}
        #: The scopes of those that strangers may have.
        self._of_strangers: dict[int, Any] = {}
        self._is_closed = False

    @property
    def open(self) -> int:
        """Number open in all."""
        return sum(self._open.values())

    def held(self, app: Application, address: str, *, is_stranger: bool = True) -> Application:
        """Count one more for `address`, and return `app` so that its end counts one less: the caller must run it.

        `is_stranger`: who asked is not known, so that it ends once only members may read.

        Raises `RateLimited` if the address has too many open.
        """
        key = rate_limit_key(address)
        count = self._open.get(key, 0)
        if self._open_max is not None and count >= self._open_max:
            self._refused[Rejection.SOCKETS_OF_ADDRESS] += 1
            raise RateLimited(retry_after_s=RETRY_S)
        self._open[key] = count + 1

        async def run(scope: Any, receive: Any, send: Any) -> None:
            if is_stranger:
                self._of_strangers[id(scope)] = scope
            try:
                await app(scope, receive, send)
            finally:
                self._of_strangers.pop(id(scope), None)
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]

        return run

    @contextlib.contextmanager
    def of_member(self, scope: Any, session_id: int, follow: FollowSession) -> Iterator[None]:
        """Let a WebSocket go on where only members may read, as long as its session does, while the block runs."""

        def lose() -> None:
            self._of_strangers[id(scope)] = scope
            if self._is_closed:
                direct(scope).end(POLICY_VIOLATION, "the session has ended")

        self._of_strangers.pop(id(scope), None)
        with follow(session_id, lose):
            yield

    def let_strangers(self, *, read: bool) -> None:
        """End all that strangers may have open, where only members may read from now on."""
        if self._is_closed is not read:
            return
        self._is_closed = not read
        for scope in [] if read else list(self._of_strangers.values()):
            if scope["type"] == "websocket":
                direct(scope).end(POLICY_VIOLATION, "only members may read")
            elif END in scope:
                scope[END]()

    async def serve(self, socket: Application, scope: Any, receive: Any, send: Any) -> None:
        """Run a WebSocket's application, or reject the handshake with 429."""
        address = self._addresses.client(scope)
        wait_s, headers = self._limits.take(SOCKETS, None, address)
        if not wait_s:
            try:
                app = self.held(socket, address)
            except RateLimited as limited:
                wait_s, headers = limited.retry_after_s, ()
            else:
                await app(scope, receive, send)
                return
        else:
            self._refused[Rejection.SOCKET_RATE] += 1
        await refuse_handshake(scope, receive, send, RateLimited(retry_after_s=wait_s), headers)

    async def refuse(self, scope: Any, receive: Any, send: Any, error: DomainError) -> None:
        """Refuse a handshake that was none of ours; it counts against its address, as others do."""
        wait_s, headers = self._limits.take(SOCKETS, None, self._addresses.client(scope))
        self._refused[Rejection.SOCKET_RATE if wait_s else Rejection.HANDSHAKE] += 1
        if wait_s:
            error = RateLimited(retry_after_s=wait_s)
        await refuse_handshake(scope, receive, send, error, headers)


async def refuse_handshake(scope: Any, receive: Any, send: Any, error: DomainError, extra: Headers = ()) -> None:
    """Reject a WebSocket handshake with an HTTP error."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
        return
    response = error_response(error)
    headers = [*response.headers, *extra]
    await send({"type": "websocket.http.response.start", "status": response.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": response.body})
