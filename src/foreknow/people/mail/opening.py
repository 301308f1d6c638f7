"""What sends mails, from the settings, and one mail that an operator sends to see whether mails arrive."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from foreknow.kernel.clock import system_clock
from foreknow.kernel.mail_settings import MailServer, parse_sender
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_theme import SiteTheme
from foreknow.people.mail.composer import Composer, UnreadComments, mail_site, test_mail
from foreknow.people.mail.messages import CannotAddress, recipient_of
from foreknow.people.mail.sender import MailSender
from foreknow.people.mail.unsubscribing import UnsubscribeLinks
from foreknow.people.users.mailed_links import MailedLinks
from foreknow.platform.db.engine import Database
from foreknow.platform.mailing import SmtpConnections
from foreknow.platform.mailing.smtp import DeadMailbox, MailNotTaken
from foreknow.platform.settings import LiveSettings


def open_connections(settings: Settings) -> SmtpConnections:
    """Return connections to the settings' server, of which there must be one."""
    server = MailServer.parse(settings.smtp_url.get_secret_value())
    return SmtpConnections(server, parse_sender(settings.email_from).addr_spec)


def open_mail_sender(
    db: Database,
    settings: LiveSettings,
    links: MailedLinks,
    unsubscribe: UnsubscribeLinks,
    unread: UnreadComments,
    *,
    theme: Callable[[], SiteTheme | None],
) -> MailSender:
    """Return what sends mails in the colours of `theme`, none of comments that are `unread` by then; without a server
    it sends nothing.
    """
    if not settings.given.sends_mail:
        return MailSender(db, None, None)
    composer = Composer(settings, links, unsubscribe, unread, theme=theme)
    return MailSender(db, composer, open_connections(settings.given))


class NotSent(Exception):
    """The server did not take the mail; the text says why."""


async def send_test_mail(settings: Settings, address: str) -> None:
    """Hand one mail to the settings' server; `NotSent`."""
    connections = open_connections(settings)
    try:
        message = test_mail(mail_site(settings), address, message_id=uuid.uuid4().hex, at_ms=system_clock())
        await connections.send(recipient_of(address).addr_spec, message)
    except CannotAddress:
        raise NotSent(f"no mail can be sent to {address}") from None
    except DeadMailbox as failure:
        raise NotSent(f"the mail server says that there is no mailbox {address}: {failure.detail}") from None
    except MailNotTaken as failure:
        raise NotSent(f"the mail server did not take the mail: {failure.detail}") from None
    finally:
        await connections.close()
