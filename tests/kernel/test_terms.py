"""The settings that rules depend on."""

from __future__ import annotations

import pytest

from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms


def test_terms_are_the_settings_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOREKNOW_HOUSE_LIMIT_KOPECKS", raising=False)
    monkeypatch.delenv("FOREKNOW_DISPUTE_MINUTES", raising=False)
    monkeypatch.delenv("FOREKNOW_CREATORS_TRADE", raising=False)
    assert Settings().terms == Terms()
    settings = Settings(house_limit_kopecks=7, dispute_minutes=5, creators_trade="off")
    assert settings.terms == Terms(house_limit_kopecks=7, dispute_minutes=5, creators_trade="off")
