"""The instances of a series share an uploaded image."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
import sqlalchemy as sa

from foreknow.market.events.tables import events
from foreknow.market.images import ImageService, open_store
from foreknow.platform.db.engine import Database
from tests.market.series.scene import HOUR, Scene, SteppedClock, series_of
from tests.support.lengths import LONG, length
from tests.support.pictures import image
from tests.support.proofs import proves

PUBLIC = "https://markets.example"


class SharedImages(Scene):
    """A series and the images of its instances."""

    def __init__(self, db: Database, clock: SteppedClock, folder: Path) -> None:
        super().__init__(db, clock)
        self.folder = folder / "images"
        self.store = open_store("", {}, data_dir=folder)
        self.images = ImageService(db, self.store, public_url=PUBLIC, jitter=lambda: 0.0)

    async def publish_one(self) -> int:
        first = await self.publish()
        self.series_id = series_of(first)
        return first.id

    async def go_on(self) -> int:
        self.clock.advance(HOUR)
        await self.open_due()
        return (await self.series(self.series_id)).current_event_id

    async def put(self, event_id: int) -> str:
        return await self.images.put(event_id, self.creator, image())

    async def shown(self) -> list[str]:
        """Return the addresses that the instances show, oldest first."""
        return [event.image_url for event in await self.instances(self.series_id)]

    async def objects(self) -> set[str | None]:
        query = sa.select(events.c.image_object).distinct().where(events.c.image_object.is_not(None))
        return set(await self.db.read(lambda tx: tx.execute(query).scalars().all()))

    def stored(self) -> set[str]:
        """Return the images of which anything is stored."""
        names = [path.name for path in self.folder.iterdir()] if self.folder.exists() else []
        return {re.sub(r"\.(160|640|1280)\.webp$", "", name) for name in names}


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
async def shared(db: Database, clock: SteppedClock, tmp_path: Path) -> SharedImages:
    made = SharedImages(db, clock, tmp_path)
    await made.begin()
    return made


def name_of(address: str) -> str:
    return address.removeprefix(f"{PUBLIC}/images/")


@proves(
    "lifecycle: An uploaded image is shared:",
)
async def test_later_instances_show_the_image_of_the_newest(shared: SharedImages) -> None:
    first = await shared.publish_one()
    address = await shared.put(first)
    await shared.go_on()
    await shared.go_on()
    assert await shared.shown() == [address] * 3
    assert shared.stored() == {name_of(address)}


@proves(
    "lifecycle: An uploaded image is shared: deleting it on one instance deletes the object and clears "
    "`image_url` on all that show it;"
)
async def test_an_image_taken_away_from_one_instance_is_taken_away_from_all(shared: SharedImages) -> None:
    first = await shared.publish_one()
    await shared.put(first)
    middle = await shared.go_on()
    await shared.go_on()
    await shared.images.delete(middle, shared.creator)
    assert await shared.shown() == [""] * 3
    assert shared.stored() == await shared.objects() == set()
    await shared.go_on()
    assert await shared.shown() == [""] * 4


@proves(
    "lifecycle: a new one counts for that instance and later ones.",
)
async def test_a_new_image_counts_for_its_instance_and_later_ones(shared: SharedImages) -> None:
    first = await shared.publish_one()
    old = await shared.put(first)
    second = await shared.go_on()
    new = await shared.put(second)
    third = await shared.go_on()
    assert await shared.shown() == [old, new, new]
    assert shared.stored() == {name_of(old), name_of(new)}
    await shared.images.delete(third, shared.creator)
    assert await shared.shown() == [old, "", ""]
    assert shared.stored() == {name_of(old)}


async def test_an_image_for_an_older_instance_counts_for_all_after_it(shared: SharedImages) -> None:
    first = await shared.publish_one()
    old = await shared.put(first)
    second = await shared.go_on()
    newest = await shared.go_on()
    last = await shared.put(newest)
    other = await shared.put(second)
    assert await shared.shown() == [old, other, other]
    # What no instance shows any more is deleted, what one shows is not.
    assert shared.stored() == {name_of(old), name_of(other)}
    assert name_of(last) not in shared.stored()
    await shared.put(first)
    assert len(set(await shared.shown())) == len(shared.stored()) == 1


async def test_an_address_that_was_sent_is_taken_over_and_taken_away_alone(shared: SharedImages) -> None:
    first = await shared.publish(image_url="https://example.org/cover.png")
    shared.series_id = series_of(first)
    newest = await shared.go_on()
    await shared.images.delete(newest, shared.creator)
    assert await shared.shown() == ["https://example.org/cover.png", ""]


async def test_an_address_of_the_series_counts_from_the_next_instance_until_an_upload(shared: SharedImages) -> None:
    first = await shared.publish_one()
    uploaded = await shared.put(first)
    await shared.edit(shared.series_id, image_url="https://example.org/next.png")
    await shared.go_on()
    await shared.go_on()
    assert await shared.shown() == [uploaded, "https://example.org/next.png", "https://example.org/next.png"]
    await shared.edit(shared.series_id, image_url="")
    newest = await shared.go_on()
    assert (await shared.shown())[-1] == ""
    await shared.edit(shared.series_id, image_url="https://example.org/never.png")
    latest = await shared.put(newest)
    await shared.go_on()
    assert (await shared.shown())[-2:] == [latest, latest]


@LONG
@pytest.mark.parametrize("attempt", range(length(short=3, long=6)))
async def test_an_image_changed_while_an_instance_opens_leaves_no_object_that_none_shows(
    shared: SharedImages, attempt: int
) -> None:
    first = await shared.publish_one()
    await shared.put(first)
    shared.clock.advance(HOUR)
    works = [shared.another_opener().open_due() for _ in range(3)]
    change = shared.images.delete(first, shared.creator) if attempt % 2 else shared.put(first)
    await asyncio.gather(*works[: attempt // 2], change, *works[attempt // 2 :])
    await shared.open_due()
    while await shared.images.clear():
        pass
    assert shared.stored() == await shared.objects()
    addresses = await shared.shown()
    assert len(addresses) == 2
    assert len(set(addresses)) == 1
    assert (addresses[0] == "") == bool(attempt % 2)


async def test_an_upload_to_a_new_event_is_shared_once_it_recurs(shared: SharedImages) -> None:
    first = await shared.create(name="Round")
    address = await shared.put(first)
    shared.series_id = series_of(await shared.publish_new(first))
    await shared.go_on()
    assert await shared.shown() == [address, address]
