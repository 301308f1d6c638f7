"""Bodies of webhooks' administration."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import NATURAL, SECRET, TIME_EXAMPLE, CreatedAt, Time
from foreknow.kernel.units import INT64_MAX
from foreknow.site.webhooks.addresses import ADDRESS_SCHEMA

URL_EXAMPLE = "https://example.org/foreknow"
Url = Annotated[str, Meta(description="Where messages are posted.", examples=[URL_EXAMPLE])]


class WebhookOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook to be set."""

    url: Annotated[
        str,
        Meta(
            description="Where to post messages: https and a name with public addresses; an empty one removes the "
            "webhook.",
            examples=[URL_EXAMPLE],
            extra_json_schema=ADDRESS_SCHEMA,
        ),
    ]


class IssuedWebhook(msgspec.Struct, frozen=True):
    """A webhook as set, with its new secret, which is shown this once."""

    url: Url
    secret: Annotated[
        str,
        Meta(
            description="What signs its messages, shown this once; empty where the webhook is removed.",
            examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
        ),
        SECRET,
    ]


class WebhookState(msgspec.Struct, frozen=True):
    """A webhook and how its deliveries go."""

    url: Url
    created_at: CreatedAt
    last_delivery_at: Annotated[
        Time | None, Meta(description="When a message was taken last, UTC; null for never.", examples=[TIME_EXAMPLE])
    ]
    failing_since: Annotated[
        Time | None, Meta(description="Since when all attempts have failed, UTC; null if they do not.", examples=[None])
    ]
    reason: Annotated[str, Meta(description="Why the last attempt failed; empty if it did not.", examples=[""])]
    next_attempt_at: Annotated[
        Time | None, Meta(description="When the next attempt is, UTC; null where none failed.", examples=[None])
    ]
    waiting: Annotated[
        int, NATURAL, Meta(description="Messages that wait; 1000 stands for that many or more.", examples=[0])
    ]


class ResendOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From where on lines are to be posted again."""

    after_id: Annotated[
        int,
        Meta(description="The last line that you have, by its id; 0 for none.", ge=0, le=INT64_MAX, examples=[7]),
    ]


class Resend(msgspec.Struct, frozen=True):
    """How much is posted again."""

    count: Annotated[int, NATURAL, Meta(description="How many lines are posted again.", examples=[12])]


class WebhookTest(msgspec.Struct, frozen=True):
    """What came of a test message."""

    delivered: Annotated[bool, Meta(description="Whether it was taken: answered with a 2xx.", examples=[True])]
    reason: Annotated[str, Meta(description="Why it was not; empty if it was.", examples=[""])]
