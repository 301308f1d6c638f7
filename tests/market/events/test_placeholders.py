"""Placeholders: which are accepted, and what they become."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreknow.kernel.clock import millis
from foreknow.kernel.errors import BadRequest
from foreknow.market.events.placeholders import Language, Values, check_placeholders, fill_placeholders
from tests.support.proofs import proves

ALL = frozenset({"number", "live_at", "finish_at", "opened_at", "price", "low", "high"})


def at_ms(text: str) -> int:
    return millis(datetime.fromisoformat(text).replace(tzinfo=UTC))


VALUES = Values(
    number=12,
    live_at_ms=at_ms("2026-11-20T09:05:00"),
    finish_at_ms=at_ms("2026-11-20T15:00:59.999"),
    opened_at_ms=at_ms("2026-07-01T23:30:00"),
    price=Decimal("68123.4"),
    low=Decimal(-68000),
    high=Decimal("1234567.895"),
    decimals=2,
)


def filled(text: str, *, values: Values = VALUES, language: Language = Language.ENGLISH, most: int = 200) -> str:
    check_placeholders("name", text, known=ALL)
    return fill_placeholders(text, values, language=language, most=most)


def problem_of(text: str, *, known: frozenset[str] = ALL) -> str:
    with pytest.raises(BadRequest) as caught:
        check_placeholders("pools[0].name", text, known=known)
    fields: dict[str, str] = caught.value.details["fields"]
    assert list(fields) == ["pools[0].name"]
    return fields["pools[0].name"]


@proves(
    "lifecycle: A time takes `:FORMAT` and `:FORMAT:ZONE`: `datetime` (default; `20 November 2026, 15:00`, in "
    "`name_ru` `20 ноября 2026, 15:00`), `date`, `day` (`20 November`), `time`; an IANA zone, else UTC.",
    "lifecycle: `{{` and `}}` are braces.",
)
@pytest.mark.parametrize(
    ("text", "english", "russian"),
    [
        ("", "", ""),
        ("no braces", "no braces", "no braces"),
        ("#{number}", "#12", "#12"),
        ("{finish_at}", "20 November 2026, 15:00", "20 ноября 2026, 15:00"),
        ("{finish_at:datetime}", "20 November 2026, 15:00", "20 ноября 2026, 15:00"),
        ("{finish_at:date}", "20 November 2026", "20 ноября 2026"),
        ("{finish_at:day}", "20 November", "20 ноября"),
        ("{finish_at:time}", "15:00", "15:00"),
        ("{live_at:time}", "09:05", "09:05"),
        ("{opened_at}", "1 July 2026, 23:30", "1 июля 2026, 23:30"),
        ("{opened_at:datetime:UTC}", "1 July 2026, 23:30", "1 июля 2026, 23:30"),
        ("{opened_at:datetime:Europe/Moscow}", "2 July 2026, 02:30", "2 июля 2026, 02:30"),
        ("{opened_at:date:Europe/Berlin}", "2 July 2026", "2 июля 2026"),
        ("{finish_at:time:America/New_York}", "10:00", "10:00"),
        ("{finish_at:time:Asia/Kathmandu}", "20:45", "20:45"),
        ("{finish_at:time:America/Argentina/Buenos_Aires}", "12:00", "12:00"),
        ("{finish_at:time:Etc/GMT+12}", "03:00", "03:00"),
        ("{price}", "68,123.40", "68\u00a0123,40"),
        ("{low}–{high}", "-68,000.00–1,234,567.90", "-68\u00a0000,00–1\u00a0234\u00a0567,90"),
        ("{{number}}", "{number}", "{number}"),
        ("{{{number}}}", "{12}", "{12}"),
        ("{{}}{number}{{", "{}12{", "{}12{"),
        ("{number}{number}", "1212", "1212"),
    ],
)
def test_placeholders_become_their_values(text: str, english: str, russian: str) -> None:
    assert filled(text) == english
    assert filled(text, language=Language.RUSSIAN) == russian


@pytest.mark.parametrize(
    ("month", "english", "russian"),
    [
        (1, "January", "января"),
        (2, "February", "февраля"),
        (3, "March", "марта"),
        (4, "April", "апреля"),
        (5, "May", "мая"),
        (6, "June", "июня"),
        (7, "July", "июля"),
        (8, "August", "августа"),
        (9, "September", "сентября"),
        (10, "October", "октября"),
        (11, "November", "ноября"),
        (12, "December", "декабря"),
    ],
)
def test_every_month_has_its_name(month: int, english: str, russian: str) -> None:
    values = Values(number=1, live_at_ms=None, finish_at_ms=at_ms(f"2026-{month:02}-03T00:00:00"), opened_at_ms=0)
    assert filled("{finish_at:day}", values=values) == f"3 {english}"
    assert filled("{finish_at:day}", values=values, language=Language.RUSSIAN) == f"3 {russian}"


@pytest.mark.parametrize(
    ("utc", "local"),
    [
        ("2026-03-29T00:59:00", "01:59"),
        ("2026-03-29T01:00:00", "03:00"),
        ("2026-10-25T00:30:00", "02:30"),
        ("2026-10-25T01:30:00", "02:30"),
        # Summer time goes on as the rules of today say.
        ("2531-07-01T12:00:00", "14:00"),
    ],
)
def test_times_follow_summer_time(utc: str, local: str) -> None:
    values = Values(number=1, live_at_ms=None, finish_at_ms=at_ms(utc), opened_at_ms=0)
    assert filled("{finish_at:time:Europe/Berlin}", values=values) == local


def test_the_ends_of_the_calendar_have_local_times_too() -> None:
    last, first = at_ms("9999-12-31T23:59:59.999"), at_ms("0001-01-01T00:00:00")
    values = Values(number=1, live_at_ms=first, finish_at_ms=last, opened_at_ms=0)
    assert filled("{finish_at}", values=values) == "31 December 9999, 23:59"
    assert filled("{finish_at:datetime:Pacific/Kiritimati}", values=values) == "1 January 10000, 13:59"
    assert filled("{live_at:date:America/New_York}", values=values) == "31 December 0"


@proves("lifecycle: A price has the rule's `decimals`:")
@pytest.mark.parametrize(
    ("price", "decimals", "english", "russian"),
    [
        ("0", 0, "0", "0"),
        ("-0.001", 2, "0.00", "0,00"),
        ("0.125", 2, "0.12", "0,12"),
        ("0.135", 2, "0.14", "0,14"),
        ("999.995", 2, "1,000.00", "1\u00a0000,00"),
        ("1234", 0, "1,234", "1\u00a0234"),
        ("0.000000015", 8, "0.00000002", "0,00000002"),
        ("-1234567.5", 1, "-1,234,567.5", "-1\u00a0234\u00a0567,5"),
    ],
)
def test_a_price_has_the_decimals_of_its_rule(price: str, decimals: int, english: str, russian: str) -> None:
    values = Values(
        number=1, live_at_ms=None, finish_at_ms=None, opened_at_ms=0, price=Decimal(price), decimals=decimals
    )
    assert filled("{price}", values=values) == english
    assert filled("{price}", values=values, language=Language.RUSSIAN) == russian


@proves("lifecycle: Anything else in braces,")
@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        "{}",
        "{ }",
        "a { b",
        "a } b",
        "{number",
        "number}",
        "{number}}",
        "{{number}",
        "}{",
        "{{}",
        "{ number }",
        "{Number}",
        "{numb\u0435r}",
        "{name}",
        "{number.real}",
        "{0}",
        "{number!r}",
        "{number:}",
        "{number:>10}",
        "{price:.2f}",
        "{low:date}",
        "{finish_at:}",
        "{finish_at::}",
        "{finish_at:Date}",
        "{finish_at:%Y}",
        "{finish_at:UTC}",
        "{finish_at::UTC}",
        "{finish_at:time:}",
        "{finish_at:time: UTC}",
        "{finish_at:time:utc}",
        "{finish_at:time:Mars/Olympus}",
        "{finish_at:time:../../../../etc/passwd}",
        "{finish_at:time:/etc/localtime}",
        "{finish_at:time:Europe}",
        "{finish_at:time:Europe/}",
        "{finish_at:time:Europe/Moscow/}",
        "{finish_at:time:Europe//Moscow}",
        "{finish_at:time:Europe\\Moscow}",
        "{finish_at:time:__init__.py}",
        "{finish_at:time:tzdata.zi}",
        "{finish_at:time:UTC:UTC}",
        "{finish_at:time:UTC\n}",
        "{finish_at:time:\u212aWAJALEIN}",
        "{" + "x" * 200 + "}",
        "{finish_at:time:" + "x" * 20_000 + "}",
        "{" * 100_001,
        "}" * 100_001,
        "{{" * 50_000 + "{}" + "}}" * 50_000,
    ],
)
def test_anything_else_in_braces_is_refused(text: str) -> None:
    assert len(problem_of(text)) < 300


def test_a_placeholder_without_a_value_is_refused_and_the_known_ones_are_named() -> None:
    problem = problem_of("Above {price}?", known=frozenset({"number", "opened_at"}))
    assert problem == "{price} has no value here; known are number, opened_at"


def test_the_names_used_are_returned() -> None:
    text = "{number}, {{low}}, {finish_at:time:Asia/Tokyo}, {finish_at}"
    assert check_placeholders("name", text, known=ALL) == {"number", "finish_at"}


@proves("lifecycle: cut at the text's bound.")
def test_a_long_text_is_cut_at_its_bound() -> None:
    assert filled("x" * 199 + "{number}") == "x" * 199 + "1"
    assert filled("x" * 200 + "{number}") == "x" * 200
    assert filled("😀" * 199 + "{number}") == "😀" * 199 + "1"
    assert len(filled("{price}" * 2_857, most=20_000)) == 20_000
    huge = Values(
        number=1, live_at_ms=None, finish_at_ms=None, opened_at_ms=0, price=Decimal(repr(1.7976931348623157e308))
    )
    assert filled("{price}", values=huge).startswith("179,769,313,486,231,570,000,")
    assert len(filled("{price}", values=huge)) == 200


def test_a_filled_text_is_in_nfc() -> None:
    # The month's last letter and the mark after it compose.
    assert filled("{finish_at:day}\u0301") == "20 Novembe\u0155"


@given(text=st.text(max_size=60), most=st.integers(1, 80))
@example(text="}}{{", most=1)
def test_doubled_braces_bring_any_text_through_unchanged(text: str, most: int) -> None:
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert check_placeholders("name", doubled, known=frozenset()) == set()
    assert filled(doubled, most=most) == unicodedata.normalize("NFC", text)[:most]


class ByPython:
    """A value that Python's own `str.format` fills in."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __format__(self, form: str) -> str:
        return filled(f"{{{self._name}:{form}}}" if form else f"{{{self._name}}}")


_PARTS = st.sampled_from(
    ["{", "}", "{{", "}}", "{number}", "{low}", "{finish_at:time}", "{finish_at:day:UTC}", "number", ":", "time", "x"]
)


@given(parts=st.lists(_PARTS, max_size=12))
@example(parts=["{{{", "number", "}}}"])
def test_braces_pair_as_in_pythons_formats(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        check_placeholders("name", text, known=ALL)
    except BadRequest:
        return
    assert filled(text, most=10_000) == text.format(**{name: ByPython(name) for name in ALL})
