"""Handing mails to servers that take them, refuse them, hang and are gone."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal

import pytest
from aiosmtpd.smtp import AuthResult
from pydantic import SecretStr, ValidationError

from foreknow.kernel.mail_settings import MailServer, parse_sender
from foreknow.kernel.settings import Settings
from foreknow.people.mail.messages import Envelope, message_of, recipient_of
from foreknow.people.mail.texts import MailText
from foreknow.platform.mailing.smtp import DeadMailbox, MailNotTaken, SmtpConnections
from tests.support.mailbox import Mailbox, certificate, mail_server
from tests.support.proofs import proves

ANN = "ann@example.org"
SENDER = "site@example.org"
#: The library folds it between words.
SUBJECT = "«Выиграют ли «Красные» дерби?»: итог — НЕТ. По вашим долям будет выплачено 0,00 ₽"


def a_mail() -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = SUBJECT
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

    assert [mail["Subject"] for mail in mailbox.to(ANN)] == [SUBJECT, SUBJECT]


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


#: Of a mailbox that is no more.
DEAD = (
    "550 no such user",
    "551 User not local",
    "553 Mailbox name not allowed",
    "550 5.1.1 User unknown",
    "554 5.1.10 RecipientNotFound",
    "501 5.1.3 Bad recipient address syntax",
    "550 5.2.1 Mailbox disabled",
    "550-5.1.1 The email account that you tried to reach does not exist.\r\n550 5.1.1 Please try again.",
)
#: Of the moment, or of what the server has against the sender.
OTHER = (
    "451 come back later",
    "450 4.2.1 The user is receiving mail too quickly",
    "554 5.7.1 Relay access denied",
    "550 5.7.606 Access denied, banned sending IP",
    "530 5.7.0 Authentication required",
    "530 Authentication required",
    "552 5.2.2 Mailbox full",
    "550 5.2.2 Over quota",
    "550 5.1.8 Sender rejected",
    "550 5.1.100 none of ours",
    "554 looks like spam",
)


@proves(
    "site: An address is refused for good (`email_refused`; no more notices) where RCPT or DATA answers with X.1.1 … "
    "X.1.3, X.1.6, X.1.10, X.2.1, or with 550, 551, 553 without such a code,"
)
async def test_what_a_server_answers_tells_a_dead_mailbox_from_all_else() -> None:
    with mail_server() as mailbox:
        for answer, is_dead in [*((text, True) for text in DEAD), *((text, False) for text in OTHER)]:
            given, taken = (lambda _, text=answer: text), Mailbox().answer_mail
            for mailbox.answer_recipient, mailbox.answer_mail in ((given, taken), (taken, given)):
                with pytest.raises(MailNotTaken, match=answer[:3]) as caught:
                    await send_to(mailbox.port)
                assert isinstance(caught.value, DeadMailbox) is is_dead, answer
        mailbox.answer_mail = Mailbox().answer_mail
        with pytest.raises(MailNotTaken) as caught:
            await SmtpConnections(server_at(mailbox.port), "a b@example.org").send(ANN, a_mail())
        assert not isinstance(caught.value, DeadMailbox)


@proves(
    "site: A domain in any script is sent as its A-label; a local part beyond ASCII needs SMTPUTF8, in "
    "`FOREKNOW_EMAIL_FROM` too (without: exit 2)."
)
async def test_addresses_in_any_script_are_mailed() -> None:
    local, domain = "анна@example.org", "ann@почта.example"
    sender = parse_sender("Прогнозы <сайт@почта.example>")
    assert sender.addr_spec == "сайт@xn--80a1acny.example"
    envelope = Envelope(sender=sender, recipient=local, message_id="1", created_at_ms=0)
    text = MailText(subject="Привет", title="", lines=("Hello.",), reason="")
    with mail_server(enable_SMTPUTF8=True) as mailbox:
        connections = SmtpConnections(server_at(mailbox.port), sender.addr_spec)
        await connections.check_sender()
        await connections.send(local, message_of(envelope, text, language="ru"))
        await connections.close()
    with mail_server() as without:
        plain = SmtpConnections(server_at(without.port), "site@xn--80a1acny.example")
        await plain.check_sender()
        to = recipient_of(domain).addr_spec
        named = replace(envelope, sender=parse_sender("site@почта.example"), recipient=domain)
        await plain.send(to, message_of(named, text, language="ru"))
        with pytest.raises(MailNotTaken):
            await plain.send(local, a_mail())
        with pytest.raises(ValueError, match="SMTPUTF8"):
            await SmtpConnections(server_at(without.port), sender.addr_spec).check_sender()
        await plain.close()
    await SmtpConnections(server_at(without.port), sender.addr_spec).check_sender()

    assert [mail["From"] for mail in mailbox.to(local)] == ["Прогнозы <сайт@xn--80a1acny.example>"]
    assert [mail["To"] for mail in mailbox.to(local)] == [local]
    assert [mail["From"] for mail in without.to("ann@xn--80a1acny.example")] == ["site@xn--80a1acny.example"]


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
    for sender in ("a", "a@", "A <a@b", "a@b\nBcc: c@d", "a b@c", "a,b@c", "a@b c"):
        with pytest.raises(ValidationError, match="name@host"):
            Settings(email_from=sender)
    with pytest.raises(ValidationError, match="FOREKNOW_SMTP_URL needs FOREKNOW_EMAIL_FROM and FOREKNOW_PUBLIC_URL"):
        Settings(smtp_url=SecretStr("smtp://localhost"))
