"""Who may make an account, as the site was set up: checked in the order of the contract (site.md)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from foreknow.kernel.email_addresses import ascii_domain
from foreknow.kernel.sign_up_settings import SignUpSettings
from foreknow.people import invitations
from foreknow.people.invitations import InvitationRow
from foreknow.people.invitations.errors import InvitationUsed
from foreknow.people.users.errors import DomainNotAllowed, InvitationRequired, SignUpClosed, TermsRequired
from foreknow.platform.db.transactions import WriteTx

#: What `SignUpRules.admit` raises, in its order.
ADMISSION_ERRORS = (SignUpClosed, DomainNotAllowed, InvitationRequired, InvitationUsed, TermsRequired)


@dataclass(frozen=True, slots=True)
class Admission:
    """What a sign-up brings: the token of an invitation, and the version of the site's terms that was agreed to."""

    invitation: str | None = None
    terms: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUpRules:
    """Who may make an account by themselves."""

    mode: Literal["on", "off", "invite"] = "on"
    #: Of e-mail addresses, in lower case; empty: any.
    domains: Collection[str] = ()
    #: The version of the site's terms, to which newcomers agree; None: it has none.
    terms_version: str | None = None
    #: False: only admins have passwords.
    passwords: bool = True

    @classmethod
    def of(cls, settings: SignUpSettings, *, terms_version: str | None) -> SignUpRules:
        """Return the rules of the settings, and of the terms that the site has."""
        return cls(
            mode=settings.sign_up,
            domains=settings.email_domains,
            terms_version=terms_version,
            passwords=settings.passwords == "on",
        )

    def check_open(self) -> None:
        """Raise `SignUpClosed` where no one makes an account."""
        if self.mode == "off":
            raise SignUpClosed

    def check_domain(self, email: str) -> None:
        """Raise `DomainNotAllowed` for an address that accounts may not have."""
        domain = ascii_domain(email.rpartition("@")[2])
        if self.domains and domain not in map(ascii_domain, self.domains):
            raise DomainNotAllowed(domains=sorted(self.domains))

    def check_asked(self, email: str, admission: Admission) -> None:
        """Raise what needs no database: `SignUpClosed`, `DomainNotAllowed`, `InvitationRequired`."""
        self.check_open()
        self.check_domain(email)
        if self.mode == "invite" and admission.invitation is None:
            raise InvitationRequired

    def admit(self, tx: WriteTx, email: str, admission: Admission, *, at_ms: int) -> InvitationRow | None:
        """Count the use of an invitation and return it; None where none was brought.

        Raises what `check_asked` does, `InvitationUsed` (also where none is needed), `TermsRequired`.
        """
        self.check_asked(email, admission)
        used = None
        if admission.invitation is not None:
            used = invitations.use(tx, admission.invitation, at_ms=at_ms)
        if self.terms_version is not None and admission.terms != self.terms_version:
            raise TermsRequired(terms=self.terms_version)
        return used
