"""Mails to people: what they say, and the workers that send them.

texts          the sentences, in English and Russian
messages       a mail of sentences and links, as text and HTML
sections       notices by what they are about, as items of a mail
gathering      mails of notices that are due
unsubscribing  links that end mails of notices
composer       the mail of a row of the outbox, and of notices
sender         the workers of each process
serving        the page of a link that ends mails
opening        all of it from the settings, and one mail that an operator sends
"""

from foreknow.people.mail.opening import open_mail_sender
from foreknow.people.mail.sender import MailSender

__all__ = ["MailSender", "open_mail_sender"]
