"""Endpoints of cover images and avatars."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, Muted
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.images.errors import InvalidImage
from foreknow.market.images.pictures import IMAGE_BYTES_MAX, PIXELS_MAX, SIDE_PIXELS_MAX
from foreknow.market.images.schemas import StoredImage
from foreknow.market.images.service import ImageService
from foreknow.market.images.upload_limits import Uploads
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


class ImageRoutes:
    """Giving an event a cover image, and taking it away; giving oneself an avatar."""

    def __init__(self, service: ImageService, context: RouteContext) -> None:
        """Answer from `service`; `context` tells who is muted."""
        self._service = service
        self._context = context
        self._uploads = Uploads()

    @put(
        "/events/{event_id}/image",
        AuthLevel.REQUIRED,
        raw_body_bytes=IMAGE_BYTES_MAX,
        errors=(InvalidImage, EventNotFound, Forbidden),
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

    def _avatar_options(self) -> EndpointOptions:
        return {"check_caller": self._context.check_unmuted}

    @put(
        "/users/me/avatar",
        AuthLevel.REQUIRED,
        raw_body_bytes=IMAGE_BYTES_MAX,
        bound_options=_avatar_options,
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
