"""E-mail addresses: the domain that a mail is sent to, and the key under which an address is known."""

from __future__ import annotations

import re

from idna import IDNAError, uts46_remap

from foreknow.kernel.text import fold, nfc_within

#: Longest domain that is looked at.
_DOMAIN_LENGTH_MAX = 255
#: Longest part of a domain between two dots (RFC 1035).
LABEL_LENGTH_MAX = 63
_DOMAIN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)
_ENCODED = "xn--"


def ascii_domain(domain: str) -> str | None:
    """Return a domain as the network knows it, in lower case and A-labels; None for what is none.

    Characters are mapped as browsers do (UTS #46): to lower case, full-width letters to plain ones, and some to
    nothing. What that gives is checked, so that no separator of a mail's head hides in the text.
    """
    text = nfc_within(domain, _DOMAIN_LENGTH_MAX)
    try:
        mapped = None if text is None else uts46_remap(text, std3_rules=False)
    except IDNAError:
        return None
    if mapped is None:
        return None
    labels = mapped.split(".")
    if not all(label.isascii() or len(label) <= LABEL_LENGTH_MAX for label in labels):
        return None
    encoded = ".".join(map(_encoded, labels))
    return encoded if _DOMAIN.fullmatch(encoded) else None


def address_key(email: str) -> str:
    """Return a key that is equal for addresses of one mailbox: spellings of its domain, and case, do not count.

    The domain is in letters, not in A-labels: so is it in keys of earlier releases. A text that is no address is
    folded alone.
    """
    local, at, domain = email.rpartition("@")
    known = ascii_domain(domain) if at else None
    return fold(email) if known is None else f"{fold(local)}@{'.'.join(map(_decoded, known.split('.')))}"


def is_routed(email: str) -> bool:
    """Return whether a mail server may read another address in the local part, and pass mails on there.

    To a Postfix with its defaults `a%other.example@example.org` and `other.example!a@example.org` are
    `a@other.example`.
    """
    local = email.rpartition("@")[0]
    return "%" in local or "!" in local


def mailbox_key(email: str) -> str:
    """Return a key that is equal for addresses of one mailbox where what follows a `+` does not count, either."""
    local, _, domain = address_key(email).rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def _encoded(label: str) -> str:
    return label if label.isascii() else _ENCODED + label.encode("punycode").decode("ascii")


def _decoded(label: str) -> str:
    """Return the letters of an A-label; what does not lead back to it stays."""
    if not label.startswith(_ENCODED) or len(label) > LABEL_LENGTH_MAX:
        return label
    try:
        letters = label.removeprefix(_ENCODED).encode("ascii").decode("punycode")
    except UnicodeError:
        return label
    return letters if ascii_domain(letters) == label else label
