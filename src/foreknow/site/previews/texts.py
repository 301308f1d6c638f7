"""The words in a picture, in the languages of the web client."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from foreknow.kernel.clock import SECOND_MS

PreviewLanguage = Literal["en", "ru"]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    yes: str
    no: str
    open: str
    #: With the date.
    open_until: str
    awaiting: str
    #: With the moment until when its result may change.
    decided_until: str
    resolved: str
    no_winner: str
    cancelled: str
    #: Between a number and its percent sign.
    percent_space: str
    #: What stands for a question that the font cannot spell, with the site's name.
    no_name: str
    months: tuple[str, ...]


WORDS: dict[PreviewLanguage, Words] = {
    "en": Words(
        yes="Yes",
        no="No",
        open="Open",
        open_until="Open until {}",
        awaiting="Awaiting the result",
        decided_until="Decided, can change until {}",
        resolved="Resolved",
        no_winner="Resolved without a winner",
        cancelled="Cancelled",
        percent_space="",
        no_name="A question on {}",
        months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    ),
    "ru": Words(
        yes="Да",
        no="Нет",
        open="Открыт",
        open_until="Открыт до {}",
        awaiting="Ждёт результата",
        decided_until="Итог исправим до {}",
        resolved="Разрешён",
        no_winner="Разрешён без победителя",
        cancelled="Отменён",
        percent_space="\u00a0",
        no_name="Вопрос на {}",
        months=("янв.", "февр.", "марта", "апр.", "мая", "июня", "июля", "авг.", "сент.", "окт.", "нояб.", "дек."),
    ),
}


def percent(probability: float, words: Words) -> str:
    """Return a probability without decimals; while a question is open, none is certain."""
    space = words.percent_space
    if probability < 0.01:
        return f"<1{space}%"
    if probability > 0.99:
        return f">99{space}%"
    return f"{round(probability * 100)}{space}%"


def date(at_ms: int, words: Words) -> str:
    """Return the day of a time in UTC."""
    day = datetime.fromtimestamp(at_ms // SECOND_MS, UTC)
    return f"{day.day} {words.months[day.month - 1]} {day.year}"


def moment(at_ms: int, words: Words) -> str:
    """Return a time of these weeks in UTC, to the minute: without its year."""
    at = datetime.fromtimestamp(at_ms // SECOND_MS, UTC)
    return f"{at.day} {words.months[at.month - 1]}, {at:%H:%M} UTC"
