"""Deletes accounts: the account in one transaction, then what it wrote, and at last unused bytes of SQLite's file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from functools import partial

import structlog

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.errors import Unavailable
from foreknow.market.images import ImageService
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.errors import InvalidCredentials
from foreknow.people.users.password_check import PasswordCheck
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, Worker
from foreknow.site.own_data import deletion, erasing, store
from foreknow.site.own_data.store import DELETIONS, DeletionPhase

log = structlog.get_logger("foreknow.own_data")

#: How often a process looks for deletions that are due.
POLL_S = 5.0
#: Until texts are looked for again: longer than a request may take.
LATE_MS = MINUTE_MS
#: Until SQLite's file is written again; others' deletions meanwhile share that. The contract allows an hour.
FILE_MS = 30 * MINUTE_MS
BACK_OFF = BackOff(first_ms=5 * SECOND_MS, most_ms=2 * MINUTE_MS)
BATCH_MAX = 4
#: Longest wait of a request for the texts to be erased; after that the worker goes on.
PROMPTLY_S = 10.0
#: How often it looks where a worker does that.
LOOK_S = 0.05
STOP_S = 5.0


class AccountDeletion(Background):
    """Deletes accounts; a worker goes on with what is left between `start` and `stop`."""

    def __init__(
        self,
        db: Database,
        *,
        authenticator: UserAuthenticator,
        check: PasswordCheck,
        images: ImageService,
        on_chat: Callable[[], None],
        poll_s: float = POLL_S,
    ) -> None:
        """`authenticator` forgets ended sessions, `check` compares passwords, `images` deletes avatars and
        covers of drafts; `on_chat` is called when chats have changed.
        """
        super().__init__(Worker("deletions", self.run_due, poll_s=poll_s, stop_s=STOP_S))
        self._db = db
        self._authenticator = authenticator
        self._check = check
        self._images = images
        self._on_chat = on_chat
        self._runner = JobRunner("deletions", db, DELETIONS, self._go_on, back_off=BACK_OFF, batch_max=BATCH_MAX)

    async def delete_own(self, caller: UserCaller, password: str, *, rate_limit_key: str) -> None:
        """Delete the caller's account; `InvalidCredentials`, `RateLimited`, `SignInAgain`, `InvalidState`."""
        compared = await self._check.compare(caller, password, rate_limit_key=rate_limit_key)

        def passes(tx: WriteTx, at_ms: int) -> bool:
            return self._check.passes(tx, caller, compared, at_ms=at_ms)

        def run(tx: WriteTx) -> list[str] | None:
            return deletion.delete_own(tx, caller, passes)

        if not await self._delete(caller.user_id, run):
            raise InvalidCredentials("The password is wrong.")

    async def delete_by_admin(self, admin: UserCaller, user_id: int) -> None:
        """Delete a person's account; `UserNotFound`, `InvalidState`."""
        await self._delete(user_id, lambda tx: deletion.delete_by_admin(tx, admin, user_id))

    async def run_due(self) -> bool:
        """Go on with some deletions that are due; return whether there were any."""
        return bool(await self._runner.run_due())

    async def _delete(self, user_id: int, run: Callable[[WriteTx], Collection[str] | None]) -> bool:
        try:
            unused = await self._db.write(run)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=user_id)
        if unused is None:
            return False
        self._on_chat()
        try:
            async with asyncio.timeout(PROMPTLY_S):
                await self._runner.run_due(only=[user_id])
                await self._until_erased(user_id)
                await self._images.clear_avatars(unused)
                await self._images.clear_covers_of(user_id)
        except Exception as failure:  # noqa: BLE001 - the account has ended, whatever it is; the worker goes on
            log.warning("erasure deferred", user_id=user_id, reason=repr(failure))
        return True

    async def _until_erased(self, user_id: int) -> None:
        """Return at once where the request has erased it all, or soon, where a worker was first."""

        def is_any_left(tx: ReadTx) -> bool:
            return store.phase_of(tx, user_id) is DeletionPhase.TEXTS

        while await self._db.lookup(is_any_left):  # noqa: ASYNC110 - another process may do it
            await asyncio.sleep(LOOK_S)

    async def _go_on(self, claim: Claim) -> bool:
        phase = await self._db.read(lambda tx: store.phase_of(tx, claim.key))
        if phase is DeletionPhase.FILE:
            return await self._rewrite_file()
        held: Claim | None = claim
        while held is not None:
            held, is_done = await self._db.write(partial(self._erase, held))
            if is_done:
                break
        if held is None:
            return False
        self._on_chat()
        late = phase is DeletionPhase.LATE_TEXTS
        return await self._db.write_private(partial(self._settle, held, late=late))

    def _erase(self, claim: Claim, tx: WriteTx) -> tuple[Claim | None, bool]:
        """Erase a piece while the claim is held; return the claim from now on, and whether nothing is left."""
        held = DELETIONS.renew(tx, claim, now_ms=now_ms(tx))
        return held, held is not None and not erasing.erase_some(tx, claim.key)

    def _settle(self, claim: Claim, tx: WriteTx, *, late: bool) -> bool:
        at_ms = now_ms(tx)
        if not late:
            return DELETIONS.reschedule(
                tx, claim, due_at_ms=at_ms + LATE_MS, phase=DeletionPhase.LATE_TEXTS.value, attempts=0
            )
        if not self._db.is_sqlite:
            return DELETIONS.delete(tx, claim)
        due_at_ms = max(at_ms, store.deleted_at_ms(tx, claim.key) + FILE_MS)
        return DELETIONS.reschedule(tx, claim, due_at_ms=due_at_ms, phase=DeletionPhase.FILE.value, attempts=0)

    async def _rewrite_file(self) -> bool:
        waiting = await self._db.read(store.waiting_for_the_file)
        try:
            is_done = await self._db.rewrite()
        except Unavailable as failure:
            raise JobFailed(repr(failure.__cause__)) from failure
        if not is_done:
            raise JobFailed("the database's log is still read")
        await self._db.write_private(lambda tx: store.end(tx, waiting))
        return True
