"""A mail of sentences and links, as text and as HTML that loads nothing."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate

from foreknow.kernel.clock import SECOND_MS
from foreknow.people.mail.texts import MailText
from foreknow.platform.mailing.form import MAIL_FORM

#: What separates addresses and their parts in a mail's head.
_SPECIAL = frozenset('<>()[]:;,\\"')
#: Longest subject.
SUBJECT_MAX = 150
#: Mail programs without its style show black on white, or what they make of it.
_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{subject}</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">'
    "<style>:root{{color-scheme:light dark}}"
    "body{{font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;background:#ffffff;max-width:36em;"
    "margin:0 auto;padding:16px;overflow-wrap:anywhere}}a{{color:#00606c}}"
    ".item{{border-top:1px solid #d5ddd6;padding-top:12px}}.small{{color:#555555;font-size:14px}}"
    "@media (prefers-color-scheme:dark){{body{{color:#e6ece8;background:#101815}}a{{color:#6cc7d3}}"
    ".item{{border-color:#33403a}}.small{{color:#a9b3ad}}}}</style></head><body>{body}</body></html>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """From whom, to whom, and which mail it is; `created_at_ms` is its date."""

    sender: Address
    recipient: str
    message_id: str
    created_at_ms: int


@dataclass(frozen=True, slots=True)
class MailItem:
    """One of several things that a mail says, with a link, "" for none."""

    text: str
    link: str
    button: str


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


def message_of(
    envelope: Envelope,
    text: MailText,
    *,
    language: str,
    link: str = "",
    items: Sequence[MailItem] = (),
    footer: Sequence[MailItem] = (),
    unsubscribe: str = "",
) -> EmailMessage:
    """Return a mail; `CannotAddress`.

    `items` follow the lines, `footer` the closing ones. `unsubscribe` is the address that ends such mails (RFC 8058).
    """
    message = EmailMessage(policy=MAIL_FORM)
    message["From"] = envelope.sender
    message["To"] = recipient_of(envelope.recipient)
    message["Subject"] = subject_of(text.subject)
    message["Date"] = formatdate(envelope.created_at_ms / SECOND_MS)
    message["Message-ID"] = f"<{envelope.message_id}@{envelope.sender.domain}>"
    # No one's holiday answers it.
    message["Auto-Submitted"] = "auto-generated"
    if unsubscribe:
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(_plain(text, link, items, footer), cte="quoted-printable")
    message.add_alternative(_html(text, link, items, footer, language), subtype="html", cte="quoted-printable")
    return message


def subject_of(text: str) -> str:
    """Return a text as a header has it: one line of characters that can be seen, of `SUBJECT_MAX` at most."""
    seen = "".join(char if char.isprintable() else " " for char in text)
    line = " ".join(seen.split())
    return line if len(line) <= SUBJECT_MAX else line[: SUBJECT_MAX - 1].rstrip() + "…"


def _plain(text: MailText, link: str, items: Sequence[MailItem], footer: Sequence[MailItem]) -> str:
    parts = [*text.lines, *([link] if link else [])]
    parts += [f"{item.text}\n{item.link}".rstrip() for item in items]
    parts += [*text.closing, *(f"{item.text}\n{item.link}" for item in footer), text.reason]
    return "\n\n".join(parts) + "\n"


def _html(text: MailText, link: str, items: Sequence[MailItem], footer: Sequence[MailItem], language: str) -> str:
    parts = [_paragraph(line) for line in text.lines]
    if link:
        shown = html.escape(link)
        parts.append(f'<p><a href="{shown}">{html.escape(text.button)}</a></p><p class="small">{shown}</p>')
    for item in items:
        anchor = f"<br>{_anchor(item.link, item.button)}" if item.link else ""
        parts.append(f'<p class="item">{html.escape(item.text)}{anchor}</p>')
    parts += [_paragraph(line) for line in text.closing]
    if footer:
        parts.append(f'<p class="small">{" · ".join(_anchor(item.link, item.text) for item in footer)}</p>')
    parts.append(f'<p class="small">{html.escape(text.reason)}</p>')
    return _PAGE.format(language=language, subject=html.escape(text.subject), body="\n".join(parts))


def _anchor(link: str, text: str) -> str:
    return f'<a href="{html.escape(link)}">{html.escape(text)}</a>'


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"
