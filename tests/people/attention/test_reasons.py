"""Each reason of a worker's entries has a sentence in the operators' list of the web client, in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foreknow.people.mail import sender as mails
from foreknow.site.webhooks import service as webhooks
from foreknow.trading.effects import order_worker as orders
from foreknow.trading.lists import worker as lists
from foreknow.trading.settlement import payments

MESSAGES = Path(__file__).parents[3] / "web" / "src" / "messages"
REASONS = (payments.REASON, lists.REASON, orders.REASON, webhooks.ATTENTION_REASON, mails.ATTENTION_REASON)


@pytest.mark.parametrize("language", ["en", "ru"])
def test_each_reason_has_a_sentence(language: str) -> None:
    texts = json.loads((MESSAGES / f"admin.{language}.json").read_text())
    assert not [reason for reason in REASONS if f"reason_{reason}" not in texts]
