"""What a site's looks are made of, wherever they are kept: logo, icon, colours, pages in Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

import msgspec

from foreknow.kernel.site_theme import SiteTheme

#: Largest icon, and largest logo that is sent, bytes.
PICTURE_BYTES_MAX = 512 * 1024
#: Sides of icons, and of logos that are sent, pixels.
SIDES = range(16, 1025)
TERMS = "terms"
#: The pages that a site may have, in the order in which its foot names them.
NAMES = ("about", "rules", "terms", "privacy")
#: Languages of a page; where it lacks the one that is wanted, it is shown in the other.
PageLanguage = Literal["en", "ru"]
LANGUAGES: tuple[PageLanguage, ...] = ("en", "ru")
#: Largest page, bytes of Markdown.
PAGE_BYTES_MAX = 256 * 1024
#: By language.
PageTexts = Mapping[PageLanguage, str]

#: Least contrast of text (WCAG 2.2, 1.4.3).
CONTRAST_MIN = 4.5
#: What the client draws text on, in light and in dark (web/src/styles/tokens.css: paper, card, well, onfill).
LIGHT_GROUNDS = ("#f5f7f4", "#ffffff", "#eaefea")
DARK_GROUNDS = ("#0e1412", "#161e1b", "#0a0f0d", "#08110f")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class LogoFile:
    """A logo, and the ending of its address: svg, png or webp."""

    content: bytes
    ending: str


@dataclass(frozen=True, slots=True)
class Looks:
    """A site's looks; by default none."""

    logo: LogoFile | None = None
    #: A square PNG.
    icon: bytes | None = None
    theme: SiteTheme | None = None
    #: Markdown by the page's name and its language.
    texts: Mapping[str, PageTexts] = field(default_factory=dict)

    @property
    def page_names(self) -> list[str]:
        """The pages that there are."""
        return [name for name in NAMES if name in self.texts]

    @property
    def terms_version(self) -> str | None:
        """Changes with every change of the terms, in any language; None without terms."""
        return terms_version(self.texts.get(TERMS, {}))

    def over(self, below: Looks) -> Looks:
        """Return these, and those below where these have nothing; a page counts as a whole."""
        return replace(
            self,
            logo=self.logo or below.logo,
            icon=self.icon or below.icon,
            theme=self.theme or below.theme,
            texts={**below.texts, **self.texts},
        )


def terms_version(texts: PageTexts) -> str | None:
    """Return the version of the terms with these texts; None without any."""
    ordered = {language: texts[language] for language in LANGUAGES if language in texts}
    return sha256(msgspec.json.encode(ordered)).hexdigest()[:16] if ordered else None


class WrongColour(ValueError):
    """A colour that cannot be used; `name` is its field."""

    def __init__(self, name: str, what: str) -> None:
        """Name the field, and what is wrong with it."""
        super().__init__(f"{name} {what}")
        self.name = name


def check_theme(theme: SiteTheme) -> None:
    """Raise `WrongColour` for what is no colour, or cannot be read on the client's grounds."""
    for name, colour, grounds in (
        ("accent_light", theme.accent_light, LIGHT_GROUNDS),
        ("accent_dark", theme.accent_dark, DARK_GROUNDS),
    ):
        if _COLOUR.fullmatch(colour) is None:
            raise WrongColour(name, "is no colour such as #00606c")
        worst = min(contrast(colour, ground) for ground in grounds)
        if worst < CONTRAST_MIN:
            raise WrongColour(name, f"has a contrast of {worst:.2f} to the page; text needs {CONTRAST_MIN}")


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours `#rrggbb`: 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def stylesheet(theme: SiteTheme) -> bytes:
    """Return the stylesheet that sets the accent."""
    return f":root{{--accent:light-dark({theme.accent_light},{theme.accent_dark})}}\n".encode()


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(share: float) -> float:
    return float(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
