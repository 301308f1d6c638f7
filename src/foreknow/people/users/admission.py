"""Who may make an account, as the site was set up: checked in the order of the contract (site.md)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from foreknow.kernel.email_addresses import ascii_domain
from foreknow.kernel.languages import SiteLanguage
from foreknow.kernel.settings import Settings
from foreknow.kernel.sign_up_settings import SignUpSettings
from foreknow.people import invitations
from foreknow.people.invitations import InvitationRow
from foreknow.people.invitations.errors import InvitationUsed
from foreknow.people.users.errors import DomainNotAllowed, InvitationRequired, SignUpClosed, TermsRequired
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings import LiveSettings, store

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

    @classmethod
    def of(cls, settings: SignUpSettings, *, terms_version: str | None) -> SignUpRules:
        """Return the rules of the settings, and of the terms that the site has."""
        return cls(
            mode=settings.sign_up,
            domains=settings.email_domains,
            terms_version=terms_version,
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

        Raises what `check_asked` does, `InvitationUsed` (also where none is needed, and for another
        address than it is for), `TermsRequired`.
        """
        self.check_asked(email, admission)
        used = None
        if admission.invitation is not None:
            used = invitations.use(tx, admission.invitation, email=email, at_ms=at_ms)
        if self.terms_version is not None and admission.terms != self.terms_version:
            raise TermsRequired(terms=self.terms_version)
        return used


class Admissions:
    """Who may make an account, as the settings say it when it is decided."""

    def __init__(self, settings: LiveSettings, *, terms_of_folder: str | None) -> None:
        """`terms_of_folder`: the version of the terms that count where none are stored; None without."""
        self._settings = settings
        self._terms_of_folder = terms_of_folder

    def language(self, preferred: SiteLanguage | None) -> SiteLanguage:
        """Return a newcomer's language: the one that the browser prefers, else the first that the site offers."""
        return preferred or self._settings.now.offered_languages[0]

    def spoken(self, tx: ReadTx, language: SiteLanguage | None) -> SiteLanguage:
        """Return a language as the site has it in a transaction: the first offered for one that is not."""
        return self._settings.at(tx).spoken(language)

    def at(self, tx: ReadTx) -> SignUpRules:
        """Return the rules that a transaction sees."""
        rules, _ = self.with_settings(tx)
        return rules

    def with_settings(self, tx: ReadTx) -> tuple[SignUpRules, Settings]:
        """Return the rules that a transaction sees, and the settings of the same moment."""
        found = store.find(tx)
        settings, terms_version = self._settings.of(found), found.terms_version or self._terms_of_folder
        return SignUpRules.of(settings, terms_version=terms_version), settings
