"""The organizer's questions of many outcomes: a date, two fields at once, and a list to which two are added."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from foreknow.commands.demo.calendar import PAST_MS
from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso, millis

DATE_TAG, JOINT_TAG, LIST_TAG = TAGS = ("publication", "both fields", "next field")
#: What is taken out of the list's Other, in turn: name, name in Russian, how much of Other.
ADDED = (("Artificial intelligence", "Искусственный интеллект", 0.4), ("Education", "Образование", 0.25))
_FINISH_MS = 76 * DAY_MS
_MONTHS = 8
_MONTH_CHANCES = [0.03, 0.07, 0.13, 0.19, 0.2, 0.15, 0.1, 0.07, 0.06]


def events(began_ms: int) -> list[tuple[str, dict[str, Any]]]:
    """Return (tag, body of POST /events/create-full) of each, for a past that begins at `began_ms`."""
    finish_ms = began_ms + PAST_MS + _FINISH_MS
    finish_ms -= finish_ms % HOUR_MS
    made = ((DATE_TAG, _date(finish_ms)), (JOINT_TAG, _joint()), (LIST_TAG, _list()))
    return [(tag, _event(tag, body, finish_ms)) for tag, body in made]


def _event(tag: str, body: dict[str, Any], finish_ms: int) -> dict[str, Any]:
    pool = {
        "name": body["name"],
        "name_ru": body["name_ru"],
        "rules": body["rules"],
        "finish_at": iso(finish_ms),
        "metadata": {"rules_ru": body["rules_ru"], **body["metadata"]},
    }
    return {"name": body["name"], "name_ru": body["name_ru"], "tags": [tag, *body["tags"]], "pools": [pool]}


def _date(finish_ms: int) -> dict[str, Any]:
    return {
        "name": "When is the last of the ten open studies published?",
        "name_ru": "Когда опубликуют последнее из десяти открытых исследований?",
        "tags": ["date"],
        "rules": "The day (UTC) on which the last of the ten replications was published, as the organizer finds it.",
        "rules_ru": "День (UTC), в который опубликовано последнее из десяти повторных исследований, по сведениям "
        "организатора.",
        "metadata": {
            "shape": {"kind": "date", "edges": list(map(iso, _months_from(finish_ms)))},
            "market_probabilities": _MONTH_CHANCES,
        },
    }


def _months_from(at_ms: int) -> list[int]:
    """Return the beginnings of the next months, in Unix milliseconds."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    first = moment.year * 12 + moment.month
    months = (divmod(first + number, 12) for number in range(_MONTHS))
    return [millis(datetime(year, month + 1, 1, tzinfo=UTC)) for year, month in months]


def _joint() -> dict[str, Any]:
    answers, answers_ru = ["Yes", "No"], ["Да", "Нет"]
    named = (
        ("At least half of psychology replicates", "Подтвердится не меньше половины психологии"),
        ("At least half of economics replicates", "Подтвердится не меньше половины экономики"),
    )
    questions = [
        {"name": name, "name_ru": name_ru, "outcomes": answers, "outcomes_ru": answers_ru} for name, name_ru in named
    ]
    return {
        "name": "Do both fields hold up?",
        "name_ru": "Устоят ли обе области?",
        "tags": ["psychology", "economics"],
        "rules": "Of the open markets of each field at least half resolve to Yes. A stake on one field “if” the other "
        "comes back when that one fails.",
        "rules_ru": "Из открытых рынков каждой области не меньше половины решены как «Да». Ставка на одну область "
        "«если» другая возвращается, когда условие не выполнено.",
        "metadata": {
            "shape": {"kind": "joint", "questions": questions},
            "market_probabilities": [0.32, 0.13, 0.27, 0.28],
        },
    }


def _list() -> dict[str, Any]:
    return {
        "name": "Which field is next to repeat its studies at this scale?",
        "name_ru": "Какая область следующей повторит столько исследований?",
        "tags": ["fields"],
        "rules": "The first field that announces a project of fifty replications or more. Fields are added as people "
        "name them; until then they are part of Other.",
        "rules_ru": "Первая область, которая объявит о проекте не меньше чем из пятидесяти повторных исследований. "
        "Области добавляются, когда их назовут; до того они входят в «Другое».",
        "metadata": {
            "shape": {"kind": "list"},
            "market_names": ["Political science", "Management", "Medicine", "Other"],
            "market_names_ru": ["Политология", "Менеджмент", "Медицина", "Другое"],
            "market_probabilities": [0.24, 0.16, 0.2, 0.4],
        },
    }
