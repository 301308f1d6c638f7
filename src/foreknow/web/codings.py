"""Content codings: what a client accepts, and gzip streams joined from pieces that were compressed before.

Sources: RFC 9110, 12.5.3 (Accept-Encoding); RFC 1951, 3.2.4 (stored blocks); RFC 1952, 2.3 (members of gzip files).
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable
from functools import lru_cache

#: A longer header is no browser's: its sender is answered without compression.
ACCEPT_ENCODING_BYTES_MAX = 256
#: Half of zlib's effort for nearly all of its effect on JSON.
LEVEL = 5
_WEIGHT = re.compile(r"q=(?:(0(?:\.[0-9]{0,3})?)|1(?:\.0{0,3})?)", re.ASCII)
#: Deflate without flags, without a time, from an unnamed system.
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
#: The last block of a deflate stream, with nothing in it.
_LAST_BLOCK = b"\x03\x00"


def accepts_gzip(header: bytes) -> bool:
    """Return whether an Accept-Encoding header allows gzip. What is malformed allows nothing."""
    return len(header) <= ACCEPT_ENCODING_BYTES_MAX and _accepts_gzip(header)


@lru_cache(maxsize=256)
def _accepts_gzip(header: bytes) -> bool:
    weights: dict[str, bool] = {}
    for element in header.decode("latin-1").lower().split(","):
        name, separator, weight = (part.strip(" \t") for part in element.partition(";"))
        match = _WEIGHT.fullmatch(weight)
        # No weight is a weight of 1.
        wanted = not separator or (match is not None and not (match[1] and float(match[1]) == 0))
        # Named twice, it must be wanted twice.
        weights[name] = wanted and weights.get(name, True)
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


def deflated(content: bytes) -> bytes:
    """Return blocks of a deflate stream that hold `content`, and that further blocks may follow."""
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(content) + compressor.flush(zlib.Z_FULL_FLUSH)


def stored(content: bytes) -> bytes:
    """Return a block of a deflate stream that holds `content`, at most 65,535 bytes, as it is."""
    return b"\x00" + struct.pack("<HH", len(content), 0xFFFF - len(content)) + content


def gzip_of(blocks: Iterable[bytes], content: bytes) -> bytes:
    """Return the gzip file of `content` from its blocks."""
    return b"".join((_HEADER, *blocks, _LAST_BLOCK, struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)))
