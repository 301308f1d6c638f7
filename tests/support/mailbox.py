"""A mail server that keeps what it takes, and answers as a test sets it; mails as a real parser reads them."""

from __future__ import annotations

import asyncio
import datetime as dt
import email
import email.policy
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.waiting import wait_until

WAIT_S = 60
TAKEN = "250 taken"
#: The workers that bring mails.
SENDERS = ("following", "notices", "mails-requested", "mails")


class Mailbox:
    """What the server has taken, and what it answers to a recipient and to a mail."""

    def __init__(self) -> None:
        """Take everything; `port` is where the server listens."""
        self.port = 0
        self.taken: list[tuple[str, EmailMessage]] = []
        self.answer_recipient: Callable[[str], str] = lambda _: TAKEN
        self.answer_mail: Callable[[str], str] = lambda _: TAKEN

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Answer RCPT."""
        answer = self.answer_recipient(address)
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Answer DATA, and keep the mail."""
        answer = self.answer_mail(envelope.rcpt_tos[0])
        if answer.startswith("2"):
            assert isinstance(envelope.content, bytes)
            read = email.message_from_bytes(envelope.content, policy=email.policy.default)
            assert isinstance(read, EmailMessage)
            self.taken += [(recipient, read) for recipient in envelope.rcpt_tos]
        return answer

    def to(self, address: str) -> list[EmailMessage]:
        """Return the mails to an address, oldest first."""
        return [mail for recipient, mail in self.taken if recipient == address]

    def wait(self, address: str, count: int = 1) -> EmailMessage:
        """Wait until an address has this many mails; return the last."""
        wait_until(lambda: len(self.to(address)) >= count, workers=SENDERS)
        return self.to(address)[count - 1]


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    """Return a mail's text, or its HTML."""
    body = mail.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def link_of(mail: EmailMessage, path: str) -> str:
    """Return the last part of the link in a mail whose path begins so."""
    found = re.search(rf"https?://[^\s/]+{path}(\S+)", text_of(mail))
    assert found, text_of(mail)
    return found[1]


@contextmanager
def mail_server(*, ssl_context: ssl.SSLContext | None = None, **options: Any) -> Iterator[Mailbox]:
    """Run a server on a free port of this machine, behind TLS with `ssl_context`; `options` are aiosmtpd's."""
    box, loop = Mailbox(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="mail-server", daemon=True)
    thread.start()

    connected: list[SMTP] = []

    def connect() -> SMTP:
        connected.append(SMTP(box, loop=loop, **options))
        return connected[-1]

    async def listen() -> asyncio.Server:
        return await loop.create_server(connect, "127.0.0.1", 0, ssl=ssl_context)

    listening = asyncio.run_coroutine_threadsafe(listen(), loop).result(WAIT_S)
    box.port = listening.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        asyncio.run_coroutine_threadsafe(_end(listening, connected), loop).result(WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


async def _end(listening: asyncio.Server, connected: list[SMTP]) -> None:
    listening.close()
    for connection in connected:
        if isinstance(connection.transport, asyncio.WriteTransport):
            # At once: a connection under TLS that is closed waits for its other side.
            connection.transport.abort()
    await asyncio.sleep(0)
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return the context of a server on this machine, and of clients that trust it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    end = now + dt.timedelta(days=1)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, end)
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(chain, private)
    return server, ssl.create_default_context(cafile=str(chain))
