"""The built client in memory, read once at the start: each file as it is, and in the codings that the build made."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from foreknow.site.client.negotiation import IDENTITY
from foreknow.site.client.shell import NAME, ShellLooks, ShellTemplate, read_template

#: Where hatch_build.py puts it.
DIST = Path(__file__).with_name("dist")
HTML = "text/html; charset=utf-8"
_INDEX = "index.html"
_SUFFIXES = {".br": "br", ".gz": "gzip"}
#: Not asked of the machine, whose list may differ.
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": HTML,
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file: its bodies by coding, `identity` always among them, and the digest of that one."""

    media_type: str
    bodies: Mapping[str, bytes]
    digest: str

    def etag(self, coding: str) -> str:
        """Return the ETag of the body in a coding; each has its own."""
        return f'"{self.digest}"' if coding == IDENTITY else f'"{self.digest}-{coding}"'


@dataclass(frozen=True, slots=True)
class BuiltClient:
    """The page that starts the client, as built and as a template, and all other files by their paths.

    Paths are those of requests, such as `/assets/index-4f.js`.
    """

    index: ClientFile
    template: ShellTemplate
    files: Mapping[str, ClientFile]


def load_client(folder: Path | None = None, looks: ShellLooks | None = None, *, links: str = "") -> BuiltClient | None:
    """Read the client that was built into a folder (`DIST`), with a site's own looks; None where there is none.

    `links` are further elements of the page's head.
    """
    folder = folder or DIST
    index = folder / _INDEX
    if not index.is_file():
        return None
    name, icon = (NAME, "") if looks is None else (looks.name, looks.icon)
    own_manifest = client_file(_MEDIA_TYPES[".webmanifest"], manifest(name, icon=icon), {})
    files = {**_read_all(folder, apart=index), MANIFEST_PATH: own_manifest}
    page = index.read_text(encoding="utf-8")
    if looks is None and not links:
        return BuiltClient(_read(index), read_template(page), files)
    if looks is not None:
        page = looks.page(page)
    page = page.replace("</head>", f"{links}</head>")
    coded = {"gzip": gzip.compress(page.encode(), mtime=0)}
    return BuiltClient(client_file(HTML, page.encode(), coded), read_template(page, name), files)


def client_file(media_type: str, body: bytes, coded: Mapping[str, bytes]) -> ClientFile:
    """Make a file of its body and of what the body is in other codings."""
    return ClientFile(media_type, {IDENTITY: body, **coded}, sha256(body).hexdigest()[:32])


def _read_all(folder: Path, *, apart: Path) -> Mapping[str, ClientFile]:
    return {
        f"/{path.relative_to(folder).as_posix()}": _read(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in _SUFFIXES and not path.name.startswith(".") and path != apart
    }


def _read(path: Path) -> ClientFile:
    coded = {coding: path.with_name(path.name + suffix) for suffix, coding in _SUFFIXES.items()}
    media_type = _MEDIA_TYPES.get(path.suffix, "application/octet-stream")
    return client_file(
        media_type, path.read_bytes(), {coding: file.read_bytes() for coding, file in coded.items() if file.is_file()}
    )


MANIFEST_PATH = "/manifest.webmanifest"
#: Longest name below an icon.
SHORT_NAME_MAX = 12
#: The ground of the client's pages (web/src/styles/tokens.css).
_PAPER = "#f5f7f4"


def manifest(name: str, *, icon: str) -> bytes:
    """Return the manifest of a site; `icon` is the address of its own, "" for the client's."""
    icons = [
        {"src": "/icons/192.png", "sizes": "192x192", "type": "image/png"},
        {"src": "/icons/512.png", "sizes": "512x512", "type": "image/png"},
        {"src": "/icons/maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ]
    content = {
        "id": "/",
        "name": name,
        "short_name": name if len(name) <= SHORT_NAME_MAX else name[: SHORT_NAME_MAX - 1].rstrip() + "…",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": _PAPER,
        "theme_color": _PAPER,
        "icons": [{"src": icon, "sizes": "any", "type": "image/png"}] if icon else icons,
    }
    return msgspec.json.encode(content)
