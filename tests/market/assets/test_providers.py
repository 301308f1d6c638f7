"""Every adapter that the settings know has its class."""

from __future__ import annotations

from typing import get_args

from foreknow.kernel.provider_settings import AssetProvider, RateProvider
from foreknow.market.assets.providers import CENTRAL_BANKS, EXCHANGES


def test_every_adapter_of_the_settings_has_a_class() -> None:
    assert set(EXCHANGES) == set(get_args(AssetProvider.model_fields["adapter"].annotation))
    assert set(CENTRAL_BANKS) == set(get_args(RateProvider.model_fields["adapter"].annotation))
