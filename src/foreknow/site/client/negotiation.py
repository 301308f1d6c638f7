"""What a request accepts: codings of a body (RFC 9110, 12.5.3) and media types (12.5.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

IDENTITY = "identity"
#: The smallest first: of codings that a request likes equally, it gets the first.
CODINGS = ("br", "gzip")


def choose_coding(accept_encoding: str, available: Collection[str]) -> str:
    """Return the coding of `available` that the header prefers, else `identity`."""
    weights = dict(_weights(accept_encoding))
    liked = [(weights.get(coding, weights.get("*", 0.0)), coding) for coding in CODINGS if coding in available]
    weight, coding = max(liked, key=lambda one: one[0], default=(0.0, IDENTITY))
    return coding if weight > 0 else IDENTITY


def accepts_html(accept: str, *, wildcards: bool) -> bool:
    """Return whether an Accept header allows text/html, by name or, where `wildcards` count, by `text/*` or `*/*`."""
    weights = dict(_weights(accept))
    for media_type in ("text/html", *(("text/*", "*/*") if wildcards else ())):
        if media_type in weights:
            return weights[media_type] > 0
    return wildcards and not weights


def _weights(header: str) -> Iterator[tuple[str, float]]:
    """Yield each value of a header in lower case with its weight; one that cannot be read is not wanted."""
    for value in header.split(","):
        name, *parameters = (part.strip().lower() for part in value.split(";"))
        if name:
            given = [part.removeprefix("q=") for part in parameters if part.startswith("q=")]
            yield name, _weight(given[-1]) if given else 1.0


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        return 0.0
    # Also where it is no number.
    return weight if 0 <= weight <= 1 else 0.0
