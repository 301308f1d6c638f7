"""Endpoints of cover images and avatars, and whose turn it is at uploading one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, Muted, RateLimited
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.events.schemas import IMAGE_URL
from foreknow.market.images.errors import InvalidImage
from foreknow.market.images.pictures import IMAGE_BYTES_MAX, PIXELS_MAX, SIDE_PIXELS_MAX
from foreknow.market.images.service import ImageService
from foreknow.people.users.schemas import User
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import CostlyGroup, EndpointOptions, PathRequest, PlainRequest, delete, put
from foreknow.web.responses import Empty

#: Pictures of people: each takes up to a second to draw, and megabytes to keep.
AVATARS = CostlyGroup("avatars")
_TAKEN = (
    f"A PNG, JPEG or WebP image of at most {PIXELS_MAX} pixels and {SIDE_PIXELS_MAX} a side; it is stored without "
    "metadata, upright, in sRGB, and of an animation only its first frame; `?w=160|640|1280` of its address gives "
    "smaller WebP sizes. The image it replaces is deleted. An account uploads one at a time: 429 while another "
    "comes in."
)
#: Number of large bodies received and drawn at once: some 40 MiB.
LARGE_MAX = 8
#: Number of small ones that may wait for the others of their accounts: some 4 MiB.
SMALL_MAX = 64
_RETRY_AFTER_S = 5


class StoredImage(msgspec.Struct, frozen=True):
    """Where the cover image is served: below FOREKNOW_PUBLIC_URL where that is set, else a path of this host."""

    image_url: Annotated[str, Meta(description=IMAGE_URL, examples=["/images/7-0123456789abcdef0123456789abcdef.webp"])]


class Uploads:
    """Gives out the turns of one process: one image at a time for an account, eight at a time in all.

    A body of up to 64 KiB has been received before its turn, and waits for the account's other small ones. A larger one
    is received only in its turn and rejected without one, since the upload under way may take any time.
    """

    def __init__(self) -> None:
        """Begin without uploads."""
        self._large: set[int] = set()
        #: By account: its small uploads take turns at the lock; the number counts them.
        self._small: dict[int, tuple[asyncio.Lock, int]] = {}
        self._small_count = 0

    @contextlib.asynccontextmanager
    async def turn(self, user_id: int, *, is_large: bool) -> AsyncIterator[None]:
        """Let an account upload one image, and no other meanwhile; `RateLimited`."""
        if user_id in self._large or len(self._large) >= LARGE_MAX:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        if is_large:
            if user_id in self._small:
                raise RateLimited(retry_after_s=_RETRY_AFTER_S)
            self._large.add(user_id)
            try:
                yield
            finally:
                self._large.remove(user_id)
            return
        if self._small_count >= SMALL_MAX:
            raise RateLimited(retry_after_s=_RETRY_AFTER_S)
        lock = self._enter(user_id)
        try:
            async with lock:
                yield
        finally:
            self._leave(user_id)

    def _enter(self, user_id: int) -> asyncio.Lock:
        lock, count = self._small.get(user_id) or (asyncio.Lock(), 0)
        self._small[user_id] = (lock, count + 1)
        self._small_count += 1
        return lock

    def _leave(self, user_id: int) -> None:
        lock, count = self._small[user_id]
        self._small_count -= 1
        if count > 1:
            self._small[user_id] = (lock, count - 1)
        else:
            del self._small[user_id]


class ImageRoutes:
    """Giving an event a cover image, and taking it away; giving oneself an avatar."""

    def __init__(self, service: ImageService, context: RouteContext) -> None:
        """Answer from `service`; `context` tells who is muted."""
        self._service = service
        self._context = context
        self._uploads = Uploads()

    def _for_unmuted(self) -> EndpointOptions:
        return {"check_caller": self._context.check_unmuted}

    @put(
        "/events/{event_id}/image",
        AuthLevel.REQUIRED,
        raw_body_bytes=IMAGE_BYTES_MAX,
        bound_options=_for_unmuted,
        errors=(Muted, InvalidImage, EventNotFound, Forbidden),
        description=f"By its creator or an admin. {_TAKEN}",
    )
    async def set_event_image(self, request: PathRequest[EventPath]) -> StoredImage:
        """Give an event a cover image, or another one."""
        event_id, user = request.path.event_id, request.user
        body = request.raw(IMAGE_BYTES_MAX)
        small = await body.small()
        await self._service.check(event_id, user, small)
        async with self._uploads.turn(user.user_id, is_large=small is None):
            raw = await body.whole()
            return StoredImage(await self._service.put(event_id, user, raw))

    @put(
        "/users/me/avatar",
        AuthLevel.REQUIRED,
        raw_body_bytes=IMAGE_BYTES_MAX,
        bound_options=_for_unmuted,
        errors=(Muted, InvalidImage),
        rate_limit_group=AVATARS,
        unverified=True,
        description=f'{_TAKEN} `PATCH /users/me` `{{"avatar_url": ""}}` takes it away.',
    )
    async def set_my_avatar(self, request: PlainRequest) -> User:
        """Give yourself an avatar, or another one."""
        body = request.raw(IMAGE_BYTES_MAX)
        small = await body.small()
        if small is not None:
            self._service.check_image(small)
        async with self._uploads.turn(request.user.user_id, is_large=small is None):
            return await self._service.put_avatar(request.user, await body.whole())

    @delete(
        "/events/{event_id}/image",
        AuthLevel.REQUIRED,
        bare=(EventNotFound, Forbidden),
        errors=(EventNotFound, Forbidden),
    )
    async def delete_event_image(self, request: PathRequest[EventPath]) -> Empty:
        """Delete an event's cover image.

        By its creator or an admin. `image_url` becomes ""; an uploaded image leaves the storage.
        """
        await self._service.delete(request.path.event_id, request.user)
        return Empty()
