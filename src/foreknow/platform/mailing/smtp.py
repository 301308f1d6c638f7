"""The settings' SMTP server, and connections to it."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from email.message import EmailMessage

import aiosmtplib
from aiosmtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from foreknow.kernel.mail_settings import MailServer
from foreknow.kernel.tls import client_context
from foreknow.platform.mailing.form import MAIL_FORM

#: Time limit of an attempt: connecting, signing in and handing over one mail.
ATTEMPT_S = 40.0
#: Time limit of each step of it.
STEP_S = 20.0
#: Replies from this code on do not change when the mail is sent again.
_PERMANENT = 500


class RefusedPermanently(Exception):
    """The server will never take a mail for this address; the text is its answer, which may name people."""


class MailNotTaken(Exception):
    """The server could not be reached, or did not take a mail now; the text says why, without names of people."""

    def __init__(self, reason: str, detail: str) -> None:
        """`detail` is what the server or the system says, which may name people."""
        super().__init__(reason)
        self.detail = detail or reason


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
        """Send from the address `sender`; an attempt ends after `attempt_s` seconds.

        `tls_context` decides which certificates are trusted, by default that of all outgoing connections.
        """
        self._server = server
        self._sender = sender
        self._tls_context = tls_context
        self._attempt_s = attempt_s
        self._idle: list[aiosmtplib.SMTP] = []

    async def send(self, recipient: str, message: EmailMessage) -> None:
        """Hand over one mail; `RefusedPermanently`, `MailNotTaken`."""
        try:
            content = message.as_bytes(policy=MAIL_FORM)
            async with asyncio.timeout(self._attempt_s), self._connection() as connection:
                await connection.sendmail(self._sender, [recipient], content)
        except SMTPRecipientsRefused as refused:
            answer = refused.recipients[0]
            if answer.code >= _PERMANENT:
                raise RefusedPermanently(f"{answer.code} {answer.message}") from None
            raise MailNotTaken(f"recipient put off with {answer.code}", f"{answer.code} {answer.message}") from None
        except SMTPResponseException as refused:
            raise MailNotTaken(
                f"{type(refused).__name__} {refused.code}", f"{refused.code} {refused.message}"
            ) from None
        except (SMTPException, OSError, TimeoutError) as failure:
            raise MailNotTaken(type(failure).__name__, str(failure)) from None
        except ValueError as failure:
            # An address that cannot stand in an envelope.
            raise RefusedPermanently(str(failure)) from None

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
