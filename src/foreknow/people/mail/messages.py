"""A mail of sentences and links, as text and as HTML that loads nothing."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate

from foreknow.kernel.clock import SECOND_MS
from foreknow.people.mail.texts import MailText

#: What separates addresses and their parts in a mail's head.
_SPECIAL = frozenset('<>()[]:;,\\"')
_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{subject}</title></head>'
    '<body style="font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;max-width:36em">{body}</body>'
    "</html>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """From whom, to whom, and which mail it is; `created_at_ms` is its date."""

    sender: Address
    recipient: str
    message_id: str
    created_at_ms: int


class CannotAddress(ValueError):
    """No mail can have this address."""


def recipient_of(text: str) -> Address:
    """Return an address as mails have it, its domain in ASCII; `CannotAddress`.

    An account's address may have characters that mean something else in a mail's head, such as a comma.
    """
    user, _, domain = text.rpartition("@")
    try:
        address = Address(username=user, domain=domain.encode("idna").decode("ascii"))
    except ValueError:
        raise CannotAddress from None
    if not user.isascii() or any(char in _SPECIAL for char in text):
        raise CannotAddress
    return address


def message_of(envelope: Envelope, text: MailText, *, language: str, link: str = "") -> EmailMessage:
    """Return a mail; `CannotAddress`."""
    message = EmailMessage(policy=SMTP)
    message["From"] = envelope.sender
    message["To"] = recipient_of(envelope.recipient)
    message["Subject"] = text.subject
    message["Date"] = formatdate(envelope.created_at_ms / SECOND_MS)
    message["Message-ID"] = f"<{envelope.message_id}@{envelope.sender.domain}>"
    # No one's holiday answers it.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_plain(text, link), cte="quoted-printable")
    message.add_alternative(_html(text, link, language), subtype="html", cte="quoted-printable")
    return message


def _plain(text: MailText, link: str) -> str:
    parts = [*text.lines, *([link] if link else []), *text.closing]
    return "\n\n".join(parts) + "\n"


def _html(text: MailText, link: str, language: str) -> str:
    parts = [_paragraph(line) for line in text.lines]
    if link:
        shown = html.escape(link)
        parts.append(f'<p><a href="{shown}">{html.escape(text.button)}</a></p><p style="color:#555">{shown}</p>')
    parts += [_paragraph(line) for line in text.closing]
    return _PAGE.format(language=language, subject=html.escape(text.subject), body=_together(parts))


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _together(parts: Sequence[str]) -> str:
    return "\n".join(parts)
