"""Names that look alike: a key that is equal for them (UTS 39, section 4), without regard to case."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.resources import files

from foreknow.kernel.text import fold

_MARK = "\u200e"
#: What may stand between the words of a name.
_SEPARATORS = str.maketrans("", "", " _.-")


def skeleton(name: str) -> str:
    """Return a key that is equal for names that look alike or differ in case.

    Case and looks are mapped twice, as one leads to the other: a Cyrillic М is M, M is m, and m is rn. I looks like l,
    and is i.
    """
    return _mapped(_mapped(name)).replace("i", "l")


def joined_skeleton(name: str) -> str:
    """Return the skeleton of a name whose words are written together."""
    return skeleton(name).translate(_SEPARATORS)


def _mapped(name: str) -> str:
    """Return the skeleton of UTS 39, folded; what shows nothing is left out."""
    table = _prototypes()
    seen = [char for char in unicodedata.normalize("NFD", name) if unicodedata.category(char) != "Cf"]
    return fold(unicodedata.normalize("NFD", "".join(table.get(char, char) for char in seen)))


@cache
def _prototypes() -> dict[str, str]:
    """Return Unicode's table: what each character is taken for.

    The package has it in both directions: a character of one entry is taken for that, unless it is taken for itself.
    """
    text = (files("confusable_homoglyphs") / "confusables.json").read_text("utf-8")
    # Texts from right to left stand between marks.
    known = {key.strip(_MARK): [entry["c"].strip(_MARK) for entry in found] for key, found in json.loads(text).items()}
    return {
        char: found[0]
        for char, found in known.items()
        if len(char) == 1 and len(found) == 1 and not _is_prototype(char, found[0], known)
    }


def _is_prototype(char: str, other: str, known: dict[str, list[str]]) -> bool:
    """Return which of two characters that are taken for no third is taken for itself."""
    return len(other) == 1 and known.get(other) == [char] and char < other
