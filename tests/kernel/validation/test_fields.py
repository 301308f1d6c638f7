"""Texts and integers as requests may bring them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import natural_int, optional_text, positive_int, required_text

INT64_MAX = 2**63 - 1


@given(st.integers(1, INT64_MAX))
def test_every_positive_int64_is_read(number: int) -> None:
    assert positive_int(str(number)) == natural_int(str(number)) == number


@given(st.text(max_size=25))
def test_text_is_an_integer_only_as_it_would_be_written(text: str) -> None:
    written = {str(number): number for number in (positive_int(text), natural_int(text)) if number is not None}

    assert list(written) in ([], [text])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "+1",
        "-1",
        "-0",
        "01",
        "00",
        "1.0",
        "1e3",
        "1_000",
        "٣",
        "²",
        "\uff11",
        "1\n",
        "0x1",
        str(2**63),
        "9" * 40,
    ],
)
def test_no_other_spelling_is_an_integer(text: str) -> None:
    assert (positive_int(text), natural_int(text)) == (None, None)


def test_zero_is_natural_and_not_positive() -> None:
    assert (natural_int("0"), positive_int("0")) == (0, None)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_texts_come_back_in_nfc_or_are_refused(text: str) -> None:
    clean = unicodedata.normalize("NFC", text)
    if len(clean) > 10:
        with pytest.raises(BadRequest):
            optional_text("name", text, most=10)
    else:
        assert optional_text("name", text, most=10) == clean
    if clean.strip() and len(clean) <= 10:
        assert required_text("name", text, most=10) == clean
    else:
        with pytest.raises(BadRequest):
            required_text("name", text, most=10)


def test_a_length_counts_after_normalisation() -> None:
    assert required_text("name", "e\u0301" * 10, most=10) == "é" * 10


def test_a_missing_optional_text_is_empty() -> None:
    assert optional_text("rules", None, most=5) == optional_text("rules", "", most=5) == ""


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0\u2003", "\x1c"])
def test_white_space_is_no_required_text(text: str) -> None:
    with pytest.raises(BadRequest) as error:
        required_text("pools[0].name", text, most=200)
    assert error.value.details == {
        "fields": {"pools[0].name": "must have 1 to 200 characters and not be white space only"}
    }


def test_the_error_of_a_long_text_names_its_field_and_bound() -> None:
    with pytest.raises(BadRequest) as error:
        optional_text("rules", "x" * 6, most=5)
    assert error.value.details == {"fields": {"rules": "must have at most 5 characters"}}
