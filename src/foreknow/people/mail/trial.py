"""A mail that an operator sends to see whether mails arrive."""

from __future__ import annotations

import uuid

from foreknow.kernel.clock import system_clock
from foreknow.kernel.settings import Settings
from foreknow.people.mail.composer import mail_site, test_mail
from foreknow.people.mail.messages import CannotAddress
from foreknow.people.mail.opening import open_connections
from foreknow.platform.mailing import RefusedPermanently
from foreknow.platform.mailing.smtp import MailNotTaken


class NotSent(Exception):
    """The server did not take the mail; the text says why."""


async def send_test_mail(settings: Settings, address: str) -> None:
    """Hand one mail to the settings' server; `NotSent`."""
    connections = open_connections(settings)
    try:
        message = test_mail(mail_site(settings), address, message_id=uuid.uuid4().hex, at_ms=system_clock())
        await connections.send(address, message)
    except CannotAddress:
        raise NotSent(f"no mail can be sent to {address}") from None
    except RefusedPermanently as failure:
        raise NotSent(f"the mail server refuses {address}: {failure}") from None
    except MailNotTaken as failure:
        raise NotSent(f"the mail server did not take the mail: {failure.detail}") from None
    finally:
        await connections.close()
