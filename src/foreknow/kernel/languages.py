"""Which of the site's languages a client prefers (RFC 9110, 12.5.4)."""

from __future__ import annotations

from typing import Literal, TypeAlias

SiteLanguage: TypeAlias = Literal["en", "ru"]
LANGUAGES: tuple[SiteLanguage, ...] = ("en", "ru")
#: Longest header that is read: browsers send less than 100 characters.
_READ_MAX = 256


def preferred_language(accept_language: str) -> SiteLanguage | None:
    """Return the language of a header with the greatest weight, of equal ones the first; None for neither."""
    best: SiteLanguage | None = None
    best_weight = 0.0
    for each in accept_language[:_READ_MAX].lower().split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        weight = _weight(parameters)
        found = next((language for language in LANGUAGES if name.partition("-")[0] == language), None)
        if found is not None and weight > best_weight:
            best, best_weight = found, weight
    return best


def _weight(parameters: list[str]) -> float:
    given = [part.removeprefix("q=") for part in parameters if part.startswith("q=")]
    try:
        weight = float(given[-1]) if given else 1.0
    except ValueError:
        return 0.0
    # Also where it is no number.
    return weight if 0 <= weight <= 1 else 0.0
