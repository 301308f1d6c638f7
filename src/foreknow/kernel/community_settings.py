"""Settings of the community that a site is: what it is called, whose it is to read, its time."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from foreknow.kernel.languages import LANGUAGES, SiteLanguage
from foreknow.kernel.text import is_seen, nfc, one_line
from foreknow.kernel.time_zones import UTC_NAME, zone_names


class CommunitySettings(BaseModel):
    """Settings of a community: each field is the variable FOREKNOW_<NAME>, as those of `Settings` are."""

    site_name: str = Field(
        "Foreknow", min_length=1, max_length=60, description="The site's name, as its pages show it."
    )
    languages: str = Field(
        ",".join(LANGUAGES),
        description="Languages that the site offers, separated by commas, of en and ru; the first where no other is "
        "known.",
    )
    time_zone: str = Field(
        UTC_NAME, description="IANA name of the site's time zone, in which what it posts at an hour of the day is due."
    )
    read: Literal["all", "members"] = Field(
        "all",
        description="members: who is not signed in reads nothing, neither pages of events nor pictures; the client's "
        "files and what people need to sign in stay open.",
    )

    @field_validator("site_name")
    @classmethod
    def _is_one_line(cls, name: str) -> str:
        if not is_seen(name) or one_line(name) != name:
            raise ValueError("a name is one line with something to be seen")
        return nfc(name)

    @field_validator("languages")
    @classmethod
    def _are_known(cls, text: str) -> str:
        given = [part.strip() for part in text.split(",") if part.strip()]
        if not given or len(set(given)) < len(given) or not set(given) <= set(LANGUAGES):
            raise ValueError(f"it is one or more of {', '.join(LANGUAGES)}, each once")
        return ",".join(given)

    @field_validator("time_zone")
    @classmethod
    def _is_zone(cls, name: str) -> str:
        if name not in zone_names():
            raise ValueError("it is the IANA name of a time zone, such as Europe/Berlin")
        return name

    @cached_property
    def offered_languages(self) -> tuple[SiteLanguage, ...]:
        """The languages that the site offers, the first of them first."""
        given = self.languages.split(",")
        return tuple(sorted((each for each in LANGUAGES if each in given), key=given.index))

    def spoken(self, language: SiteLanguage | None) -> SiteLanguage:
        """Return a language as the site has it: the first offered for one that is not, and where none is known."""
        return language if language in self.offered_languages and language is not None else self.offered_languages[0]
