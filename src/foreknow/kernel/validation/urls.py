"""Validation of URLs: absolute http(s), at most 2,048 characters, or ""."""

from __future__ import annotations

from urllib.parse import urlsplit

from foreknow.kernel.validation.fields import optional_text, wrong_field

URL_LENGTH_MAX = 2048
_NAME = r"[A-Za-z0-9._-]+"
_IPV6 = r"\[(::[0-9A-Fa-f]{0,4}|[0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){7})\]"
_USER = r"[A-Za-z0-9._~!$&'()*+,;=%:-]+@"
_PORT = r":([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
#: For the API page: ASCII URLs after RFC 3986. Other scripts and all short forms of IPv6 are accepted too.
URL_SCHEMA = {
    "maxLength": URL_LENGTH_MAX,
    "pattern": rf"^([Hh][Tt][Tt][Pp][Ss]?://({_USER})?({_NAME}|{_IPV6})({_PORT})?([/?#][!-~]*)?)?$",
}


def optional_url(path: str, text: str | None) -> str:
    """Normalise an optional URL ("" if missing); `BadRequest` names the field `path`."""
    clean = optional_text(path, text, most=URL_LENGTH_MAX)
    if clean and not _is_absolute(clean):
        raise wrong_field(path, "must be an absolute http or https URL")
    return clean


def _is_absolute(text: str) -> bool:
    # Checked first, because urlsplit drops some white space and control characters.
    if any(character.isspace() or not character.isprintable() for character in text):
        return False
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - raises if the port is not a number
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
