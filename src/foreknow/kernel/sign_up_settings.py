"""What the operator has set about new accounts and passwords."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from foreknow.kernel.email_addresses import ascii_domain

#: Limits the domains of addresses.
DOMAINS_MAX = 500


class SignUpSettings(BaseModel):
    """Settings of sign-up: each field is the variable FOREKNOW_<NAME>, as those of `Settings` are."""

    sign_up: Literal["on", "off", "invite"] = Field(
        "on",
        description="off: no one makes an account by themselves, through a sign-in provider neither. invite: only with "
        "an invitation (`foreknow invite add`).",
    )
    sign_up_domains: str = Field(
        "",
        description="Domains of e-mail addresses, separated by commas, that new accounts may have, those of the "
        "invited too: example.org does not mean mail.example.org. Turns email_verification on. Empty: any.",
    )
    passwords: Literal["on", "admins"] = Field(
        "on",
        description="admins: only admins sign in with a password; all others through a provider "
        "(FOREKNOW_OIDC_PROVIDERS), which this needs.",
    )

    @field_validator("sign_up_domains")
    @classmethod
    def _are_domains(cls, text: str) -> str:
        domains = [part.strip() for part in text.split(",") if part.strip()]
        if len(domains) > DOMAINS_MAX:
            raise ValueError(f"it has at most {DOMAINS_MAX} domains")
        for domain in domains:
            if ascii_domain(domain) is None:
                raise ValueError(f"{domain!r} is no domain: it has the form example.org")
        return text

    @cached_property
    def email_domains(self) -> tuple[str, ...]:
        """The domains that new accounts may have, in lower case; empty: any.

        Not case-folded: folding maps one domain to another, straße.example to strasse.example. `ascii_domain` compares
        them.
        """
        return tuple(dict.fromkeys(filter(None, (part.strip().lower() for part in self.sign_up_domains.split(",")))))
