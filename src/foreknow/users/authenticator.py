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
from functools import partial

from foreknow.access.callers import UserCaller
from foreknow.db.engine import Database
from foreknow.kernel.clock import Clock
from foreknow.users.sessions import find_callers
from foreknow.users.tokens import AccessTokens, VerifiedToken

#: How long (seconds) a session and its roles are trusted after a look into the database. The contract allows 1 s; the
#: rest is for requests under way. Where money moves, transactions ask `require_live_session`.
TRUST_S = 0.9
#: Tokens whose verdict is kept, some 10 MB. Of a full one the oldest quarter goes, and is verified anew if it returns.
VERIFIED_MAX = 16_384
_SWEEP_FROM = 1_024
#: So many looks into the database at once; what is asked meanwhile waits for the next, however many sessions.
READERS_MAX = 2


@dataclass(frozen=True, slots=True)
class _Known:
    caller: UserCaller
    until_s: float


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """A session that the database is being asked about, and who is calling when that is known."""

    session_id: int
    answer: asyncio.Future[UserCaller | None]


class UserAuthenticator:
    """Recognises users by their access tokens."""

    def __init__(
        self, db: Database, tokens: AccessTokens, clock: Clock, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` (Unix milliseconds) ends tokens, `timer` (seconds, never set back) ages what is known of sessions."""
        self._db = db
        self._tokens = tokens
        self._clock = clock
        self._timer = timer
        self._verified: dict[str, VerifiedToken] = {}
        self._known: dict[int, _Known] = {}
        self._sweep_at = _SWEEP_FROM
        self._asking: dict[int, _Question] = {}
        self._questions: list[_Question] = []
        self._readers: set[asyncio.Task[None]] = set()
        self._reading = 0

    async def check(self, token: str) -> UserCaller | None:
        """Return whose live session an access token belongs to, or None."""
        verified = self._verified.get(token)
        if verified is None:
            verified = self._tokens.read(token)
            if verified is None:
                return None
            self._remember(token, verified)
        if verified.expires_at_ms <= self._clock():
            return None
        known = self._known.get(verified.session_id)
        if known is not None and known.until_s > self._timer():
            caller: UserCaller | None = known.caller
        else:
            caller = await self._ask_once(verified.session_id)
        # After a restored backup an id may be another user's session.
        return caller if caller is not None and caller.user_id == verified.user_id else None

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
        question = self._asking.get(session_id)
        if question is None:
            question = _Question(session_id, asyncio.get_running_loop().create_future())
            self._asking[session_id] = question
            self._questions.append(question)
            # Counted, for a task is in the set for a moment longer than it looks for questions.
            if self._reading < READERS_MAX:
                self._reading += 1
                reader = asyncio.create_task(self._read(), name="user-gate")
                self._readers.add(reader)
                reader.add_done_callback(self._readers.discard)
        return await asyncio.shield(question.answer)

    async def _read(self) -> None:
        """Answer questions, all that wait with one look, until none is left."""
        try:
            while self._questions:
                questions, self._questions = self._questions, []
                until_s, now_ms = self._timer() + TRUST_S, self._clock()
                session_ids = [question.session_id for question in questions]
                find = partial(find_callers, session_ids=session_ids, now_ms=now_ms)
                try:
                    callers = await self._db.lookup(find)
                except Exception as failure:  # noqa: BLE001 - it is theirs who asked
                    for question in questions:
                        self._close(question)
                        question.answer.set_exception(failure)
                        # Theirs who still wait: where all of them went away, nobody need hear of it.
                        question.answer.exception()
                    continue
                for question in questions:
                    caller = callers.get(question.session_id)
                    # Where the session was forgotten meanwhile, this is good for those who wait, and for nobody else.
                    if self._close(question):
                        self._keep(question.session_id, caller, until_s)
                    question.answer.set_result(caller)
        finally:
            self._reading -= 1

    def _close(self, question: _Question) -> bool:
        """Let nobody else wait for a question; tell whether it was still being asked."""
        asked = self._asking.get(question.session_id) is question
        if asked:
            del self._asking[question.session_id]
        return asked

    def _keep(self, session_id: int, caller: UserCaller | None, until_s: float) -> None:
        self._known.pop(session_id, None)
        if caller is None:
            return
        if len(self._known) >= self._sweep_at:
            now_s = self._timer()
            self._known = {known: one for known, one in self._known.items() if one.until_s > now_s}
            self._sweep_at = max(_SWEEP_FROM, 2 * len(self._known))
        self._known[session_id] = _Known(caller, until_s)

    def _remember(self, token: str, verified: VerifiedToken) -> None:
        if len(self._verified) >= VERIFIED_MAX:
            for oldest in list(itertools.islice(self._verified, VERIFIED_MAX // 4)):
                del self._verified[oldest]
        self._verified[token] = verified
