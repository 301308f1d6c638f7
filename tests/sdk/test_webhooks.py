"""Webhooks at their receiver: what the service signed is read, typed; anything else is refused."""

from __future__ import annotations

import base64
import hmac
import json
import traceback
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foreknow.site.webhooks.messages import headers
from foreknow_client import AnswerNotUnderstood, models
from foreknow_client.webhooks import (
    NotGenuine,
    ResolvedPoolMessage,
    TransactionMessage,
    UnknownMessage,
    Webhook,
    WebhookTestMessage,
)

DOCUMENT: dict[str, Any] = json.loads((Path(__file__).parents[2] / "docs" / "asyncapi.json").read_text())
NOW_S = 1_790_000_000
SECRET, OTHER = (f"whsec_{base64.b64encode(letter * 32).decode()}" for letter in (b"a", b"b"))
TEST = {"type": "webhook.test", "timestamp": "2026-03-01T18:00:00.000Z", "data": {}}


def posted(message: object, *secrets: str, age_s: int = 0) -> tuple[bytes, dict[str, str]]:
    """Return a message as the service posts it: its body and headers."""
    body = json.dumps(message).encode()
    return body, dict(headers("line_7", body, secrets or [SECRET], at_ms=(NOW_S - age_s) * 1000))


def webhook(*secrets: str) -> Webhook:
    return Webhook(*(secrets or [SECRET]), now_s=lambda: NOW_S)


def test_each_message_of_the_service_is_read_typed() -> None:
    for name in DOCUMENT["channels"]["partner_webhook"]["messages"]:
        (example,) = DOCUMENT["components"]["messages"][name]["examples"]
        body, given = posted(example["payload"])

        delivery = webhook().read(body, {header.title(): value for header, value in given.items()})

        assert (delivery.id, delivery.sent_at.timestamp()) == ("line_7", NOW_S)
        assert type(delivery.message).__name__ == name
        assert msgspec.to_builtins(delivery.message).keys() == example["payload"].keys()


def test_a_line_and_a_result_have_the_types_of_answers() -> None:
    examples = DOCUMENT["components"]["messages"]
    line, pool = (
        webhook().read(*posted(examples[kind.__name__]["examples"][0]["payload"])).message
        for kind in (TransactionMessage, ResolvedPoolMessage)
    )

    assert isinstance(line, TransactionMessage)
    assert isinstance(line.data, models.PartnerTransaction)
    assert isinstance(pool, ResolvedPoolMessage)
    assert pool.data.resolved_at.utcoffset() is not None


def test_while_a_secret_rotates_either_side_may_have_both() -> None:
    for signing, known in (((SECRET,), (OTHER, SECRET)), ((OTHER, SECRET), (SECRET,)), ((OTHER, SECRET), (OTHER,))):
        assert webhook(*known).read(*posted(TEST, *signing)).id == "line_7"


def test_what_a_later_version_sends_is_no_error() -> None:
    later = {"type": "partner.limit", "timestamp": "2026-03-01T18:00:00.000Z", "data": {"left": 3}}
    message = webhook().read(*posted(later)).message
    assert isinstance(message, UnknownMessage)
    assert (message.type, message.data) == ("partner.limit", {"left": 3})
    assert isinstance(webhook().read(*posted(TEST | {"new": 1})).message, WebhookTestMessage)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"webhook-signature": ""}, "is missing"),
        ({"webhook-id": ""}, "is missing"),
        ({"webhook-timestamp": ""}, "is missing"),
        ({"webhook-id": "line_8"}, "no signature"),
        ({"webhook-timestamp": str(NOW_S + 1)}, "no signature"),
        ({"webhook-timestamp": "soon"}, "no time"),
        ({"webhook-timestamp": "-1"}, "no time"),
        ({"webhook-timestamp": "٣"}, "no time"),
        ({"webhook-timestamp": "9" * 5_000}, "no time"),
        ({"webhook-signature": "v1,"}, "no signature"),
        ({"webhook-signature": "v1,é \udcff v2"}, "no signature"),
    ],
)
def test_changed_headers_are_refused(change: dict[str, str], said: str) -> None:
    body, given = posted(TEST)

    with pytest.raises(NotGenuine, match=said):
        webhook().read(body, given | change)


def test_a_changed_body_another_secret_and_an_old_message_are_refused() -> None:
    body, given = posted(TEST)
    with pytest.raises(NotGenuine, match="no signature"):
        webhook().read(body + b" ", given)
    with pytest.raises(NotGenuine, match="no signature"):
        webhook(OTHER).read(body, given)
    for age_s in (300, -300):
        assert webhook().read(*posted(TEST, age_s=age_s)).id == "line_7"
    for age_s in (301, -301):
        with pytest.raises(NotGenuine, match=f"sent {age_s} s ago"):
            webhook().read(*posted(TEST, age_s=age_s))


@pytest.mark.parametrize("body", [b"<html>", b"\xff", b'{"type": "webhook.test"}', b'{"type": "pool.resolved"}'])
def test_a_genuine_body_that_is_no_message_is_said(body: bytes) -> None:
    signature = base64.b64encode(hmac.digest(base64.b64decode(SECRET[6:]), b"line_7.%d." % NOW_S + body, "sha256"))
    given = {"webhook-id": "line_7", "webhook-timestamp": str(NOW_S), "webhook-signature": f"v1,{signature.decode()}"}

    with pytest.raises(AnswerNotUnderstood):
        webhook().read(body, given)


@pytest.mark.parametrize("secret", ["", "fkp_s3cret", "whsec_s3cret", "whsec_czNjcmV0", f"{SECRET}\n", f" {SECRET}"])
def test_what_is_no_secret_is_refused_at_once_and_not_shown(secret: str) -> None:
    with pytest.raises(ValueError, match="no secret of a webhook") as refused:
        Webhook(SECRET, secret)

    shown = "".join(traceback.format_exception(refused.value)) + repr(webhook())
    assert [text for text in ("s3cret", "czNj", SECRET[6:]) if text in shown] == []
    with pytest.raises(ValueError, match="has a secret"):
        Webhook()
