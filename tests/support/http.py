"""What the tests' HTTP clients have in common."""

from __future__ import annotations

import ssl
from typing import Final

#: For clients that speak no TLS: to read whom to trust would take them longer than their requests do.
NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
