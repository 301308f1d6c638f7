"""Whether a site takes orders, or is one for forecasts alone."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class TradingSettings(BaseModel):
    """The field is the variable FOREKNOW_TRADING."""

    model_config = ConfigDict(frozen=True)

    trading: Literal["on", "off"] = Field(
        "on",
        description="off: a site for forecasts without a stake. Orders and quotes are 403, nothing is granted, no "
        "currency is shown, prices stand where they are; cancels and payments go on (docs/forecasts.md).",
    )

    @property
    def takes_orders(self) -> bool:
        """Whether people may trade here."""
        return self.trading == "on"
