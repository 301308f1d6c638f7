"""What sends mails, from the settings."""

from __future__ import annotations

from foreknow.kernel.mail_settings import MailServer, parse_sender
from foreknow.kernel.settings import Settings
from foreknow.people.mail.composer import Composer, mail_site
from foreknow.people.mail.sender import MailSender
from foreknow.people.mail.unsubscribing import UnsubscribeLinks
from foreknow.people.users.mailed_links import MailedLinks
from foreknow.platform.db.engine import Database
from foreknow.platform.mailing import SmtpConnections


def open_connections(settings: Settings) -> SmtpConnections:
    """Return connections to the settings' server, of which there must be one."""
    server = MailServer.parse(settings.smtp_url.get_secret_value())
    return SmtpConnections(server, parse_sender(settings.email_from).addr_spec)


def open_mail_sender(db: Database, settings: Settings, links: MailedLinks, unsubscribe: UnsubscribeLinks) -> MailSender:
    """Return what sends mails; without a server it sends nothing."""
    if not settings.sends_mail:
        return MailSender(db, None, None)
    return MailSender(db, Composer(mail_site(settings), links, unsubscribe), open_connections(settings))
