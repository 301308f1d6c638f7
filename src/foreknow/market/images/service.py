"""Keeps rows and objects consistent: the row first, the object second, and a worker that deletes unused objects.

An upload is recorded as unused before it is stored, and taken into use in the transaction that lets its event or
person show it. A replaced or deleted image is recorded as unused in the transaction that changes its event or person.
So whatever crashes in between, the worker of some process finds the row and deletes the object, trying again until it
succeeds. An image's smaller sizes come and go with it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Mapping
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import InternalError, Unavailable
from foreknow.market.images import names, store, uploads
from foreknow.market.images.errors import InvalidImage
from foreknow.market.images.headers import ImageFormat, ImageHeader, NotAnImage
from foreknow.market.images.names import objects_of, size_name
from foreknow.market.images.objects import STORAGE_FAILURES, TIMEOUT_S, ImageStore, said_by
from foreknow.market.images.pictures import Picture, Transcoder, check_header
from foreknow.market.images.store import AVATAR_DELETIONS, DELETIONS, UPLOAD_MS
from foreknow.people.users import require_live_session
from foreknow.people.users.accounts import with_balance
from foreknow.people.users.schemas import User
from foreknow.people.users.store import lock_person, person, show_avatar
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Claim, JobFailed, JobRunner, JobTable, Worker

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
#: Images whose sizes a process makes at the same time; each is held in memory as a whole.
SIZES_MAX = 2
WEBP = ImageFormat.WEBP.media_type


class ImageService:
    """Stores and deletes cover images and avatars; a worker deletes unused objects between `start` and `stop`."""

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
        self._prefix = public_url.rstrip("/") + names.PATH
        self._transcoder = Transcoder()

        def runner(kind: str, jobs: JobTable) -> JobRunner:
            delete = partial(self._delete, jobs)
            return JobRunner(kind, db, jobs, delete, back_off=BACK_OFF, batch_max=BATCH_MAX, jitter=jitter)

        self._covers = runner("unused-images", DELETIONS)
        self._avatars = runner("unused-avatars", AVATAR_DELETIONS)
        #: Images whose sizes are being made here.
        self._sizing: set[str] = set()
        self._worker = Worker("unused-images", self.clear, poll_s=poll_s, stop_s=STOP_S)

    async def prepare(self) -> None:
        """Update the addresses to the setting; call it before `start`."""
        if await self._db.read(lambda tx: store.other_addresses(tx, self._prefix)):
            await self._db.write(lambda tx: store.move_addresses(tx, self._prefix))

    def start(self) -> None:
        """Begin to delete what is not used."""
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
            self.check_image(raw)
        await self._db.read(lambda tx: uploads.check_may_upload(tx, event_id, caller))

    def check_image(self, raw: bytes) -> None:
        """Check what costs little: what a whole body says it is; `InvalidImage`."""
        _checked(raw)

    async def put(self, event_id: int, caller: UserCaller, raw: bytes) -> str:
        """Give the event a new cover image and return its address.

        Raises `InvalidImage`, `EventNotFound`, `Forbidden`; `InternalError` where the storage fails.
        """
        # Reading the header is cheap and comes first in the order of checks. Decoding takes seconds, so it is done only
        # for callers who may upload, checked again here: the body may have taken long to arrive.
        about = _checked(raw)
        await self._db.read(lambda tx: uploads.check_may_upload(tx, event_id, caller))
        picture = await self._draw(raw, about)
        name = names.new_cover_name(event_id, picture.kind)
        await self._db.write_private(
            lambda tx: uploads.begin_upload(tx, event_id, caller, object_name=name, now_ms=now_ms(tx))
        )
        await self._store(name, picture)
        image_url = self._prefix + name
        unused = await self._db.write(
            lambda tx: uploads.end_upload(
                tx, event_id, caller, object_name=name, image_url=image_url, now_ms=now_ms(tx)
            )
        )
        await self._clear_promptly(self._covers, unused)
        return image_url

    async def put_avatar(self, caller: UserCaller, raw: bytes) -> User:
        """Give the caller a new avatar and return their account; `InvalidImage`, `InternalError` as above."""
        picture = await self._draw(raw, _checked(raw))
        name = names.new_avatar_name(picture.kind)
        await self._db.write_private(lambda tx: begin_upload(tx, caller, object_name=name, now_ms=now_ms(tx)))
        await self._store(name, picture)
        user, unused = await self._db.write(
            lambda tx: end_upload(tx, caller, object_name=name, avatar_url=self._prefix + name, now_ms=now_ms(tx))
        )
        await self._clear_promptly(self._avatars, unused)
        return user

    async def make_sizes(self, name: str) -> bool:
        """Make and store the sizes of a cover image from before uploads had any; return whether they are stored now.

        False where another process makes them, this one makes others, or no event shows the image. Raises what the
        storage does.
        """
        event_id = names.event_of(name)
        if event_id is None or name in self._sizing or len(self._sizing) >= SIZES_MAX:
            return False
        self._sizing.add(name)
        try:
            return await self._make_sizes(name, event_id)
        finally:
            self._sizing.remove(name)

    async def delete(self, event_id: int, caller: UserCaller) -> None:
        """Take the event's cover image away. Raises `EventNotFound`, `Forbidden`."""
        unused = await self._db.write(lambda tx: uploads.delete_image(tx, event_id, caller, now_ms=now_ms(tx)))
        await self._clear_promptly(self._covers, unused)

    async def clear(self) -> int:
        """Delete objects that are due; return how many images were tried."""
        return len(await self._covers.run_due()) + len(await self._avatars.run_due())

    async def clear_avatars(self, object_names: Collection[str]) -> None:
        """Delete avatars that no one shows any more, and whose rows say so, now rather than soon."""
        await self._clear_promptly(self._avatars, object_names)

    async def clear_covers_of(self, creator_id: int) -> None:
        """Delete covers of a person's events that nothing shows any more, likewise."""
        unused = await self._db.read(lambda tx: store.unused_covers_of(tx, creator_id))
        await self._clear_promptly(self._covers, unused)

    async def _draw(self, raw: bytes, about: ImageHeader) -> Picture:
        try:
            return await self._transcoder.draw(raw, about)
        except NotAnImage as wrong:
            raise InvalidImage(str(wrong)) from wrong

    async def _store(self, name: str, picture: Picture) -> None:
        try:
            await self._images.put(name, picture.content, picture.kind.media_type)
            await self._store_sizes(name, picture.sizes)
        except STORAGE_FAILURES as failure:
            log.exception("image upload failed", object=name, reason=said_by(failure))
            raise InternalError from failure

    async def _store_sizes(self, name: str, sizes: Mapping[int, bytes]) -> None:
        puts = (self._images.put(size_name(name, width), content, WEBP) for width, content in sizes.items())
        await asyncio.gather(*puts)

    async def _make_sizes(self, name: str, event_id: int) -> bool:
        raw = await self._images.read(name)
        if raw is None:
            return False
        begun = await self._db.write_private(
            lambda tx: store.begin_sizes(tx, name, event_id=event_id, due_at_ms=now_ms(tx) + UPLOAD_MS)
        )
        if not begun:
            return False
        await self._store_sizes(name, await self._transcoder.draw_sizes(raw))
        await self._db.write_private(lambda tx: store.end_sizes(tx, name, event_id=event_id, now_ms=now_ms(tx)))
        return True

    async def _clear_promptly(self, runner: JobRunner, object_names: Collection[str]) -> None:
        """Delete objects that are unused now. Their rows stay, so the worker repeats what fails here."""
        if not object_names:
            return
        try:
            async with asyncio.timeout(PROMPTLY_S):
                await runner.run_due(only=object_names)
        except (Unavailable, SQLAlchemyError, TimeoutError) as failure:
            log.warning("image deletion deferred", objects=sorted(object_names), reason=repr(failure))

    async def _delete(self, jobs: JobTable, claim: Claim) -> bool:
        try:
            for name in objects_of(claim.key):
                await self._images.delete(name)
        except STORAGE_FAILURES as failure:
            raise JobFailed(said_by(failure)) from failure
        return await self._db.write_private(lambda tx: jobs.delete(tx, claim))


def _checked(raw: bytes) -> ImageHeader:
    try:
        return check_header(raw)
    except NotAnImage as wrong:
        raise InvalidImage(str(wrong)) from wrong


def begin_upload(tx: WriteTx, caller: UserCaller, *, object_name: str, now_ms: int) -> None:
    """Note an object before it is stored, so that it goes again unless the upload ends; `Unauthorized`."""
    require_live_session(tx, caller)
    store.note_avatar_upload(tx, object_name, user_id=caller.user_id, due_at_ms=now_ms + UPLOAD_MS)


def end_upload(
    tx: WriteTx, caller: UserCaller, *, object_name: str, avatar_url: str, now_ms: int
) -> tuple[User, Collection[str]]:
    """Let a person show an object that is stored by now; `Unauthorized`.

    Return their account, and the objects that they show no more, which go.
    """
    row = lock_person(tx, caller.user_id)
    require_live_session(tx, caller)
    if not store.take_avatar_into_use(tx, object_name):
        # The storage took an hour: the object has been given up, and goes.
        raise InternalError
    before = show_avatar(tx, row, url=avatar_url, object_name=object_name, at_ms=now_ms)
    return with_balance(tx, person(tx, caller.user_id)), () if before is None else (before,)
