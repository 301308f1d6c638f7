"""Webhooks: whether a message that came is genuine, and what it says.

    webhook = Webhook("whsec_…")

    try:
        delivery = webhook.read(body, request.headers)
    except webhooks.NotGenuine:
        return 401
    if is_new(delivery.id):  # In the transaction of what the message changes.
        match delivery.message:
            case TransactionMessage(data=line): ...
            case DecidedPoolMessage(data=pool): ...  # It can still be corrected.
            case ResolvedPoolMessage(data=pool): ...

Messages follow the Standard Webhooks specification.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias, get_args

import msgspec

from foreknow_client.failures import AnswerNotUnderstood, ForeknowError
from foreknow_client.messages import (
    DecidedPool,
    DecidedPoolMessage,
    ResolvedPool,
    ResolvedPoolMessage,
    TransactionMessage,
    WebhookMessage,
    WebhookTestMessage,
)

__all__ = [
    "DecidedPool",
    "DecidedPoolMessage",
    "Delivery",
    "Message",
    "NotGenuine",
    "ResolvedPool",
    "ResolvedPoolMessage",
    "TransactionMessage",
    "UnknownMessage",
    "Webhook",
    "WebhookTestMessage",
]

#: How far the clocks of both sides, and the way between them, may be apart: as the specification's libraries have it.
AGE_MAX_S = 300.0
_PREFIX = "whsec_"
#: Bytes of a secret, after the specification.
_SECRET_BYTES = range(24, 65)
#: Digits of a time in seconds, which `int` reads.
_TIME_DIGITS_MAX = 12


class NotGenuine(ForeknowError):
    """The service did not send this, or not now: answer with 401, and change nothing."""


class UnknownMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a type that a later service sends: answer with a 2xx, so that the next ones come."""

    type: str
    timestamp: datetime
    data: Any


Message: TypeAlias = WebhookMessage | UnknownMessage


@dataclass(frozen=True, slots=True)
class Delivery:
    """A genuine message. The same one may come twice: then with the same id."""

    id: str
    #: When this attempt was sent; the message says when what it is about happened.
    sent_at: datetime
    message: Message


class Webhook:
    """Checks and reads what is posted to a partner's address. Threads may share it."""

    def __init__(self, *secrets: str, age_max_s: float = AGE_MAX_S, now_s: Callable[[], float] = time.time) -> None:
        """Take what one of the secrets signs (`whsec_…`): give both while they rotate.

        Refuses messages that were sent over `age_max_s` ago, or ahead of now. Raises `ValueError`, which shows none of
        them, for a text that is no secret.
        """
        if not secrets:
            raise ValueError("a webhook has a secret, whsec_…")
        self._keys = tuple(map(_key, secrets))
        self._age_max_s = age_max_s
        self._now_s = now_s

    def __repr__(self) -> str:
        return f"<Webhook, {len(self._keys)} secret(s)>"

    def read(self, body: bytes, headers: Mapping[str, str]) -> Delivery:
        """Return what was posted: the body as it came, byte for byte, and the headers in any case.

        Raises `NotGenuine` where it is not signed by one of the secrets, or too old, and `AnswerNotUnderstood` where
        it is signed and no message.
        """
        given = {name.lower(): value for name, value in headers.items()}
        message_id, sent_at, signatures = (
            given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
        )
        if not (message_id and sent_at and signatures):
            raise NotGenuine("webhook-id, webhook-timestamp or webhook-signature is missing")
        if not (sent_at.isascii() and sent_at.isdecimal() and len(sent_at) <= _TIME_DIGITS_MAX):
            raise NotGenuine("webhook-timestamp is no time in seconds")
        if not self._is_signed(f"{message_id}.{sent_at}.".encode(errors="replace") + body, signatures):
            raise NotGenuine("no signature is by a secret of this webhook")
        age_s = self._now_s() - int(sent_at)
        if abs(age_s) > self._age_max_s:
            raise NotGenuine(f"sent {age_s:.0f} s ago, over {self._age_max_s:.0f}: is this machine's clock right?")
        return Delivery(message_id, datetime.fromtimestamp(int(sent_at), UTC), _message(body))

    def _is_signed(self, signed: bytes, signatures: str) -> bool:
        """Return whether one of the signatures is by one of the secrets, each compared in constant time."""
        given = [each.encode(errors="replace") for each in signatures.split()]
        ours = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in self._keys]
        return any(hmac.compare_digest(one, other) for one in ours for other in given)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True) if secret.startswith(_PREFIX) else b""
    except (binascii.Error, ValueError):
        key = b""
    if len(key) not in _SECRET_BYTES:
        raise ValueError("this is no secret of a webhook: it is whsec_ and base64, without white space")
    return key


def _message(body: bytes) -> Message:
    try:
        kind = msgspec.json.decode(body, type=UnknownMessage)
        is_known = kind.type in _KNOWN
        return msgspec.json.decode(body, type=WebhookMessage) if is_known else kind
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AnswerNotUnderstood(f"a webhook's message: {error}") from error


_KNOWN = {kind.__struct_config__.tag for kind in get_args(WebhookMessage)}
