"""The outbox of mails to people, and the way to the SMTP server. What a mail says is not known here.

    tables   mails and notices that wait, when mails were requested, whether the site sends any
    outbox   writing rows in the transaction of their cause, the bounds of what can be requested, claiming and settling
    notices  notifications that wait to be part of a mail
    smtp     the settings' server, connections to it, and how mails are written

A row is a mail that waits: it is deleted when the server has taken the mail. It says for whom the mail is and why; what
the mail says, its links above all, is made when it is sent (`people/mail/`).
"""

from foreknow.platform.mailing.outbox import MailKind
from foreknow.platform.mailing.smtp import SmtpConnections

__all__ = ["MailKind", "SmtpConnections"]
