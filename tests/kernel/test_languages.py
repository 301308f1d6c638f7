"""The language that a client prefers."""

from __future__ import annotations

import pytest

from foreknow.kernel.languages import preferred_language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", None),
        ("de", None),
        ("*", None),
        ("ru", "ru"),
        ("ru-RU, ru;q=0.9, en-US;q=0.8", "ru"),
        ("EN-gb", "en"),
        ("en;q=0.1, ru;q=0.9", "ru"),
        ("de, en, ru", "en"),
        ("ru;q=0, en;q=0.1", "en"),
        ("ru;q=x, ru;q=nan, ru;q=2", None),
        ("rus, ene", None),
        (",;,=;q=", None),
        ("de," * 100_000 + "ru", None),
    ],
)
def test_the_greatest_weight_wins(header: str, language: str | None) -> None:
    assert preferred_language(header) == language
