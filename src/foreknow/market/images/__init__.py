"""Cover images of events: checked, re-encoded, kept in object storage, served, and deleted when unused.

    headers        the format and size that a file's structure states
    pictures       decoding and re-encoding, with Pillow
    objects        the object storage: a folder, S3 and others, through obstore
    tables         objects that no event shows: uploads under way, replaced and deleted images
    store          their rows
    names          names of objects and of their sizes
    uploads        the rules
    service        row first, object second: uploads, and the worker that deletes unused objects
    routes         PUT and DELETE, and uploads at a time: of an account, of a process
    serving        GET /images/{object}

An event never shows an object that is not stored, and a stored object that no event shows always has a row with the
moment of its deletion. So the worker completes whatever a crash interrupts.
"""

from foreknow.market.images.objects import WrongImageStore, open_store
from foreknow.market.images.routes import ImageRoutes
from foreknow.market.images.service import ImageService
from foreknow.market.images.serving import StoredImages

__all__ = ["ImageRoutes", "ImageService", "StoredImages", "WrongImageStore", "open_store"]
