"""A mail of sentences and links, as text and as HTML that loads nothing."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate

from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.email_addresses import LABEL_LENGTH_MAX, ascii_domain
from foreknow.kernel.site_theme import SiteTheme
from foreknow.kernel.text import one_line
from foreknow.people.mail.texts import MailText
from foreknow.people.notifications.kind import Tone
from foreknow.platform.mailing.smtp import MAIL_FORM

#: What separates addresses and their parts in a mail's head; no domain has any.
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
    "margin:0 auto;padding:16px;overflow-wrap:anywhere}}a{{color:{light}}}h1{{font-size:22px;line-height:1.3;margin:0}}"
    "h2{{font-size:16px;margin:32px 0 8px}}h2 span{{font-weight:normal}}.head{{margin:0 0 8px}}"
    "table{{width:100%;border-collapse:collapse}}td{{vertical-align:top;padding:10px 0;border-top:1px solid #d5ddd6}}"
    "td.figure{{text-align:right;white-space:nowrap;padding-left:16px;font-weight:bold}}td a{{text-decoration:none}}"
    ".small{{color:#555555;font-size:14px}}"
    ".end{{margin-top:32px}}.up{{color:#0b6b3a}}.down{{color:#a3312c}}"
    ".button{{display:inline-block;margin-top:12px;padding:8px 20px;border-radius:6px;background:{light};"
    "color:#ffffff;text-decoration:none}}"
    "@media (prefers-color-scheme:dark){{body{{color:#e6ece8;background:#101815}}a{{color:{dark}}}"
    "td{{border-color:#33403a}}.small{{color:#a9b3ad}}.up{{color:#6fd39a}}.down{{color:#ff9d94}}"
    ".button{{background:{dark};color:#101815}}}}</style></head><body>{body}</body></html>"
)
#: The accent of a site without one of its own.
PLAIN_ACCENT = SiteTheme("#00606c", "#6cc7d3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """From whom, to whom, which mail it is, and in which colours; `created_at_ms` is its date."""

    sender: Address
    recipient: str
    message_id: str
    created_at_ms: int
    accent: SiteTheme = PLAIN_ACCENT


@dataclass(frozen=True, slots=True, kw_only=True)
class MailItem:
    """One of several things that a mail says, with a link, "" for none.

    In HTML, an item of a section is its `name`, with `detail` below and `figure` beside it.
    """

    text: str
    link: str
    button: str = ""
    #: Said below it, "" for nothing.
    more: str = ""
    name: str = ""
    detail: str = ""
    figure: str = ""
    #: A colour only, as the figure says it, too.
    tone: Tone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSection:
    """Items under a title, "" for none, with a sum below them; in HTML with a note beside the title."""

    title: str
    items: Sequence[MailItem]
    note: str = ""
    total: MailItem | None = None


class CannotAddress(ValueError):
    """No mail can have this address."""


def recipient_of(text: str) -> Address:
    """Return an address as mails have it, its domain in ASCII; `CannotAddress`.

    An account's address may have characters that mean something else in a mail's head, such as a comma. Its domain is
    checked as it is sent: what is a comma there may be another character in the text.
    """
    user, _, domain = text.rpartition("@")
    known = ascii_domain(domain)
    if known is None or any(len(label) > LABEL_LENGTH_MAX for label in known.split(".")):
        raise CannotAddress
    if not user or any(char in _SPECIAL for char in user):
        raise CannotAddress
    try:
        return Address(username=user, domain=domain if domain.isascii() else known)
    except ValueError:
        raise CannotAddress from None


def message_of(
    envelope: Envelope,
    text: MailText,
    *,
    language: str,
    link: str = "",
    sections: Sequence[MailSection] = (),
    footer: Sequence[MailItem] = (),
    unsubscribe: str = "",
) -> EmailMessage:
    """Return a mail; `CannotAddress`.

    `sections` follow the lines, `footer` the closing ones. `unsubscribe` is the address that ends such mails (RFC
    8058).
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
    message.set_content(_plain(text, link, sections, footer), cte="quoted-printable")
    body = _html(text, link, sections, footer)
    page = _PAGE.format(
        language=language,
        subject=html.escape(text.subject),
        body=body,
        light=envelope.accent.accent_light,
        dark=envelope.accent.accent_dark,
    )
    message.add_alternative(page, subtype="html", cte="quoted-printable")
    return message


def subject_of(text: str) -> str:
    """Return a text as a header has it: one line of `SUBJECT_MAX` characters at most."""
    line = one_line(text)
    return line if len(line) <= SUBJECT_MAX else line[: SUBJECT_MAX - 1].rstrip() + "…"


def _plain(text: MailText, link: str, sections: Sequence[MailSection], footer: Sequence[MailItem]) -> str:
    parts = [*([text.title] if text.title else []), *text.lines, *([link] if link else [])]
    for section in sections:
        if section.title:
            parts.append(section.title.upper())
        parts += ["\n".join(filter(None, (item.text, item.more, item.link))) for item in section.items]
        if section.total is not None:
            parts.append(section.total.text)
    parts += [*text.closing, *(f"{item.text}\n{item.link}" for item in footer), text.reason]
    return "\n\n".join(parts) + "\n"


def _html(text: MailText, link: str, sections: Sequence[MailSection], footer: Sequence[MailItem]) -> str:
    parts = [f"<h1>{html.escape(text.title)}</h1>"] if text.title else []
    parts += [_paragraph(line) for line in text.lines]
    if link:
        shown = html.escape(link)
        parts.append(
            f'<p><a class="button" href="{shown}">{html.escape(text.button)}</a></p><p class="small">{shown}</p>'
        )
    for section in sections:
        parts += _section(section) if section.title else [_alone(item) for item in section.items]
    parts += [_paragraph(line) for line in text.closing]
    if footer:
        parts.append(f'<p class="small end">{" · ".join(_anchor(item.link, item.text) for item in footer)}</p>')
    parts.append(f'<p class="small">{html.escape(text.reason)}</p>')
    return "\n".join(parts)


def _alone(item: MailItem) -> str:
    anchor = f'<br><a class="button" href="{html.escape(item.link)}">{html.escape(item.button)}</a>'
    more = f"<br>{html.escape(item.more)}" if item.more else ""
    return f'<p class="head">{html.escape(item.text)}{more}{anchor if item.link else ""}</p>'


def _section(section: MailSection) -> list[str]:
    note = f' <span class="small">{html.escape(section.note)}</span>' if section.note else ""
    items = [*section.items, *([] if section.total is None else [section.total])]
    rows = "\n".join(_row(item) for item in items)
    return [f"<h2>{html.escape(section.title)}{note}</h2>", f'<table role="presentation">{rows}</table>']


def _row(item: MailItem) -> str:
    name = f"<strong>{html.escape(item.name)}</strong>"
    said = f'<a href="{html.escape(item.link)}">{name}</a>' if item.link else name
    for line in filter(None, (item.detail, item.more)):
        said += f'<div class="small">{html.escape(line)}</div>'
    tone = f" {item.tone}" if item.tone else ""
    return f'<tr class="item"><td>{said}</td><td class="figure{tone}">{html.escape(item.figure)}</td></tr>'


def _anchor(link: str, text: str) -> str:
    return f'<a href="{html.escape(link)}">{html.escape(text)}</a>'


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"
