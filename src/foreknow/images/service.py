"""Keeps rows and objects consistent: the row first, the object second, and a worker that deletes unused objects.

An upload is recorded as unused before it is stored, and taken into use in the transaction that lets its event show it.
A replaced or deleted image is recorded as unused in the transaction that changes its event. So whatever crashes in
between, the worker of some process finds the row and deletes the object, trying again until it succeeds.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.access.callers import UserCaller
from foreknow.db.clock import now_ms
from foreknow.db.engine import Database
from foreknow.images import store, uploads
from foreknow.images.errors import InvalidImage
from foreknow.images.headers import ImageHeader, NotAnImage
from foreknow.images.objects import STORAGE_FAILURES, TIMEOUT_S, ImageStore, said_by
from foreknow.images.pictures import Transcoder, check_header
from foreknow.images.store import DELETIONS
from foreknow.jobs import Claim, JobFailed, JobRunner, Worker
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import InternalError, Unavailable

log = structlog.get_logger("foreknow.images")

#: How often a process looks for objects that are due: unfinished uploads, failed deletions.
POLL_S = 30.0
#: Objects deleted at the same time.
BATCH_MAX = 8
BACK_OFF = BackOff(first_ms=5 * SECOND_MS, most_ms=HOUR_MS)
#: Longest wait of a request for the deletion of a replaced object; after that the worker deletes it.
PROMPTLY_S = 5.0
#: Longest wait of a stopping process for deletions under way: one request to the storage.
STOP_S = TIMEOUT_S


class ImageService:
    """Stores and deletes cover images; a worker deletes unused objects between `start` and `stop`."""

    def __init__(
        self,
        db: Database,
        images: ImageStore,
        *,
        public_url: str,
        poll_s: float = POLL_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Keep objects in `images`, shown below `public_url` ("": the host that is asked)."""
        self._db = db
        self._images = images
        self._prefix = public_url.rstrip("/") + uploads.PATH
        self._transcoder = Transcoder()
        self._runner = JobRunner(
            "unused-images",
            db,
            DELETIONS,
            self._delete,
            back_off=BACK_OFF,
            batch_max=BATCH_MAX,
            jitter=jitter,
        )
        self._worker = Worker("unused-images", self.clear, poll_s=poll_s, stop_s=STOP_S)

    async def start(self) -> None:
        """Update the addresses to the setting, and start the worker."""
        if await self._db.read(lambda tx: store.other_addresses(tx, self._prefix)):
            await self._db.write(lambda tx: store.move_addresses(tx, self._prefix))
        self._worker.start()

    async def stop(self) -> None:
        """Finish what is under way."""
        await self._worker.stop()
        await self._transcoder.stop()

    async def check(self, event_id: int, caller: UserCaller, raw: bytes | None) -> None:
        """Make the checks of `put` that come before decoding; `raw` is None while the body has yet to arrive.

        Raises `InvalidImage`, `EventNotFound`, `Forbidden`.
        """
        if raw is not None:
            _checked(raw)
        await self._db.read(lambda tx: uploads.check_may_upload(tx, event_id, caller))

    async def put(self, event_id: int, caller: UserCaller, raw: bytes) -> str:
        """Give the event a new cover image and return its address.

        Raises `InvalidImage`, `EventNotFound`, `Forbidden`; `InternalError` where the storage fails.
        """
        # Reading the header is cheap and comes first in the order of checks. Decoding takes seconds, so it is done only
        # for callers who may upload, checked again here: the body may have taken long to arrive.
        about = _checked(raw)
        await self._db.read(lambda tx: uploads.check_may_upload(tx, event_id, caller))
        try:
            picture = await self._transcoder.draw(raw, about)
        except NotAnImage as wrong:
            raise InvalidImage(str(wrong)) from wrong
        name = uploads.new_object_name(event_id, picture.kind)
        await self._db.write_private(
            lambda tx: uploads.begin_upload(tx, event_id, caller, object_name=name, now_ms=now_ms(tx))
        )
        try:
            await self._images.put(name, picture.content, picture.kind.media_type)
        except STORAGE_FAILURES as failure:
            log.exception("image upload failed", object=name, reason=said_by(failure))
            raise InternalError from failure
        image_url = self._prefix + name
        unused = await self._db.write(
            lambda tx: uploads.end_upload(
                tx, event_id, caller, object_name=name, image_url=image_url, now_ms=now_ms(tx)
            )
        )
        await self._clear_promptly(unused)
        return image_url

    async def delete(self, event_id: int, caller: UserCaller) -> None:
        """Take the event's cover image away. Raises `EventNotFound`, `Forbidden`."""
        unused = await self._db.write(lambda tx: uploads.delete_image(tx, event_id, caller, now_ms=now_ms(tx)))
        await self._clear_promptly(unused)

    async def clear(self, only: Collection[str] | None = None) -> int:
        """Delete objects that are due, of `only` where given; return how many were tried."""
        return len(await self._runner.run_due(only=only))

    async def _clear_promptly(self, object_names: Collection[str]) -> None:
        """Delete objects that are unused now. Their rows stay, so the worker repeats what fails here."""
        if not object_names:
            return
        try:
            async with asyncio.timeout(PROMPTLY_S):
                await self.clear(object_names)
        except (Unavailable, SQLAlchemyError, TimeoutError) as failure:
            log.warning("image deletion deferred", objects=sorted(object_names), reason=repr(failure))

    async def _delete(self, claim: Claim) -> bool:
        try:
            await self._images.delete(claim.key)
        except STORAGE_FAILURES as failure:
            raise JobFailed(said_by(failure)) from failure
        return await self._db.write_private(lambda tx: DELETIONS.delete(tx, claim))


def _checked(raw: bytes) -> ImageHeader:
    try:
        return check_header(raw)
    except NotAnImage as wrong:
        raise InvalidImage(str(wrong)) from wrong
