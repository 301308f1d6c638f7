"""Handing mails to servers that take them, refuse them, hang and are gone."""

from __future__ import annotations

import socket
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal

import pytest
from aiosmtpd.smtp import AuthResult
from pydantic import SecretStr, ValidationError

from foreknow.kernel.mail_settings import MailServer
from foreknow.kernel.settings import Settings
from foreknow.platform.mailing.smtp import MailNotTaken, RefusedPermanently, SmtpConnections
from tests.support.mailbox import Mailbox, certificate, mail_server
from tests.support.proofs import proves

ANN = "ann@example.org"
SENDER = "site@example.org"


def a_mail() -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = "Привет"
    mail.set_content("Hello, Ann.")
    return mail


def server_at(port: int, tls: Literal["tls", "starttls", "none"] = "none", user: str = "") -> MailServer:
    return MailServer("127.0.0.1", port, tls, user, "secret" if user else "")


async def send_to(port: int, **options: Any) -> None:
    connections = SmtpConnections(server_at(port), SENDER, **options)
    try:
        await connections.send(ANN, a_mail())
    finally:
        await connections.close()


async def test_mails_follow_each_other_through_one_connection() -> None:
    with mail_server() as mailbox:
        connections = SmtpConnections(server_at(mailbox.port), SENDER)
        await connections.send(ANN, a_mail())
        await connections.send(ANN, a_mail())
        await connections.close()

    assert [mail["Subject"] for mail in mailbox.to(ANN)] == ["Привет", "Привет"]


@pytest.mark.parametrize("tls", ["tls", "starttls"])
async def test_a_server_must_prove_who_it_is(tmp_path: Path, tls: Literal["tls", "starttls"]) -> None:
    server_context, client_context = certificate(tmp_path)
    signed_in: list[bytes] = []

    def authenticate(*given: Any) -> AuthResult:
        signed_in.append(given[-1].password)
        return AuthResult(success=True)

    if tls == "tls":
        options: dict[str, Any] = {"ssl_context": server_context, "auth_require_tls": False}
    else:
        options = {"tls_context": server_context, "require_starttls": True}
    with mail_server(authenticator=authenticate, **options) as mailbox:
        trusted = SmtpConnections(server_at(mailbox.port, tls, user="site"), SENDER, tls_context=client_context)
        await trusted.send(ANN, a_mail())
        await trusted.close()
        with pytest.raises(MailNotTaken):
            await SmtpConnections(server_at(mailbox.port, tls, user="site"), SENDER).send(ANN, a_mail())

    assert signed_in == [b"secret"]
    assert len(mailbox.to(ANN)) == 1


async def test_a_server_without_the_tls_that_it_must_have_gets_no_mail_and_no_password() -> None:
    with mail_server() as mailbox, pytest.raises(MailNotTaken):
        await SmtpConnections(server_at(mailbox.port, "starttls", user="site"), SENDER).send(ANN, a_mail())

    assert mailbox.taken == []


async def test_only_a_recipient_that_is_refused_permanently_is_given_up() -> None:
    with mail_server() as mailbox:
        mailbox.answer_recipient = lambda _: "550 no such user"
        with pytest.raises(RefusedPermanently):
            await send_to(mailbox.port)
        mailbox.answer_recipient = lambda _: "451 come back later"
        with pytest.raises(MailNotTaken, match="451"):
            await send_to(mailbox.port)
        mailbox.answer_recipient = Mailbox().answer_recipient
        mailbox.answer_mail = lambda _: "554 looks like spam"
        with pytest.raises(MailNotTaken, match="554"):
            await send_to(mailbox.port)
        with pytest.raises(RefusedPermanently):
            await SmtpConnections(server_at(mailbox.port), SENDER).send("a b@example.org", a_mail())


def _silent(listening: socket.socket) -> None:
    listening.listen()


def _dead(listening: socket.socket) -> None:
    listening.close()


@pytest.mark.parametrize("behave", [_silent, _dead])
async def test_a_server_that_hangs_or_is_gone_takes_no_mail(behave: Callable[[socket.socket], None]) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        behave(listening)
        with pytest.raises(MailNotTaken):
            await send_to(port, attempt_s=0.2)


@proves(
    "site: `FOREKNOW_SMTP_URL` (`smtp://` with STARTTLS, `smtps://`; without TLS only to loopback), "
    "`FOREKNOW_EMAIL_FROM`,"
)
def test_a_server_is_named_by_its_url() -> None:
    assert MailServer.parse("smtp://a%40b:p%3Aw@mail.example.org") == MailServer(
        "mail.example.org", 587, "starttls", "a@b", "p:w"
    )
    assert MailServer.parse("smtps://mail.example.org/").tls == "tls"
    assert MailServer.parse("smtp://localhost:25").tls == "none"
    for wrong in ("mail.example.org", "http://a", "smtp://", "smtp://a:x", "smtp://a:0", "smtp://a/b", "smtp://a?b"):
        with pytest.raises(ValidationError, match="smtp"):
            Settings(smtp_url=SecretStr(wrong), email_from=SENDER, public_url="http://a")
    for sender in ("a", "a@", "A <a@b", "a@b\nBcc: c@d"):
        with pytest.raises(ValidationError, match="name@host"):
            Settings(email_from=sender)
    with pytest.raises(ValidationError, match="FOREKNOW_SMTP_URL needs FOREKNOW_EMAIL_FROM and FOREKNOW_PUBLIC_URL"):
        Settings(smtp_url=SecretStr("smtp://localhost"))
