"""Endpoints of cover images and avatars."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.events.errors import EventNotFound
from foreknow.events.routes import EventPath
from foreknow.images.errors import InvalidImage
from foreknow.images.pictures import IMAGE_BYTES_MAX, PIXELS_MAX, SIDE_PIXELS_MAX
from foreknow.images.schemas import StoredImage
from foreknow.images.service import ImageService
from foreknow.images.upload_limits import Uploads
from foreknow.kernel.errors import Forbidden
from foreknow.users.schemas import User
from foreknow.web.endpoint import Endpoint, PathRequest, PlainRequest, delete, put
from foreknow.web.responses import Empty

_TAKEN = (
    f"A PNG, JPEG or WebP image of at most {PIXELS_MAX} pixels and {SIDE_PIXELS_MAX} a side; it is stored without "
    "metadata, upright, in sRGB, and of an animation only its first frame; `?w=160|640|1280` of its address gives "
    "smaller WebP sizes. The image it replaces is deleted. An account uploads one at a time: 429 while another "
    "comes in."
)


class ImageRoutes:
    """Giving an event a cover image, and taking it away; giving oneself an avatar."""

    def __init__(self, service: ImageService) -> None:
        """Answer from `service`."""
        self._service = service
        self._uploads = Uploads()

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            put(
                "/events/{event_id}/image",
                self.put,
                AuthLevel.REQUIRED,
                StoredImage,
                "Give an event a cover image, or another one",
                operation_id="set_event_image",
                raw_body_bytes=IMAGE_BYTES_MAX,
                errors=(InvalidImage, EventNotFound, Forbidden),
                description=f"By its creator or an admin. {_TAKEN}",
            ),
            put(
                "/users/me/avatar",
                self.put_avatar,
                AuthLevel.REQUIRED,
                User,
                "Give yourself an avatar, or another one",
                operation_id="set_my_avatar",
                raw_body_bytes=IMAGE_BYTES_MAX,
                errors=(InvalidImage,),
                description=f'{_TAKEN} `PATCH /users/me` `{{"avatar_url": ""}}` takes it away.',
            ),
            delete(
                "/events/{event_id}/image",
                self.delete,
                AuthLevel.REQUIRED,
                Empty,
                "Delete an event's cover image",
                operation_id="delete_event_image",
                bare=True,
                errors=(EventNotFound, Forbidden),
                description='By its creator or an admin. `image_url` becomes ""; an uploaded image leaves the storage.',
            ),
        ]

    async def put(self, request: PathRequest[EventPath]) -> StoredImage:
        """Take an image in."""
        event_id, user = request.path.event_id, request.user
        body = request.raw(IMAGE_BYTES_MAX)
        small = await body.small()
        await self._service.check(event_id, user, small)
        async with self._uploads.turn(user.user_id, is_large=small is None):
            raw = await body.whole()
            return StoredImage(await self._service.put(event_id, user, raw))

    async def put_avatar(self, request: PlainRequest) -> User:
        """Take an avatar in."""
        body = request.raw(IMAGE_BYTES_MAX)
        small = await body.small()
        if small is not None:
            self._service.check_image(small)
        async with self._uploads.turn(request.user.user_id, is_large=small is None):
            return await self._service.put_avatar(request.user, await body.whole())

    async def delete(self, request: PathRequest[EventPath]) -> Empty:
        """Take the image away."""
        await self._service.delete(request.path.event_id, request.user)
        return Empty()
