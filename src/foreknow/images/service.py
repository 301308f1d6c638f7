"""Keeps rows and objects in step: the row first, the object second, and a worker that clears away.

An upload is noted as unused before it is stored, and taken into use together with the event that shows it. What is
replaced or deleted is noted as unused together with the event that shows it no more. Hence whatever dies in between,
the worker of some process finds the row and deletes the object, trying again until the storage lets it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Collection

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.access.callers import UserCaller
from foreknow.db.engine import Database
from foreknow.images import store, uploads
from foreknow.images.errors import InvalidImage
from foreknow.images.headers import ImageHeader, NotAnImage
from foreknow.images.objects import STORAGE_FAILURES, ImageStore, said_by
from foreknow.images.pictures import Transcoder, check_header
from foreknow.images.store import ClaimedDeletion
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, SECOND_MS, Clock
from foreknow.kernel.errors import InternalError, Unavailable

log = structlog.get_logger("foreknow.images")

#: So often a process looks for objects that are due: uploads that died, deletions that failed.
POLL_S = 30.0
AT_ONCE = 8
BACK_OFF = BackOff(first_ms=5 * SECOND_MS, most_ms=HOUR_MS)
#: So long whoever deletes or replaces an image waits for its object to go; after that the worker is left to it.
PROMPTLY_S = 5.0


class ImageService:
    """Stores and deletes cover images. `start` it, for the clearing away."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        images: ImageStore,
        *,
        public_url: str,
        poll_s: float = POLL_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Keep objects in `images`, shown below `public_url` ("": the host that is asked)."""
        self._db = db
        self._clock = clock
        self._images = images
        self._prefix = public_url.rstrip("/") + uploads.PATH
        self._poll_s = poll_s
        self._jitter = jitter
        self._press = Transcoder()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Let addresses follow the setting, and begin to clear away."""
        if await self._db.read(lambda tx: store.other_addresses(tx, self._prefix)):
            await self._db.write(lambda tx: store.move_addresses(tx, self._prefix))
        self._task = asyncio.create_task(self._work(), name="unused-images")

    async def stop(self) -> None:
        """Finish what is under way."""
        self._stopping.set()
        if self._task is not None:
            await self._task
        await self._press.stop()

    async def check(self, event_id: int, caller: UserCaller, raw: bytes | None) -> None:
        """Refuse what `put` would refuse before any pixel is drawn; `raw` is None where it has yet to come.

        Raises `InvalidImage`, `EventNotFound`, `Forbidden`.
        """
        if raw is not None:
            _checked(raw)
        await self._db.read(lambda tx: uploads.check_may_upload(tx, event_id, caller))

    async def put(self, event_id: int, caller: UserCaller, raw: bytes) -> str:
        """Give the event a new cover image and return its address.

        Raises `InvalidImage`, `EventNotFound`, `Forbidden`; `InternalError` where the storage fails.
        """
        # What a file says it is costs nothing to find out and is refused first, as the order of checks wants it. To
        # decode it costs seconds, so that this is done only for those who may upload (and still may: the body may have
        # taken its time to come).
        about = _checked(raw)
        await self._db.read(lambda tx: uploads.check_may_upload(tx, event_id, caller))
        try:
            picture = await self._press.draw(raw, about)
        except NotAnImage as wrong:
            raise InvalidImage(str(wrong)) from wrong
        name = uploads.new_object_name(event_id, picture.kind)
        await self._db.write_private(
            lambda tx: uploads.begin_upload(tx, event_id, caller, object_name=name, now_ms=self._clock())
        )
        try:
            await self._images.put(name, picture.content, picture.kind.media_type)
        except STORAGE_FAILURES as failure:
            log.exception("an image could not be stored", object=name, reason=said_by(failure))
            raise InternalError from failure
        image_url = self._prefix + name
        before = await self._db.write(
            lambda tx: uploads.end_upload(
                tx, event_id, caller, object_name=name, image_url=image_url, now_ms=self._clock()
            )
        )
        await self._clear_promptly(before)
        return image_url

    async def delete(self, event_id: int, caller: UserCaller) -> None:
        """Take the event's cover image away. Raises `EventNotFound`, `Forbidden`."""
        before = await self._db.write(lambda tx: uploads.delete_image(tx, event_id, caller, now_ms=self._clock()))
        await self._clear_promptly(before)

    async def clear(self, only: Collection[str] | None = None) -> int:
        """Delete objects that are due, of `only` where given; return how many were tried."""
        now_ms = self._clock()
        # Looked for by a reader first: on SQLite a writer holds up every order.
        if only is None and not await self._db.read(lambda tx: store.is_any_due(tx, now_ms)):
            return 0
        claims = await self._db.write_private(lambda tx: store.claim(tx, now_ms=now_ms, limit=AT_ONCE, only=only))
        await asyncio.gather(*map(self._delete, claims))
        return len(claims)

    async def _clear_promptly(self, object_name: str | None) -> None:
        """Delete an object that was just let go. It stays noted, so a failure here is put right later."""
        if object_name is None:
            return
        try:
            async with asyncio.timeout(PROMPTLY_S):
                await self.clear([object_name])
        except (Unavailable, SQLAlchemyError, TimeoutError) as failure:
            log.warning("an image is cleared away later", object=object_name, reason=repr(failure))

    async def _delete(self, claim: ClaimedDeletion) -> None:
        try:
            await self._images.delete(claim.object)
        except STORAGE_FAILURES as failure:
            log.warning("an image could not be deleted yet", object=claim.object, reason=said_by(failure))
            due_at_ms = self._clock() + BACK_OFF.pause_ms(claim.attempt, jitter=self._jitter())
            await self._db.write_private(lambda tx: store.put_off(tx, claim, due_at_ms=due_at_ms))
        else:
            await self._db.write_private(lambda tx: store.note_deleted(tx, claim.object))

    async def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                while await self.clear() and not self._stopping.is_set():
                    pass
            except (Unavailable, SQLAlchemyError) as failure:
                log.warning("unused images cannot be read", reason=repr(failure))
            except Exception:  # what nobody foresaw must not end the clearing away for good
                log.exception("clearing unused images away failed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._poll_s):
                    await self._stopping.wait()


def _checked(raw: bytes) -> ImageHeader:
    try:
        return check_header(raw)
    except NotAnImage as wrong:
        raise InvalidImage(str(wrong)) from wrong
