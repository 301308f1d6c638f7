"""What the operator has set that rules depend on, as one value that they are given."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from foreknow.kernel.sign_up_settings import SignUpSettings


class Terms(SignUpSettings):
    """Settings that rules depend on: each field is the variable FOREKNOW_<NAME>, as those of `Settings` are."""

    model_config = ConfigDict(frozen=True)

    creators_trade: Literal["on", "off"] = Field(
        "on", description="off: no creator trades in an event of their own; orders and quotes there are 403."
    )
    dispute_minutes: int = Field(
        0,
        ge=0,
        le=43_200,
        description="Minutes between the decision how a pool ended and its payment, in which an admin may correct it; "
        "for new pools whose `metadata.resolution` names none.",
    )
    house_limit_kopecks: int | None = Field(
        None, ge=0, description="Limits the sum of one creator's open loss bounds; unset: no limit."
    )
    email_verification: Literal["on", "off"] = Field(
        "off",
        description="on: an account whose e-mail address is not verified reads, changes itself and writes to support; "
        "all else that it would change is 403. Needs a sign-in provider.",
    )

    @property
    def asks_for_verification(self) -> bool:
        """Whether people are to verify their e-mail addresses."""
        return self.email_verification == "on" or bool(self.email_domains)

    def counts_as_verified(self, *, email_verified: bool) -> bool:
        """Return whether an account may do what verified ones may; each may where verification is not required."""
        return email_verified or not self.asks_for_verification
