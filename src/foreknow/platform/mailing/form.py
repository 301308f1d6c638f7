"""How mails are written."""

from __future__ import annotations

from email.policy import EmailPolicy
from typing import Any

#: Headers that hold an address of the web. The standard library would encode one that is longer than a line as words
#: (RFC 2047), and no mail program would read it; lines may have 998 characters (RFC 5322, 2.1.1).
_UNFOLDED = frozenset({"list-unsubscribe"})


class MailForm(EmailPolicy):
    """The standard library's policy of mails for SMTP, which leaves addresses of the web in one piece."""

    def fold_binary(self, name: str, value: Any) -> bytes:
        """Return a header as it is sent."""
        if name.lower() in _UNFOLDED:
            return f"{name}: {value}{self.linesep}".encode("ascii")
        return super().fold_binary(name, value)


MAIL_FORM = MailForm(linesep="\r\n")
