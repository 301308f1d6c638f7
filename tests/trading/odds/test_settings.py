"""Settings of odds are checked at the start."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from foreknow.kernel.settings import Settings
from tests.support.proofs import proves


def test_no_source_is_asked_unless_set() -> None:
    assert Settings().odds_sources == {}
    assert Settings.model_validate({"odds_sources": ""}).odds_sources == {}
    assert Settings().odds_budget_kopecks == 0


@proves(
    "lifecycle: unset: nothing is asked.",
    "lifecycle: A round every `FOREKNOW_ODDS_EVERY_S` (30).",
    "lifecycle: `FOREKNOW_ODDS_STALE_S` (120),",
    'lifecycle: (`FOREKNOW_ODDS_NAME`, "House")',
    "lifecycle: `FOREKNOW_ODDS_STEP_KOPECKS` (10,000)",
    "lifecycle: `FOREKNOW_ODDS_BUDGET_KOPECKS` (0:",
    "lifecycle: `FOREKNOW_ODDS_DAY_KOPECKS` (ten times that)",
)
def test_settings_that_are_left_out_have_their_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> tuple[object, ...]:
        found = Settings()
        numbers = (found.odds_every_s, found.odds_stale_s, found.odds_step_kopecks, found.odds_budget_kopecks)
        return found.odds_sources, found.odds_name, *numbers, found.odds_day_limit_kopecks

    assert read() == ({}, "House", 30, 120, 10_000, 0, 0)
    given = {
        "SOURCES": '{"kalshi": "https://example.org"}',
        "NAME": "The Bank",
        "EVERY_S": "5",
        "STALE_S": "60",
        "STEP_KOPECKS": "1",
        "BUDGET_KOPECKS": "2",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"FOREKNOW_ODDS_{name}", value)
    assert read() == ({"kalshi": "https://example.org"}, "The Bank", 5, 60, 1, 2, 20)
    monkeypatch.setenv("FOREKNOW_ODDS_DAY_KOPECKS", "3")
    assert read()[-1] == 3


@proves("lifecycle: `FOREKNOW_ODDS_SOURCES`: JSON of API addresses by source;")
def test_sources_are_read_from_json_without_a_final_slash() -> None:
    apis = {"polymarket": "https://gamma-api.polymarket.com/", "kalshi": "http://10.0.0.1:8080/trade-api/v2"}
    read = Settings.model_validate({"odds_sources": json.dumps(apis)}).odds_sources
    assert read == {"polymarket": "https://gamma-api.polymarket.com", "kalshi": "http://10.0.0.1:8080/trade-api/v2"}


@pytest.mark.parametrize(
    "wrong",
    [
        "polymarket",
        '["https://example.org"]',
        '{"metaculus": "https://example.org"}',
        '{"kalshi": "example.org"}',
        '{"kalshi": "ftp://example.org"}',
        '{"kalshi": "https://"}',
        '{"kalshi": "https://user:password@example.org"}',
        '{"kalshi": "https://example.org:99999"}',
        '{"kalshi": "https://example.org/?key=1"}',
        '{"kalshi": "https://example.org/#a"}',
        '{"kalshi": 5}',
    ],
)
def test_other_sources_are_rejected(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"odds_sources": wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"odds_every_s": 0},
        {"odds_stale_s": -1},
        {"odds_step_kopecks": -1},
        {"odds_budget_kopecks": 9 * 10**15 + 1},
        {"odds_day_kopecks": -1},
        {"odds_name": ""},
        {"odds_name": "  "},
        {"odds_name": "a\nb"},
    ],
)
def test_numbers_and_names_out_of_bounds_are_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(wrong)
