"""Mails to people: what they say, and the workers that send them.

texts     the sentences, in English and Russian
messages  a mail of sentences and a link, as text and HTML
composer  the mail of a row of the outbox
sender    the workers of each process
trial     one mail that an operator sends
opening   all of it from the settings
"""

from foreknow.people.mail.opening import open_mail_sender
from foreknow.people.mail.sender import MailSender

__all__ = ["MailSender", "open_mail_sender"]
