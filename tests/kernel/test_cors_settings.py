"""The origins of other sites are set as browsers write them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from foreknow.kernel.settings import Settings


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("*", ("*",)),
        (" https://Bots.example:443/ ,http://localhost:5173,", ("https://bots.example", "http://localhost:5173")),
        ("http://[::1]:80", ("http://[::1]",)),
    ],
)
def test_origins_are_separated_by_commas(text: str, origins: tuple[str, ...]) -> None:
    assert Settings(cors_origins=text).cors == origins


@pytest.mark.parametrize("text", ["bots.example", "https://bots.example/page", "*, https://bots.example", "null"])
def test_anything_else_is_no_setting(text: str) -> None:
    with pytest.raises(ValidationError):
        Settings(cors_origins=text)
