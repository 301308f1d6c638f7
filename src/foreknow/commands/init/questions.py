"""What `foreknow init` asks: a setting each, how a typed answer becomes its text, and how that is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from foreknow.commands.init.caddyfile import domain_of
from foreknow.kernel.currency import HUNDREDTHS, ROUBLES, Currency
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.settings import Settings
from foreknow.people.users.profiles import read_email, read_password

#: The settings as far as they are known: the text of each by its field, "" for none.
Answers = Mapping[str, str]
_PLAIN = re.compile("^http://", re.IGNORECASE)
_AMOUNT = re.compile(r"[0-9]{1,14}([.][0-9]{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Question:
    """One setting. A `ValueError` of `read` says what a right answer is."""

    field: str
    text: str
    #: The setting's text for a site of which nothing is known; "" leaves it out.
    default: Callable[[Answers], str]
    #: From a typed answer to the setting's text.
    read: Callable[[str, Answers], str]
    #: The setting's text as a person would type it.
    shown: Callable[[str, Answers], str] = lambda text, _answers: text
    #: Whether it is asked, given the answers before it.
    is_asked: Callable[[Answers], bool] = lambda _answers: True
    is_secret: bool = False
    #: Whether a command's option is the setting's text already: an amount in hundredths.
    takes_text: bool = False
    #: Whether there may be none, which is typed as `none`.
    may_lack: bool = False
    #: Whether a site that exists gets the default of a new one, too: it does not work without, where this is asked.
    is_needed: bool = False

    @property
    def variable(self) -> str:
        """The setting's name."""
        return f"FOREKNOW_{self.field.upper()}"

    def read_option(self, text: str, answers: Answers) -> str:
        """Return the setting's text for a command's option; `ValueError`."""
        return text if self.takes_text else self.read(text, answers)


def currency_of(answers: Answers) -> Currency:
    """Return the currency of the answers; roubles where they name none."""
    return Settings.model_validate({"currency": answers.get("currency", "")}).currency


def _as_typed(text: str, _answers: Answers) -> str:
    return text.strip()


def _choice(*choices: str) -> Callable[[str, Answers], str]:
    def read(text: str, _answers: Answers) -> str:
        if text.strip().lower() not in choices:
            raise ValueError(f"it is {', '.join(choices[:-1])} or {choices[-1]}")
        return text.strip().lower()

    return read


def _currency(text: str, _answers: Answers) -> str:
    return read_currency(text.strip())


def _currency_shown(text: str, _answers: Answers) -> str:
    return named(currency_of({"currency": text}))


def _amount(text: str, _answers: Answers) -> str:
    """Read an amount in whole units of the currency, with two decimals at most; return its hundredths."""
    plain = text.strip().replace(",", "").replace(" ", "")
    if not _AMOUNT.fullmatch(plain):
        raise ValueError("it is a number such as 1000, or 0 for nothing")
    return str(int(Decimal(plain) * HUNDREDTHS))


def _amount_shown(text: str, _answers: Answers) -> str:
    try:
        return f"{Decimal(text) / HUNDREDTHS:f}"
    except InvalidOperation:
        return text


def _email(text: str, _answers: Answers) -> str:
    return _within("email", read_email, text.strip())


def _password(text: str, _answers: Answers) -> str:
    return _within("password", read_password, text)


def _within(field: str, read: Callable[[str], str], text: str) -> str:
    try:
        return read(text)
    except BadRequest as error:
        raise ValueError(f"it {error.details['fields'][field]}") from None


def _public_url(text: str, _answers: Answers) -> str:
    """Take a bare domain, too."""
    url = text.strip().rstrip("/")
    return f"https://{url}" if url and "://" not in url else url


def _domain(answers: Answers) -> str:
    """Return the domain of the site's address, with TLS or without; "" for none."""
    return domain_of(_PLAIN.sub("https://", answers.get("public_url", ""))).partition(":")[0]


def _sender(answers: Answers) -> str:
    name = json.dumps(answers.get("site_name", ""), ensure_ascii=False)
    return f"{name} <noreply@{_domain(answers)}>" if _domain(answers) else ""


def _verifies(answers: Answers) -> bool:
    # Those that are set are asked, too: they may be what does not fit.
    return any(answers.get(name) for name in ("smtp_url", "oidc_providers", "sign_up_domains"))


#: In the order in which they are asked: later ones depend on earlier ones.
QUESTIONS = (
    Question("site_name", "What the site is called", lambda _: "Foreknow", _as_typed),
    Question(
        "currency",
        "What people bet: points, or money by its code (RUB, USD, EUR, …)",
        lambda _: read_currency(POINTS),
        _currency,
        _currency_shown,
    ),
    Question(
        "sign_up",
        "Who may make an account: on (everyone), invite (with an invitation), off (no one)",
        lambda _: "invite",
        _choice("on", "invite", "off"),
    ),
    Question(
        "sign_up_kopecks", "What a newcomer begins with", lambda _: "100000", _amount, _amount_shown, takes_text=True
    ),
    Question(
        "public_url",
        "Its address, such as forecasts.example.org (none: this machine alone)",
        lambda _: "",
        _public_url,
        may_lack=True,
    ),
    Question(
        "admin_email",
        "E-mail address of the first admin",
        lambda answers: f"admin@{_domain(answers) or 'localhost'}",
        _email,
    ),
    Question("admin_name", "The first admin's name, which others see", lambda _: "Admin", _as_typed),
    Question(
        "admin_password",
        "The first admin's password (none: one is made)",
        lambda _: "",
        _password,
        is_secret=True,
    ),
    Question(
        "smtp_url",
        "Mail server, smtp://user:password@host:587 (none: no mails)",
        lambda _: "",
        _as_typed,
        is_asked=lambda answers: bool(answers.get("public_url") or answers.get("smtp_url")),
        is_secret=True,
        may_lack=True,
    ),
    Question(
        "email_from",
        "Sender of mails",
        _sender,
        _as_typed,
        is_asked=lambda answers: bool(answers.get("smtp_url")),
        is_needed=True,
    ),
    Question(
        "sign_up_domains",
        "Only these domains of e-mail addresses, by commas (none: any)",
        lambda _: "",
        _as_typed,
        is_asked=_verifies,
        may_lack=True,
    ),
)


POINTS = "points"
#: By what people type. Others are given as JSON, as in FOREKNOW_CURRENCY.
KNOWN: Mapping[str, Currency] = {
    POINTS: Currency(sign="¤", name="points", name_ru="очки", decimals=0),
    "RUB": ROUBLES,
    "USD": Currency(code="USD", sign="$", name="dollars", name_ru="доллары"),
    "EUR": Currency(code="EUR", sign="€", name="euros", name_ru="евро"),
    "GBP": Currency(code="GBP", sign="£", name="pounds", name_ru="фунты"),
    "CHF": Currency(code="CHF", sign="CHF", name="francs", name_ru="франки"),
    "INR": Currency(code="INR", sign="₹", name="rupees", name_ru="рупии"),
    "KZT": Currency(code="KZT", sign="₸", name="tenge", name_ru="тенге"),
    "PLN": Currency(code="PLN", sign="zł", name="zloty", name_ru="злотые"),
    "TRY": Currency(code="TRY", sign="₺", name="lira", name_ru="лиры"),
    "UAH": Currency(code="UAH", sign="₴", name="hryvnias", name_ru="гривны"),
}


def read_currency(text: str) -> str:
    """Return the setting for what a person typed: a known name, or the setting itself; `ValueError`."""
    if text.lstrip().startswith("{"):
        return text
    for name, currency in KNOWN.items():
        if text.casefold() == name.casefold():
            return json.dumps(currency.model_dump(exclude_none=True), ensure_ascii=False)
    raise ValueError(f"it is one of {', '.join(KNOWN)}, or JSON as FOREKNOW_CURRENCY has it (docs/settings.md)")


def named(currency: Currency) -> str:
    """Return what a person types for a currency; its JSON where it is no known one."""
    known = (name for name, each in KNOWN.items() if each == currency)
    return next(known, "") or json.dumps(currency.model_dump(exclude_none=True), ensure_ascii=False)
