"""Settings of the site's currency, and of what the house grants in it."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_settings import NoDecode

from foreknow.kernel.currency import ROUBLES, Currency
from foreknow.kernel.trading_settings import TradingSettings
from foreknow.kernel.units import AMOUNT_MAX

AllowancePeriod = Literal["day", "week", "month"]
_Amount = Annotated[int, Field(strict=True, ge=1, le=AMOUNT_MAX)]


class AllowanceTerms(BaseModel):
    """What active users are granted in each period, and up to which worth; kopecks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kopecks: _Amount
    every: AllowancePeriod
    up_to: _Amount


class GrantSettings(TradingSettings):
    """Settings of the site's currency and its grants: each field is the variable FOREKNOW_<NAME>."""

    model_config = ConfigDict(frozen=True)

    currency: Annotated[Currency, NoDecode] = Field(
        ROUBLES,
        description='What amounts are in, as JSON: {"code": "USD", "sign": "$", "name": "dollars", "name_ru": '
        '"доллары", "decimals": 2}; the code is of ISO 4217, with two decimals there. Without one it is play money: '
        '{"sign": "¤", "name": "points", "decimals": 0}; with decimals 0 amounts are shown without hundredths. They '
        "stay hundredths in the interface and in commands.",
    )
    sign_up_kopecks: int = Field(
        0,
        ge=0,
        le=AMOUNT_MAX,
        description="What a newcomer is granted, once an e-mail address for ever: at sign-up, or once the address is "
        "verified where that is required (docs/operations/grants.md).",
    )
    grants_per_address: int = Field(
        100,
        ge=0,
        description="Newcomers of a network address (IPv6: /64) and UTC day that are granted sign_up_kopecks; later "
        "ones are not, but by invitation.",
    )
    allowance: Annotated[AllowanceTerms | None, NoDecode] = Field(
        None,
        description='What active users are granted in each period, as JSON: {"kopecks": 10000, "every": "week", '
        '"up_to": 50000}. every is day, week (from Monday) or month, in UTC; who was active in the one before gets '
        "kopecks, or what their worth lacks to up_to. Changes count from the next period (docs/operations/grants.md).",
    )

    @property
    def welcome_kopecks(self) -> int:
        """What a newcomer is granted; nothing where no one trades."""
        return self.sign_up_kopecks if self.takes_orders else 0

    @property
    def granted_allowance(self) -> AllowanceTerms | None:
        """The allowance that is paid; none where no one trades."""
        return self.allowance if self.takes_orders else None

    @property
    def shown_currency(self) -> Currency:
        """What amounts are written in: bare numbers where no one trades."""
        return self.currency if self.takes_orders else self.currency.model_copy(update={"sign": ""})

    @field_validator("currency", "allowance", mode="before")
    @classmethod
    def _of_json(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else cls.model_fields[str(info.field_name)].default
        except ValueError:
            raise ValueError("this is no valid JSON") from None
