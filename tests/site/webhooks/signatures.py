"""Verifying signatures as the Standard Webhooks specification says it, without the library that made them."""

from __future__ import annotations

import base64
import hashlib
import hmac

from tests.support.webhook import Call


def is_signed(call: Call, secret: str) -> bool:
    """Return whether one of a request's signatures is by this secret."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{call.headers['webhook-id']}.{call.headers['webhook-timestamp']}.".encode() + call.raw
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return expected in call.headers["webhook-signature"].split(" ")
