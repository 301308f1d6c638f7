"""Ids, bodies, secrets and headers of messages."""

from __future__ import annotations

import base64
import json
import re

from foreknow.site.webhooks import messages
from tests.site.webhooks.signatures import is_signed
from tests.support.webhook import Call

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_plNkYWQ3ZjE0YjU2Yzc4OWFiY2RlZjAx"


def test_a_secret_has_256_bits_that_differ_each_time() -> None:
    first, second = messages.new_secret(), messages.new_secret()

    assert first != second
    assert first.startswith("whsec_")
    assert len(base64.b64decode(first.removeprefix("whsec_"), validate=True)) == 32


def test_an_attempt_is_dated_in_whole_seconds_that_have_passed_and_signed_by_each_secret() -> None:
    body = b'{"type":"webhook.test"}'
    headers = messages.headers("test_1", body, [SECRET, OTHER], at_ms=1_800_000_000_999)

    assert headers.keys() == {"content-type", "webhook-id", "webhook-timestamp", "webhook-signature"}
    assert headers["webhook-timestamp"] == "1800000000"
    call = Call(200, dict(headers), body)
    assert [is_signed(call, secret) for secret in (SECRET, OTHER, messages.new_secret())] == [True, True, False]


def test_a_test_says_nothing_and_has_an_id_of_its_own() -> None:
    first, second = messages.of_test(1_800_000_000_123), messages.of_test(1_800_000_000_123)

    assert first.id != second.id
    assert re.fullmatch("test_[0-9a-f]{24}", first.id)
    assert json.loads(first.body()) == {"type": "webhook.test", "timestamp": "2027-01-15T08:00:00.123Z", "data": {}}
    assert (first.line_id, first.pool_id, first.decision_id, first.is_repeat) == (None, None, None, False)
