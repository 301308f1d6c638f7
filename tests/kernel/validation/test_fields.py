"""Texts and integers as requests may bring them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.text import is_seen, nfc, one_line
from foreknow.kernel.validation.fields import natural_int, optional_name, optional_text, positive_int, required_text

INT64_MAX = 2**63 - 1
OVERRIDES = [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]


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


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters=OVERRIDES), max_size=20))
def test_texts_come_back_in_nfc_or_are_refused(text: str) -> None:
    clean = unicodedata.normalize("NFC", text)
    if len(clean) > 10:
        with pytest.raises(BadRequest):
            optional_text("name", text, most=10)
    else:
        assert optional_text("name", text, most=10) == clean
    if is_seen(clean) and len(clean) <= 10:
        assert required_text("name", text, most=10) == clean
    else:
        with pytest.raises(BadRequest):
            required_text("name", text, most=10)


def test_a_length_counts_after_normalisation() -> None:
    assert required_text("name", "e\u0301" * 10, most=10) == "é" * 10


def test_a_missing_optional_text_is_empty() -> None:
    assert optional_text("rules", None, most=5) == optional_text("rules", "", most=5) == ""


#: U+3164, U+200B, U+2800, marks alone, and their like: later blanks, a variation selector, tags, a noncharacter.
UNSEEN = [" ", "\t\n", "\u00a0\u2003", "\x1c", "\u3164", "\u200b", "\u2800", "\u0301\u0308", "\u200d", "\u115f\u1160"]
UNSEEN += [
    "\uffa0",
    "\u00ad",
    "\u2060",
    "\ufe0f",
    "\U000e0067",
    "\U0001d159",
    "\ufffc",
    "\uffff",
    "\ue000",
    "\u3164 \u200b",
]
#: An emoji, one that joins several, one newer than Python's Unicode, Persian with a ZWNJ, a flag made of tags.
SEEN = [
    "?",
    "7",
    "€",
    "🙂",
    "👩\u200d👩\u200d👧",
    "\U0001fae8",
    "می\u200cخواهم",
    "\U0001f3f4\U000e0067\U000e007f",
    "e\u0301",
]


@pytest.mark.parametrize("text", ["", *UNSEEN])
def test_a_required_text_shows_something(text: str) -> None:
    with pytest.raises(BadRequest) as error:
        required_text("pools[0].name", text, most=200)
    assert error.value.details == {
        "fields": {"pools[0].name": "must show at least one letter, digit, symbol or mark of punctuation"}
    }


@pytest.mark.parametrize("text", UNSEEN)
def test_so_does_a_name_that_may_be_left_out(text: str) -> None:
    with pytest.raises(BadRequest):
        optional_name("name_ru", text, most=200)
    assert optional_text("rules", text, most=200) == text
    assert optional_name("name_ru", None, most=200) == optional_name("name_ru", "", most=200) == ""


@pytest.mark.parametrize("text", SEEN)
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    assert required_text("name", text, most=200) == optional_name("name_ru", text, most=200) == nfc(text)
    assert one_line(text) == text


@pytest.mark.parametrize("override", OVERRIDES)
@pytest.mark.parametrize("read", [required_text, optional_text, optional_name])
def test_no_text_turns_the_direction_of_what_follows(read: Callable[..., str], override: str) -> None:
    with pytest.raises(BadRequest) as error:
        read("content", f"a{override}b", most=9)
    assert "direction" in error.value.details["fields"]["content"]
    # Marks of a direction, which end with their text, stay.
    assert read("content", "a\u200fb", most=9) == "a\u200fb"


def test_the_error_of_a_long_text_names_its_field_and_bound() -> None:
    with pytest.raises(BadRequest) as error:
        optional_text("rules", "x" * 6, most=5)
    assert error.value.details == {"fields": {"rules": "must have at most 5 characters"}}
