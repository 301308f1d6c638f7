"""Which other sites' pages may use the API, as the operator has set it."""

from __future__ import annotations

from pydantic import BaseModel, Field, field_validator

from foreknow.kernel.hosts import parse_origin

#: All pages.
ANY = "*"
#: Limits the origins, with which each request of another page is compared.
ORIGINS_MAX = 50
#: Browsers leave them out.
_OWN_PORTS = {"http": ":80", "https": ":443"}


class CorsSettings(BaseModel):
    """Settings of CORS: each field is the variable FOREKNOW_<NAME>, as those of `Settings` are."""

    cors_origins: str = Field(
        "",
        description="Origins of other sites, separated by commas, such as https://bots.example, whose pages may use "
        "the API, with a key or an access token; never with cookies. *: any page. Empty: none.",
    )

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, text: str) -> str:
        if text.strip() == ANY:
            return ANY
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if len(parts) > ORIGINS_MAX:
            raise ValueError(f"it has at most {ORIGINS_MAX} origins")
        return ",".join(dict.fromkeys(map(_as_browsers_write, parts)))

    @property
    def cors(self) -> tuple[str, ...]:
        """The origins, or `ANY`."""
        return tuple(filter(None, self.cors_origins.split(",")))


def _as_browsers_write(origin: str) -> str:
    plain = parse_origin(origin).lower()
    return plain.removesuffix(_OWN_PORTS[plain.partition("://")[0]])
