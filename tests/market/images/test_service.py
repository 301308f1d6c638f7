"""Rows and objects stay in step, whatever dies in between and whatever comes at the same time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InternalError
from foreknow.market.events.tables import events
from foreknow.market.images import ImageService, names, open_store, uploads
from foreknow.market.images.headers import ImageFormat
from foreknow.market.images.objects import FolderStore
from foreknow.market.images.service import BACK_OFF
from foreknow.market.images.store import LEASE_MS, UPLOAD_MS
from foreknow.market.images.tables import unused_images
from foreknow.people.users.tables import sessions
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.sending.tables import ROW_ID, sending
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.pictures import image
from tests.support.rows import insert_pool
from tests.support.waiting import work

PUBLIC = "https://example.org"


class Gallery:
    """An event with its creator, a service on a folder of its own, and eyes for all that is kept."""

    def __init__(self, db: Database, folder: Path, clock: ShiftableClock) -> None:
        self.db = db
        self.folder = folder / "images"
        self.clock = clock
        self.store = open_store("", {}, data_dir=folder)
        self.service = self.another_service()

    async def open(self) -> None:
        self.event_id, self.creator = await self.db.write(self._prepare)

    def another_service(self) -> ImageService:
        return ImageService(self.db, self.store, public_url=PUBLIC, jitter=lambda: 0.0)

    async def put(self, raw: bytes | None = None) -> str:
        return await self.service.put(self.event_id, self.creator, raw or image())

    async def shown(self) -> tuple[str | None, str]:
        query = sa.select(events.c.image_object, events.c.image_url).where(events.c.id == self.event_id)
        row = await self.db.read(lambda tx: tx.execute(query).one())
        return row.image_object, row.image_url

    async def noted(self) -> set[str]:
        return set(await self.db.read(lambda tx: tx.execute(sa.select(unused_images.c.object)).scalars().all()))

    def stored(self) -> set[str]:
        """Return the images of which anything is stored."""
        files = [path.name for path in self.folder.iterdir()] if self.folder.exists() else []
        return {re.sub(r"\.(160|640|1280)\.webp$", "", name) for name in files}

    async def begin(self) -> str:
        """Begin an upload as a process does that then dies."""
        name = names.new_cover_name(self.event_id, ImageFormat.PNG)
        await self.db.write(
            lambda tx: uploads.begin_upload(tx, self.event_id, self.creator, object_name=name, now_ms=self.clock())
        )
        return name

    async def end(self, name: str) -> None:
        await self.db.write(
            lambda tx: uploads.end_upload(
                tx, self.event_id, self.creator, object_name=name, image_url=f"/images/{name}", now_ms=self.clock()
            )
        )

    @staticmethod
    def _prepare(tx: WriteTx) -> tuple[int, UserCaller]:
        event_id = insert_pool(tx).event_id
        creator_id = tx.execute(sa.select(events.c.creator_id).where(events.c.id == event_id)).scalar_one()
        columns = {
            column.name: _filler(column)
            for column in sessions.c
            if not column.nullable and not column.primary_key and column.server_default is None
        }
        columns["user_id"] = creator_id
        session_id = tx.execute(sessions.insert().values(**columns).returning(sessions.c.id)).scalar_one()
        return event_id, UserCaller(creator_id, session_id, True, False, False, False)


def _filler(column: sa.Column[object]) -> object:
    if isinstance(column.type, sa.LargeBinary):
        return b"x"
    return "x" if isinstance(column.type, sa.Text) else 0


@pytest.fixture
async def gallery(db: Database, tmp_path: Path, clock: ShiftableClock) -> Gallery:
    made = Gallery(db, tmp_path, clock)
    await made.open()
    return made


async def test_what_is_shown_is_stored_and_nothing_else_is(gallery: Gallery) -> None:
    assert not gallery.folder.exists()
    for kind in ("PNG", "JPEG", "WEBP"):
        address = await gallery.put(image(kind))
        name = address.removeprefix(f"{PUBLIC}/images/")
        assert names.OBJECT_NAME.fullmatch(name)
        assert name.startswith(f"{gallery.event_id}-")
        assert await gallery.shown() == (name, address)
        assert gallery.stored() == {name}
        assert await gallery.noted() == set()
    await gallery.service.delete(gallery.event_id, gallery.creator)
    assert await gallery.shown() == (None, "")
    assert gallery.stored() == await gallery.noted() == set()


async def test_a_process_that_dies_before_it_stored_the_object_leaves_nothing(gallery: Gallery) -> None:
    before = await gallery.put()
    name = await gallery.begin()
    assert await gallery.noted() == {name}
    gallery.clock.advance(UPLOAD_MS)
    assert await gallery.another_service().clear() == 1
    assert await gallery.noted() == set()
    assert (await gallery.shown())[1] == before


async def test_a_process_that_dies_after_it_stored_the_object_leaves_nothing(gallery: Gallery) -> None:
    before = await gallery.put()
    name = await gallery.begin()
    await gallery.store.put(name, b"content", "image/png")
    # As obstore does where it dies while it writes.
    (gallery.folder / f"{name}#1").write_bytes(b"half")
    assert await gallery.another_service().clear() == 0, "it might still be at work"
    assert name in gallery.stored()
    gallery.clock.advance(UPLOAD_MS)
    assert await gallery.another_service().clear() == 1
    assert gallery.stored() == {before.rpartition("/")[2]}
    assert await gallery.noted() == set()


async def test_a_process_that_dies_after_the_rows_changed_leaves_the_old_object_to_others(gallery: Gallery) -> None:
    old = (await gallery.put()).rpartition("/")[2]
    name = await gallery.begin()
    await gallery.store.put(name, b"content", "image/png")
    await gallery.end(name)
    assert gallery.stored() == {old, name}
    assert await gallery.another_service().clear() == 1
    assert gallery.stored() == {name}
    assert await gallery.noted() == set()


async def test_an_upload_that_was_given_up_is_not_shown(gallery: Gallery) -> None:
    name = await gallery.begin()
    await gallery.store.put(name, b"content", "image/png")
    gallery.clock.advance(UPLOAD_MS)
    assert await gallery.service.clear() == 1
    with pytest.raises(InternalError):
        await gallery.end(name)
    assert await gallery.shown() == (None, "")
    assert gallery.stored() == set()


async def test_an_object_that_an_event_shows_is_never_deleted_whatever_the_rows_say(gallery: Gallery) -> None:
    shown = (await gallery.put()).rpartition("/")[2]
    row = {"object": shown, "event_id": gallery.event_id, "due_at_ms": 0}
    await gallery.db.write(lambda tx: tx.execute(unused_images.insert().values(**row)))
    assert await gallery.service.clear() == 0
    assert gallery.stored() == {shown}


class Stubborn(FolderStore):
    """A folder that for a while lets nothing be deleted, as a storage that is down."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.down = True
        self.asked = 0

    async def delete(self, name: str) -> None:
        self.asked += 1
        if self.down:
            raise PermissionError(name)
        await super().delete(name)


async def test_a_deletion_that_fails_is_tried_again_until_it_works(gallery: Gallery) -> None:
    stubborn = gallery.store = Stubborn(gallery.folder)
    gallery.service = gallery.another_service()
    name = (await gallery.put()).rpartition("/")[2]
    await gallery.service.delete(gallery.event_id, gallery.creator)
    assert await gallery.shown() == (None, "")
    assert await gallery.noted() == gallery.stored() == {name}
    for attempt in range(2, 6):
        assert await gallery.service.clear() == 0, "not before its pause is over"
        gallery.clock.advance(BACK_OFF.pause_ms(attempt - 1, jitter=0))
        assert await gallery.service.clear() == 1
        assert stubborn.asked == attempt
    stubborn.down = False
    gallery.clock.advance(BACK_OFF.most_ms)
    assert await gallery.service.clear() == 1
    assert await gallery.noted() == gallery.stored() == set()


async def test_one_process_deletes_at_a_time_and_another_takes_over_when_it_dies(gallery: Gallery) -> None:
    stubborn = gallery.store = Stubborn(gallery.folder)
    gallery.service = gallery.another_service()
    await gallery.put()
    reached = asyncio.Event()

    async def hang(name: str) -> None:
        reached.set()
        await asyncio.Event().wait()

    stubborn.delete = hang  # type: ignore[method-assign] # a storage that never answers
    dying = asyncio.create_task(gallery.service.delete(gallery.event_id, gallery.creator))
    await reached.wait()
    dying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dying
    gallery.store = open_store("", {}, data_dir=gallery.folder.parent)
    heir = gallery.another_service()
    assert await heir.clear() == 0
    gallery.clock.advance(LEASE_MS)
    assert await heir.clear() == 1
    assert await gallery.noted() == gallery.stored() == set()


async def test_while_sending_is_held_nothing_is_deleted(gallery: Gallery) -> None:
    """The site whose copy this is may show it, from the same storage."""
    address = await gallery.put()
    held = {"id": ROW_ID, "place": "", "way": "", "held_since_ms": 1}
    await gallery.db.write(lambda tx: tx.execute(sending.insert().values(held)))
    await gallery.service.delete(gallery.event_id, gallery.creator)
    assert await gallery.service.clear() == 0
    assert gallery.stored() == await gallery.noted() == {address.removeprefix(f"{PUBLIC}/images/")}
    await gallery.db.write(lambda tx: tx.execute(sending.delete()))
    assert await gallery.service.clear() == 1
    assert gallery.stored() == set()


async def test_uploads_and_deletions_at_once_leave_one_image_or_none(gallery: Gallery) -> None:
    for deletions in (0, 4):
        works: list[Callable[[], Awaitable[object]]] = [gallery.put] * 6
        works += [lambda: gallery.service.delete(gallery.event_id, gallery.creator)] * deletions
        await asyncio.gather(*(work() for work in works))
        while await gallery.service.clear():
            pass
        name, address = await gallery.shown()
        assert gallery.stored() == ({name} if name else set())
        assert address == (f"{PUBLIC}/images/{name}" if name else "")
        assert name or deletions
        assert await gallery.noted() == set()


@ONCE
async def test_addresses_follow_the_setting(gallery: Gallery) -> None:
    name = (await gallery.put()).rpartition("/")[2]
    moved = ImageService(gallery.db, gallery.store, public_url="")
    await moved.prepare()
    assert await gallery.shown() == (name, f"/images/{name}")
    await moved.stop()


async def test_the_worker_clears_away_by_itself(gallery: Gallery) -> None:
    name = await gallery.begin()
    await gallery.store.put(name, b"content", "image/png")
    gallery.clock.advance(UPLOAD_MS)
    service = ImageService(gallery.db, gallery.store, public_url=PUBLIC, poll_s=0.05)
    service.start()
    await work()
    await service.stop()
    assert gallery.stored() == await gallery.noted() == set()
