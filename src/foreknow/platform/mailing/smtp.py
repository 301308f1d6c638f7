"""The settings' SMTP server, connections to it, and the form of mails."""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator
from email.header import Header
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any

import aiosmtplib
from aiosmtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPRecipientsRefused,
    SMTPResponseException,
)

from foreknow.kernel.mail_settings import MailServer
from foreknow.kernel.tls import client_context

#: Time limit of an attempt: connecting, signing in and handing over one mail.
ATTEMPT_S = 40.0
#: Time limit of each step of it.
STEP_S = 20.0
#: Replies from this code on are final, 5yz (RFC 5321, 4.2.1).
_PERMANENT = 500
#: An enhanced status code at the beginning of a reply: class, subject, detail (RFC 3463).
_STATUS = re.compile(r"[245]\.(?P<reason>\d{1,3}\.\d{1,3})\b")
#: Subjects and details that say that there is no such mailbox, or that it is closed. All others, such as 2.2 (full) and
#: 7.1 (not authorised), are of the moment, or of the sender.
_DEAD = frozenset({"1.1", "1.2", "1.3", "1.6", "1.10", "2.1"})
#: Replies that say so where there is no enhanced status code: unavailable, not local, name not allowed.
_DEAD_CODES = frozenset({550, 551, 553})
#: Headers that hold an address of the web. The standard library would encode one that is longer than a line as words
#: (RFC 2047), and no mail program would read it; lines may have 998 characters (RFC 5322, 2.1.1).
_UNFOLDED = frozenset({"list-unsubscribe"})


class MailForm(EmailPolicy):
    """The standard library's policy of mails for SMTP, which leaves addresses of the web in one piece.

    It encodes a subject beyond ASCII by the older `Header`: by itself it loses spaces between encoded words.
    """

    def fold_binary(self, name: str, value: Any) -> bytes:
        """Return a header as it is sent."""
        if name.lower() in _UNFOLDED:
            return f"{name}: {value}{self.linesep}".encode("ascii")
        if name.lower() == "subject" and not self.utf8 and not value.isascii():
            encoded = Header(str(value), "utf-8", header_name=name).encode(linesep=self.linesep)
            return f"{name}: {encoded}{self.linesep}".encode("ascii")
        return super().fold_binary(name, value)


MAIL_FORM = MailForm(linesep="\r\n")
#: The same with addresses beyond ASCII in its head (RFC 6532).
UTF8_MAIL_FORM = MAIL_FORM.clone(utf8=True)


class MailNotTaken(Exception):
    """The server could not be reached, or did not take a mail now; the text says why, without names of people."""

    def __init__(self, reason: str, detail: str) -> None:
        """`detail` is what the server or the system says, which may name people."""
        super().__init__(reason)
        self.detail = detail or reason


class DeadMailbox(MailNotTaken):
    """The server says that the recipient's mailbox does not exist, which it may take back."""


class SmtpConnections:
    """Connections to the server, kept while mails follow each other."""

    def __init__(
        self,
        server: MailServer,
        sender: str,
        *,
        tls_context: ssl.SSLContext | None = None,
        attempt_s: float = ATTEMPT_S,
    ) -> None:
        """Send from the address `sender`, its domain in ASCII; an attempt ends after `attempt_s` seconds.

        `tls_context` decides which certificates are trusted, by default that of all outgoing connections.
        """
        self._server = server
        self._sender = sender
        self._tls_context = tls_context
        self._attempt_s = attempt_s
        self._idle: list[aiosmtplib.SMTP] = []

    async def send(self, recipient: str, message: EmailMessage) -> None:
        """Hand over one mail; `DeadMailbox`, `MailNotTaken`. The domain of `recipient` is in ASCII.

        A local part beyond ASCII needs a server with SMTPUTF8 (RFC 6531).
        """
        is_ascii = self._sender.isascii() and recipient.isascii()
        try:
            content = message.as_bytes(policy=MAIL_FORM if is_ascii else UTF8_MAIL_FORM)
            async with asyncio.timeout(self._attempt_s), self._connection() as connection:
                options = [] if is_ascii else ["SMTPUTF8", "BODY=8BITMIME"]
                await connection.sendmail(self._sender, [recipient], content, mail_options=options)
        except SMTPRecipientsRefused as refused:
            raise _error_of("recipient refused", refused.recipients[0]) from None
        except SMTPDataError as refused:
            raise _error_of("mail refused", refused) from None
        except SMTPResponseException as refused:
            raise MailNotTaken(
                f"{type(refused).__name__} {refused.code}", f"{refused.code} {refused.message}"
            ) from None
        except (SMTPException, OSError, TimeoutError, ValueError) as failure:
            raise MailNotTaken(type(failure).__name__, str(failure)) from None

    async def check_sender(self) -> None:
        """Raise `ValueError` where the server is there and cannot send from the address of the settings."""
        if self._sender.isascii():
            return
        with contextlib.suppress(SMTPException, OSError, TimeoutError):
            async with asyncio.timeout(self._attempt_s), self._connection() as connection:
                if not connection.supports_extension("smtputf8"):
                    raise ValueError("the mail server has no SMTPUTF8, which the sender needs")

    async def close(self) -> None:
        """Close what is idle."""
        idle, self._idle = self._idle, []
        for connection in idle:
            with contextlib.suppress(SMTPException, OSError, TimeoutError):
                async with asyncio.timeout(1):
                    await connection.quit()
            connection.close()

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[aiosmtplib.SMTP]:
        connection = self._idle.pop() if self._idle else None
        if connection is None or not connection.is_connected:
            connection = self._new()
            await connection.connect()
        try:
            yield connection
        except SMTPRecipientsRefused:
            self._keep(connection)
            raise
        except BaseException:
            connection.close()
            raise
        self._keep(connection)

    def _keep(self, connection: aiosmtplib.SMTP) -> None:
        if connection.is_connected:
            self._idle.append(connection)

    def _new(self) -> aiosmtplib.SMTP:
        server = self._server
        return aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user or None,
            password=server.password or None,
            use_tls=server.tls == "tls",
            start_tls=server.tls == "starttls" or (None if server.tls == "none" else False),
            tls_context=self._tls_context or client_context(),
            timeout=STEP_S,
        )


def _error_of(what: str, answer: SMTPRecipientRefused | SMTPDataError) -> MailNotTaken:
    """Return what an answer to RCPT or DATA means."""
    found = _STATUS.match(answer.message)
    is_dead = answer.code in _DEAD_CODES if found is None else found["reason"] in _DEAD
    error = DeadMailbox if is_dead and answer.code >= _PERMANENT else MailNotTaken
    return error(f"{what} with {answer.code}", f"{answer.code} {answer.message}")
