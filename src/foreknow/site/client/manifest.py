"""The web app manifest: what a system needs to install the client.

Source: W3C, "Web Application Manifest". Icons and the page of a client without a connection are files of the build.
"""

from __future__ import annotations

import msgspec

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
