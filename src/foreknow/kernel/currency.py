"""The site's currency, and how its amounts are written: money, or play money that is never called so."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from foreknow.kernel.text import nfc

CurrencyLanguage = Literal["en", "ru"]
#: Amounts are whole hundredths ("kopecks") of every currency.
HUNDREDTHS = 100
_NO_BREAK_SPACE = "\u00a0"
_MINUS = "\N{MINUS SIGN}"
#: Currencies with two decimals in ISO 4217.
_TWO_DECIMALS = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP "
    "CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR "
    "JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN "
    "NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP "
    "SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
)


def _is_code(code: str | None) -> str | None:
    if code is not None and code not in _TWO_DECIMALS.split():
        raise ValueError("code belongs to a currency with two decimals in ISO 4217; play money has none")
    return code


def _is_seen(text: str) -> str:
    if text != text.strip() or not text.isprintable():
        raise ValueError("it has characters that can be seen, and no space at its ends")
    return nfc(text)


def _or_empty(name: Any) -> Any:
    return "" if name is None else name


def _is_sign(sign: str) -> str:
    if any(character.isdigit() for character in sign):
        raise ValueError("sign has no digit, which would be read as part of the amount")
    return sign


class Currency(BaseModel):
    """What amounts are in. Without a `code` it is play money."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: ISO 4217, with two decimals there.
    code: Annotated[str | None, AfterValidator(_is_code)] = None
    sign: Annotated[str, AfterValidator(_is_seen), AfterValidator(_is_sign), Field(min_length=1, max_length=8)]
    name: Annotated[str, AfterValidator(_is_seen), Field(min_length=1, max_length=50)]
    #: "" for none.
    name_ru: Annotated[str, BeforeValidator(_or_empty), AfterValidator(_is_seen), Field(max_length=50)] = ""
    #: 0: amounts are shown cut to whole ones.
    decimals: Literal[0, 2] = 2

    def written(self, hundredths: int, language: CurrencyLanguage = "en") -> str:
        """Return an amount as people read it: 123450 is `₽1,234.50`, in Russian `1 234,50 ₽`.

        The sign stands before the number; in Russian, and where it has a letter, after it and a no-break space. A site
        without trading has none.
        """
        whole, rest = divmod(abs(hundredths), HUNDREDTHS)
        number = f"{whole:,}" if self.decimals == 0 else f"{whole:,}.{rest:02}"
        if language == "ru":
            number = number.translate({ord(","): _NO_BREAK_SPACE, ord("."): ","})
        minus = _MINUS if hundredths < 0 and (whole or self.decimals) else ""
        if self.sign and (language == "ru" or any(character.isalpha() for character in self.sign)):
            return f"{minus}{number}{_NO_BREAK_SPACE}{self.sign}"
        return f"{minus}{self.sign}{number}"


ROUBLES = Currency(code="RUB", sign="₽", name="roubles", name_ru="рубли")
