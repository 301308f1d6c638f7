"""What a JSON value is: of which kind, and an object of exactly which fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

Check = Callable[[Any], bool]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def integer(value: Any) -> bool:
    return type(value) is int


def number(value: Any) -> bool:
    return type(value) in {int, float}


def text(value: Any) -> bool:
    return type(value) is str


def flag(value: Any) -> bool:
    return type(value) is bool


def time(value: Any) -> bool:
    return text(value) and TIME.fullmatch(value) is not None and datetime.fromisoformat(value).tzinfo is UTC


def mapping(value: Any) -> bool:
    return type(value) is dict


def in_array(*values: Any) -> Check:
    return lambda value: value in values and type(value) in map(type, values)


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def array(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def shaped(fields: Mapping[str, Check]) -> Check:
    """Exactly these fields, each of its kind."""

    def check(value: Any) -> bool:
        assert type(value) is dict, value
        assert value.keys() == fields.keys(), value
        wrong = {name: value[name] for name, kind in fields.items() if not kind(value[name])}
        assert not wrong, wrong
        return True

    return check
