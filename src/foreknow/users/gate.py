"""The users' side of the gatekeeper: tells who calls with an access token.

A signature costs some 60 µs to verify, so the verdict on a token is kept while the token lives; whether its session
lives and what roles its user has is asked of the database again after a second at most (decisions.md, "Freshness").
A request of somebody who was just here costs two look-ups in dictionaries.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

from foreknow.db.engine import Database
from foreknow.kernel.clock import Clock
from foreknow.users.sessions import find_caller
from foreknow.users.tokens import AccessTokens, Verdict
from foreknow.web.callers import UserCaller

#: A session revoked or a role taken by another process is noticed within so many seconds of its commit, which the
#: contract bounds by 1; the rest is for requests under way. Never where money moves: transactions ask `confirm`.
TRUST_S = 0.9
#: Tokens whose verdict is kept, some 10 MB. Of a full one the oldest quarter goes, and is verified anew if it returns.
VERDICTS_MAX = 16_384
_SWEEP_FROM = 1_024


@dataclass(frozen=True, slots=True)
class _Known:
    caller: UserCaller
    until_s: float


class UserGate:
    """Recognises users by their access tokens."""

    def __init__(
        self, db: Database, tokens: AccessTokens, clock: Clock, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` (Unix milliseconds) ends tokens, `timer` (seconds, never set back) ages what is known of sessions."""
        self._db = db
        self._tokens = tokens
        self._clock = clock
        self._timer = timer
        self._verdicts: dict[str, Verdict] = {}
        self._known: dict[int, _Known] = {}
        self._sweep_at = _SWEEP_FROM
        self._asking: dict[int, asyncio.Task[UserCaller | None]] = {}

    async def check(self, token: str) -> UserCaller | None:
        """Return whose live session an access token belongs to, or None."""
        verdict = self._verdicts.get(token)
        if verdict is None:
            verdict = self._tokens.read(token)
            if verdict is None:
                return None
            self._remember(token, verdict)
        if verdict.expires_at_ms <= self._clock():
            return None
        known = self._known.get(verdict.session_id)
        if known is not None and known.until_s > self._timer():
            caller: UserCaller | None = known.caller
        else:
            caller = await self._ask_once(verdict.session_id)
        # After a restored backup an id may be another user's session.
        return caller if caller is not None and caller.user_id == verdict.user_id else None

    def forget(self, *, user_id: int | None = None, session_id: int | None = None) -> None:
        """Trust nothing known of a user's sessions, or of one session.

        Call it when a revocation or a change of roles has committed, before answering.
        """
        gone = [known for known, one in self._known.items() if known == session_id or one.caller.user_id == user_id]
        for one in gone:
            del self._known[one]
        # An answer under way may be from before the change: whoever asks from now on must not share it.
        self._asking.clear()

    async def _ask_once(self, session_id: int) -> UserCaller | None:
        # Hundreds of requests of one session find it stale in the same moment: one asks for all.
        asking = self._asking.get(session_id)
        if asking is None:
            asking = self._asking[session_id] = asyncio.create_task(self._ask(session_id), name="user-gate")
        return await asyncio.shield(asking)

    async def _ask(self, session_id: int) -> UserCaller | None:
        task = asyncio.current_task()
        until_s, now_ms = self._timer() + TRUST_S, self._clock()
        try:
            caller = await self._db.read(lambda tx: find_caller(tx, session_id, now_ms=now_ms))
            # Where the session was forgotten meanwhile, this is good for those who wait for it, and for nobody else.
            if self._asking.get(session_id) is task:
                self._keep(session_id, caller, until_s)
        finally:
            if self._asking.get(session_id) is task:
                del self._asking[session_id]
        return caller

    def _keep(self, session_id: int, caller: UserCaller | None, until_s: float) -> None:
        self._known.pop(session_id, None)
        if caller is None:
            return
        if len(self._known) >= self._sweep_at:
            now_s = self._timer()
            self._known = {known: one for known, one in self._known.items() if one.until_s > now_s}
            self._sweep_at = max(_SWEEP_FROM, 2 * len(self._known))
        self._known[session_id] = _Known(caller, until_s)

    def _remember(self, token: str, verdict: Verdict) -> None:
        if len(self._verdicts) >= VERDICTS_MAX:
            for oldest in list(itertools.islice(self._verdicts, VERDICTS_MAX // 4)):
                del self._verdicts[oldest]
        self._verdicts[token] = verdict
