"""Which ids partners may give their users."""

from __future__ import annotations

import pytest

from foreknow.trading.partner.routes import external_user
from foreknow.trading.partner.schemas import InvalidExternalUserId, read_external_user_id


@pytest.mark.parametrize("text", ["u", "a/b", "Ё" * 128, " spaces ", "e\u0301", "👩‍🚀", "..", "%2F", "\u2028"])
def test_a_name_is_taken_as_it_is(text: str) -> None:
    assert read_external_user_id(text) == text


@pytest.mark.parametrize("text", ["", "x" * 129, "a\0b", "a\nb", "\x7f", "\x85", "tab\t"])
def test_names_too_long_or_with_control_characters_are_refused(text: str) -> None:
    with pytest.raises(InvalidExternalUserId):
        read_external_user_id(text)


def test_the_page_of_the_api_says_how_long_a_name_is() -> None:
    schema = external_user("A user of yours.").schema
    assert [read_external_user_id("x" * schema[bound]) for bound in ("minLength", "maxLength")] == ["x", "x" * 128]
