"""Tables as CSV (RFC 4180), and other files, sent in pieces as they are read, so that memory stays as it is."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import csv
import io
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import lru_cache
from typing import Any

import structlog

from foreknow.web.event_streams import ABORT
from foreknow.web.responses import NOSNIFF

log = structlog.get_logger("foreknow.web")

#: A longer Accept header is no program's that wants CSV.
ACCEPT_BYTES_MAX = 1024
#: Longest time that a connection may take nothing.
STALL_S = 30.0
_WEIGHT = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)", re.ASCII)
#: Spreadsheets run a cell as a formula that begins with one of these; full-width signs count in some of them. The
#: apostrophe stands here so that taking one away always gives the text back.
_FORMULA_SIGNS = tuple("=+-@\t\r\n＝＋－＠'")


def prefers_csv(accept: bytes | None) -> bool:
    """Return whether an Accept header (RFC 9110, 12.5.1) names text/csv, and JSON not as much."""
    return accept is not None and len(accept) <= ACCEPT_BYTES_MAX and _prefers_csv(accept)


@lru_cache(maxsize=64)
def _prefers_csv(accept: bytes) -> bool:
    weights: dict[str, float] = {}
    for element in accept.decode("latin-1").lower().split(","):
        name, *parts = (part.strip(" \t") for part in element.split(";"))
        found = [match for part in parts if (match := _WEIGHT.fullmatch(part))]
        weights[name] = float(found[-1][1]) if found else 1.0
    return weights.get("text/csv", 0.0) > weights.get("application/json", 0.0)


def csv_lines(rows: Iterable[Sequence[str | float | None]]) -> bytes:
    """Encode rows; None is empty, and a text that a spreadsheet would run as a formula gets an apostrophe before it."""
    text = io.StringIO()
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _cell(value: str | float | None) -> str | float:
    if isinstance(value, str):
        return "'" + value if value.startswith(_FORMULA_SIGNS) else value
    return "" if value is None else value


class Download:
    """A file as an ASGI application. A client that takes nothing for `STALL_S` is cut."""

    media_type = b"application/json"

    def __init__(self, file_name: str, first: bytes, pieces: AsyncIterator[bytes]) -> None:
        """Send `first`, which was read before the response begins, and then what `pieces` yields."""
        self._file_name = file_name
        self._first = first
        self._pieces = pieces

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send the file; cut the connection where it cannot be completed, so that no one takes a part for the whole."""
        headers = [
            (b"content-type", self.media_type),
            (b"content-disposition", b'attachment; filename="%b"' % self._file_name.encode("ascii")),
            (b"cache-control", b"no-store"),
            (b"vary", b"Accept"),
            NOSNIFF,
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body"})
            return
        gone = asyncio.create_task(_until_gone(receive), name="download-reader")
        try:
            await self._send(send, self._first)
            async for piece in self._pieces:
                if gone.done():
                    return
                await self._send(send, piece)
            await send({"type": "http.response.body"})
        except Exception as failure:  # noqa: BLE001 - whatever it is, the response has begun
            log.warning("download cut", path=scope["path"], reason=repr(failure))
            scope.get(ABORT, _raise)()
            await asyncio.wait({gone}, timeout=1)
        finally:
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await gone

    async def _send(self, send: Any, piece: bytes) -> None:
        async with asyncio.timeout(STALL_S):
            await send({"type": "http.response.body", "body": piece, "more_body": True})


class CsvDownload(Download):
    """A CSV file. It begins with U+FEFF: without, spreadsheets take it for their own country's encoding."""

    media_type = b"text/csv; charset=utf-8; header=present"

    def __init__(self, file_name: str, first: bytes, pieces: AsyncIterator[bytes]) -> None:
        """See `Download`."""
        super().__init__(file_name, codecs.BOM_UTF8 + first, pieces)


async def _until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _raise() -> None:
    """Other servers close a connection whose application fails."""
    raise RuntimeError("the download cannot be completed")
