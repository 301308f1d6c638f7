"""The shape of a pool that asks several questions at once: each market is one answer to each of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
from msgspec import Meta

from foreknow.kernel.text import nfc
from foreknow.kernel.validation.fields import required_text, required_text_schema, wrong_field
from foreknow.market.pools.rules.base import read_body
from foreknow.market.pools.shapes.base import MARKET_NAME_MAX, MARKETS_MAX, repeated_name, shape_schema

QUESTIONS_MIN, QUESTIONS_MAX = 2, 6
ANSWERS_MIN, ANSWERS_MAX = 2, 50
NAME_MAX = 100


class JointQuestionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question and its answers."""

    name: str
    outcomes: Annotated[list[str], Meta(min_length=ANSWERS_MIN, max_length=ANSWERS_MAX)]
    name_ru: str | None = None
    outcomes_ru: list[str] | None = None


class JointShapeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Questions that are answered together."""

    kind: Literal["joint"]
    questions: Annotated[list[JointQuestionBody], Meta(min_length=QUESTIONS_MIN, max_length=QUESTIONS_MAX)]


_NAME = {"type": "string", **required_text_schema(NAME_MAX)}
_ANSWERS = {"items": _NAME, "minItems": ANSWERS_MIN, "maxItems": ANSWERS_MAX}
QUESTIONS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "minItems": QUESTIONS_MIN,
    "maxItems": QUESTIONS_MAX,
    "description": "The questions; of all combinations of their answers there are at most 100.",
    "items": {
        "type": "object",
        "required": ["name", "outcomes"],
        "properties": {
            "name": _NAME,
            "name_ru": {**_NAME, "type": ["string", "null"]},
            "outcomes": {"type": "array", **_ANSWERS},
            "outcomes_ru": {"type": ["array", "null"], **_ANSWERS, "description": "As many, in the same order."},
        },
        "additionalProperties": False,
    },
    "examples": [[{"name": "A", "outcomes": ["Yes", "No"]}, {"name": "B", "outcomes": ["Yes", "No"]}]],
}


@dataclass(frozen=True, slots=True)
class JointShape:
    """The markets are the product of the questions' answers: the last question's change fastest."""

    kind: ClassVar[Literal["joint"]] = "joint"
    SCHEMA: ClassVar = shape_schema(
        kind,
        "Several questions at once: one market for each combination of their answers, those of the last question "
        "changing fastest.",
        ["questions"],
        questions=QUESTIONS_SCHEMA,
    )

    #: The answers to each question.
    answers: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any]) -> Self:
        """Check and read what was sent; `BadRequest`."""
        body = read_body(path, sent, JointShapeBody)
        questions = f"{path}.questions"
        names, answers = [], []
        for index, question in enumerate(body.questions):
            here = f"{questions}[{index}]"
            names.append(required_text(f"{here}.name", question.name, most=NAME_MAX))
            if question.name_ru is not None:
                required_text(f"{here}.name_ru", question.name_ru, most=NAME_MAX)
            answers.append(_names(f"{here}.outcomes", question.outcomes))
            if question.outcomes_ru is not None:
                _check_russian(f"{here}.outcomes_ru", question.outcomes_ru, count=len(question.outcomes))
        if (repeated := repeated_name(names)) is not None:
            raise wrong_field(f"{questions}[{repeated}].name", "is the name of another question, too")
        if math.prod(map(len, answers)) > MARKETS_MAX:
            raise wrong_field(questions, f"must have at most {MARKETS_MAX} combinations of answers")
        return cls(tuple(map(tuple, answers)))

    @property
    def market_count(self) -> int:
        """How many markets it makes."""
        return math.prod(map(len, self.answers))

    def market_names(self) -> tuple[str, ...]:
        """Return the markets' names where none were sent."""
        return tuple(" · ".join(chosen)[:MARKET_NAME_MAX] for chosen in itertools.product(*self.answers))

    def outcome_of(self, chosen: Sequence[str]) -> int:
        """Return the outcome with these answers, one a question; `BadRequest` names a wrong one in `values`."""
        if len(chosen) != len(self.answers):
            raise wrong_field("values", f"must have {len(self.answers)} names, one for each question")
        outcome = 0
        for index, (answer, answers) in enumerate(zip(map(nfc, chosen), self.answers, strict=True)):
            if answer not in answers:
                raise wrong_field(f"values[{index}]", "must be the name of an outcome of its question")
            outcome = outcome * len(answers) + answers.index(answer)
        return outcome


def _names(path: str, sent: Sequence[str]) -> list[str]:
    names = [required_text(f"{path}[{index}]", name, most=NAME_MAX) for index, name in enumerate(sent)]
    if (index := repeated_name(names)) is not None:
        raise wrong_field(f"{path}[{index}]", "is the name of another outcome of its question, too")
    return names


def _check_russian(path: str, sent: Sequence[str], *, count: int) -> None:
    if len(sent) != count:
        raise wrong_field(path, "must be as many as outcomes")
    for index, name in enumerate(sent):
        required_text(f"{path}[{index}]", name, most=NAME_MAX)
