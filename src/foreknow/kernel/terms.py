"""What the operator has set that rules depend on, as one value that they are given."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from foreknow.kernel.access.callers import Creators, UserCaller
from foreknow.kernel.sign_up_settings import SignUpSettings
from foreknow.kernel.trading_settings import TradingSettings
from foreknow.kernel.units import AMOUNT_MAX


def _trades_of_creators(beside: dict[str, Any]) -> Literal["on", "off"]:
    # Any member could make an event whose result they know.
    return "off" if beside.get("creators") == "members" else "on"


class Terms(SignUpSettings, TradingSettings):
    """Settings that rules depend on: each field is the variable FOREKNOW_<NAME>, as those of `Settings` are."""

    model_config = ConfigDict(frozen=True)

    creators: Creators = Field(
        "chosen",
        description="Who makes events. chosen: accounts with the creator's role. members: every account, within "
        "creator_limit_kopecks, which this needs. suggest: every account, for an admin to publish and run.",
    )
    creator_limit_kopecks: int = Field(
        0,
        ge=0,
        le=AMOUNT_MAX,
        description="The most that one creator's open events can cost the house, as house_limit_kopecks, of which the "
        "smaller counts. 0: no limit.",
    )
    creators_trade: Literal["on", "off"] = Field(
        default_factory=_trades_of_creators,
        description="off: no creator trades in an event of their own; orders and quotes there are 403. Unset with "
        "creators=members: off.",
    )
    dispute_minutes: int = Field(
        0,
        ge=0,
        le=43_200,
        description="Minutes between the decision how a pool ended and its payment, in which an admin may correct it; "
        "for new pools whose `metadata.resolution` names none, and the least that it may name in an event that no "
        "admin makes.",
    )
    objections: Literal["on", "off"] = Field(
        "on",
        description="off: no one objects to how pools were decided; decisions that are held stay held.",
    )
    house_limit_kopecks: int | None = Field(
        None, ge=0, description="Limits the sum of one creator's open loss bounds; unset: no limit."
    )
    email_verification: Literal["on", "off"] = Field(
        "off",
        description="on: an account whose e-mail address is not verified reads, changes itself and writes to support; "
        "all else that it would change is 403. Needs a mail server or a sign-in provider.",
    )

    @model_validator(mode="after")
    def _bounds_members(self) -> Self:
        if self.creators == "members" and not self.creator_limit_kopecks:
            raise ValueError("FOREKNOW_CREATORS=members needs FOREKNOW_CREATOR_LIMIT_KOPECKS over 0")
        return self

    @property
    def loss_limit_kopecks(self) -> int | None:
        """The most that the open events of one creator can cost the house; None: no limit."""
        limits = [self.creator_limit_kopecks or None, self.house_limit_kopecks]
        return min((limit for limit in limits if limit is not None), default=None)

    def counts_as_creator(self, *, is_creator: bool, email_verified: bool) -> bool:
        """Return whether an active account runs the events that it makes."""
        is_member = self.creators == "members" and self.counts_as_verified(email_verified=email_verified)
        return is_creator or is_member

    @cached_property
    def asks_for_verification(self) -> bool:
        """Whether people are to verify their e-mail addresses."""
        return self.email_verification == "on" or bool(self.email_domains)

    def seen(self, caller: UserCaller) -> UserCaller:
        """Return a caller as these settings let them be, whatever they were taken for before."""
        is_member = self.creators != "chosen" and self.counts_as_verified(email_verified=caller.email_verified)
        creators = self.creators if is_member else "chosen"
        return caller if caller.creators == creators else replace(caller, creators=creators)

    def counts_as_verified(self, *, email_verified: bool) -> bool:
        """Return whether an account may do what verified ones may; each may where verification is not required."""
        return email_verified or not self.asks_for_verification
