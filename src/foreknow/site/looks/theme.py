"""Colours of one's own, light and dark, and whether text in them can be read.

Source: WCAG 2.2, "relative luminance" and "contrast ratio"; 4.5 is its bound for text (1.4.3).
"""

from __future__ import annotations

import re

from foreknow.kernel.site_theme import SiteTheme

#: Least contrast of text.
CONTRAST_MIN = 4.5
#: What the client draws text on, in light and in dark (web/src/styles/tokens.css: paper, card, well, onfill).
LIGHT_GROUNDS = ("#f5f7f4", "#ffffff", "#eaefea")
DARK_GROUNDS = ("#0e1412", "#161e1b", "#0a0f0d", "#08110f")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)


def check_theme(theme: SiteTheme) -> None:
    """Raise `ValueError` for what is no colour, or cannot be read on the client's grounds."""
    for name, colour, grounds in (
        ("accent_light", theme.accent_light, LIGHT_GROUNDS),
        ("accent_dark", theme.accent_dark, DARK_GROUNDS),
    ):
        if _COLOUR.fullmatch(colour) is None:
            raise ValueError(f"{name} is no colour such as #00606c")
        worst = min(contrast(colour, ground) for ground in grounds)
        if worst < CONTRAST_MIN:
            raise ValueError(f"{name} has a contrast of {worst:.2f} to the page; text needs {CONTRAST_MIN}")


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours `#rrggbb`: 1 to 21."""
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
