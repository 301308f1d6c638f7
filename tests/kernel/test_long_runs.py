"""Text that is made to be slow to normalise: it costs in proportion to its length, and comes out as Unicode says."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.text import MARKS_MAX, fold, may_be_within, nfc, nfc_within
from tests.support.marks import ABOVE, BELOW, marks, moves, normaliser_watched

#: Decomposes into two marks, and is of combining class 0 itself.
HIDDEN = "\N{TIBETAN VOWEL SIGN II}"
MADE_TO_BE_SLOW = {
    "two marks": marks(8_000),
    "hidden marks": "\N{TIBETAN LETTER KA}" + HIDDEN * 4_000,
    "marks alone": (ABOVE + BELOW) * 4_000,
    "folded into letters": "ᾳ" + ("\N{COMBINING GREEK YPOGEGRAMMENI}" + ABOVE) * 4_000,
    "many runs": marks(80) * 100,
}


@pytest.mark.parametrize("text", MADE_TO_BE_SLOW.values(), ids=MADE_TO_BE_SLOW.keys())
def test_no_text_costs_more_than_in_proportion_to_its_length(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    with normaliser_watched(monkeypatch) as reached:
        nfc(text)
        fold(text)
    assert reached
    for each in reached:
        assert moves(each) <= MARKS_MAX * len(each)


_MARKS = st.sampled_from([ABOVE, BELOW, HIDDEN, "\u0344", "\u0345", "\u0323", "\u0302", "\u0f71", "\u3099"])
_LETTERS = st.sampled_from(["a", "é", "ậ", "Ж", "ᾳ", "か", "İ", "각", "ᄀ", "ᅡ", "ᆨ", "ß", "\u0f40", "z"])
_RUNS = st.tuples(_LETTERS, st.lists(_MARKS, max_size=90).map("".join)).map("".join)
_TEXTS = st.lists(_RUNS, min_size=1, max_size=4).map("".join)


@given(_TEXTS)
def test_long_runs_of_marks_come_out_as_unicode_says(text: str) -> None:
    assert nfc(text) == unicodedata.normalize("NFC", text)
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
    assert fold(text) == folded


@given(st.text(max_size=200) | _TEXTS, st.integers(1, 60))
def test_what_is_refused_by_its_length_alone_is_too_long(text: str, most: int) -> None:
    clean = unicodedata.normalize("NFC", text)
    assert nfc_within(text, most) == (clean if len(clean) <= most else None)
    assert may_be_within(text, most) or len(clean) > most


def test_what_cannot_be_short_enough_is_not_normalised(monkeypatch: pytest.MonkeyPatch) -> None:
    with normaliser_watched(monkeypatch) as reached:
        assert nfc_within("é" * 41, 10) is None
    assert reached == []
