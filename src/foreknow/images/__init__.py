"""Cover images of events: taken in, checked, drawn anew, kept in object storage, served, and cleared away.

    containers  what a file says it is, told from its structure alone
    pictures    decoding and drawing anew, with Pillow
    objects     the object storage: a folder, S3 and others, through obstore
    tables      objects that no event shows: uploads under way, and what was replaced or deleted
    store       their rows          service   the rules
    keeper      row first, object second: uploads, and the worker that clears away
    routes      PUT and DELETE      serving   GET /images/{object}

At no moment does an event show an object that is not stored, and no stored object that no event shows is without a
row that says when it is to be deleted. So a crash at any point leaves nothing that the worker does not put right.
"""

from foreknow.images.objects import WrongImageStore, open_store
from foreknow.images.routes import ImageRoutes
from foreknow.images.service import ImageService
from foreknow.images.serving import StoredImages

__all__ = ["ImageRoutes", "ImageService", "StoredImages", "WrongImageStore", "open_store"]
