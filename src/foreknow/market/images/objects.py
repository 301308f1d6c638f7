"""Object storage through obstore: a folder by default, S3, Google Cloud Storage or Azure by a URL of the settings."""

from __future__ import annotations

import asyncio
import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from foreknow.kernel.private_files import make_private_folder

#: Time limits of one request to the storage, and of all attempts together.
REQUEST_S = 15
ATTEMPTS_S = 30
#: Bounds every operation as a whole.
TIMEOUT_S = 60.0
CHUNK_BYTES = 64 * 1024
_SCHEMES = {"file", "s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss"}
#: What obstore raises where a storage fails or cannot be reached.
STORAGE_FAILURES = (BaseError, OSError, TimeoutError)


class WrongImageStore(ValueError):
    """The settings name no storage that we can use; the text says why, and nothing of what is secret."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A stored object on its way out."""

    size: int
    chunks: AsyncIterator[bytes]


class ImageStore(ABC):
    """Objects by name. Every method may raise one of `STORAGE_FAILURES`."""

    @abstractmethod
    def _store(self) -> ObjectStore:
        """Return the opened storage; `FileNotFoundError` where nothing was ever stored."""

    @abstractmethod
    async def _put(self, name: str, content: bytes, media_type: str) -> None:
        """Store an object durably."""

    async def put(self, name: str, content: bytes, media_type: str) -> None:
        """Store an object; it is durable when this returns."""
        async with asyncio.timeout(TIMEOUT_S):
            await self._put(name, content, media_type)

    async def find(self, name: str) -> StoredObject | None:
        """Return an object, or None where there is none of this name."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                got = await self._store().get_async(name)
        except FileNotFoundError:
            return None
        return StoredObject(got.meta["size"], _chunks(got.stream(min_chunk_size=CHUNK_BYTES)))

    async def read(self, name: str) -> bytes | None:
        """Return a whole object, or None where there is none of this name."""
        found = await self.find(name)
        if found is None:
            return None
        async with asyncio.timeout(TIMEOUT_S):
            return b"".join([chunk async for chunk in found.chunks])

    async def size(self, name: str) -> int | None:
        """Return an object's size in bytes, or None where there is none of this name."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return (await self._store().head_async(name))["size"]
        except FileNotFoundError:
            return None

    async def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        async with asyncio.timeout(TIMEOUT_S):
            with contextlib.suppress(FileNotFoundError):
                await self._store().delete_async(name)


class BucketStore(ImageStore):
    """A bucket of S3, Google Cloud Storage or Azure."""

    def __init__(self, store: ObjectStore) -> None:
        """Keep objects in `store`."""
        self._opened = store

    def _store(self) -> ObjectStore:
        return self._opened

    async def _put(self, name: str, content: bytes, media_type: str) -> None:
        await self._opened.put_async(name, content, attributes={"Content-Type": media_type})


class FolderStore(ImageStore):
    """Files in a folder, which is made with the first object."""

    def __init__(self, folder: Path) -> None:
        """Keep objects in `folder`."""
        self._folder = folder
        self._opened: LocalStore | None = None

    def _store(self) -> ObjectStore:
        if self._opened is None:
            if not self._folder.exists():
                raise FileNotFoundError(self._folder)
            self._opened = LocalStore(self._folder)
        return self._opened

    async def _put(self, name: str, content: bytes, media_type: str) -> None:
        await asyncio.to_thread(make_private_folder, self._folder)
        await self._store().put_async(name, content)
        await asyncio.to_thread(_write_through, self._folder, name)

    async def delete(self, name: str) -> None:
        """See `ImageStore.delete`; deletes what a crash may have left of its writing, too."""
        await super().delete(name)
        await asyncio.to_thread(_delete_halves, self._folder, name)


def open_store(url: str, options: Mapping[str, str], *, data_dir: Path) -> ImageStore:
    """Open the storage at `url`, the folder `images` in `data_dir` where it is empty; `WrongImageStore`.

    `options` are obstore's own (`endpoint`, `access_key_id`, …); what they leave out comes from the environment.
    """
    scheme = urlsplit(url).scheme
    if not url or scheme == "file":
        folder = Path(unquote(urlsplit(url).path)) if url else data_dir / "images"
        return FolderStore(folder.absolute())
    if scheme not in _SCHEMES:
        raise WrongImageStore("FOREKNOW_IMAGE_STORE_URL begins with file://, s3://, gs:// or az://")
    config: Any = dict(options)
    endpoint = options.get("endpoint") or options.get("aws_endpoint") or os.environ.get("AWS_ENDPOINT_URL", "")
    client: Any = {
        "timeout": timedelta(seconds=REQUEST_S),
        "connect_timeout": timedelta(seconds=5),
        # An endpoint without TLS is the operator's choice.
        "allow_http": endpoint.startswith("http://"),
    }
    retries: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=ATTEMPTS_S)}
    try:
        return BucketStore(from_url(url, config=config, client_options=client, retry_config=retries))
    except (BaseError, ValueError) as failure:
        raise WrongImageStore(f"the image store of the settings cannot be opened: {_first_line(failure)}") from failure


def said_by(failure: BaseException) -> str:
    """Return a storage's failure in one line, for the log."""
    return f"{type(failure).__name__}: {_first_line(failure)}"


def _first_line(failure: BaseException) -> str:
    # What follows repeats the request.
    return str(failure).partition("\n")[0]


async def _chunks(stream: Any) -> AsyncIterator[bytes]:
    async for chunk in stream:
        yield bytes(chunk)


def _write_through(folder: Path, name: str) -> None:
    """Make a file and its name survive a loss of power: the row that shows it will."""
    for path in (folder / name, folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _delete_halves(folder: Path, name: str) -> None:
    # obstore writes beside the place, under the name with a # and a number, and renames.
    for half in folder.glob(f"{name}#*"):
        half.unlink(missing_ok=True)
