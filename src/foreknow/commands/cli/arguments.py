"""Types of arguments that commands share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import cyclopts
from cyclopts import Parameter

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,19}")


def _whole_number(_type: Any, tokens: Sequence[cyclopts.Token]) -> int:
    # int() also accepts 1_000, spaces and Arabic digits.
    text = tokens[0].value
    if not _WHOLE_NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


Whole = Parameter(converter=_whole_number)
Switch = Parameter(negative=())
Host = Annotated[str, Parameter(help="The address to listen on.")]
Port = Annotated[int, Whole, Parameter(help="The port to listen on; 0 takes any free one.")]
KopecksArgument = Annotated[
    int, Whole, Parameter(allow_leading_hyphen=True, help="Whole hundredths of the currency: 12345 is 123.45.")
]
AsJson = Annotated[bool, Switch, Parameter(name="--json", help="Print one JSON document instead of lines.")]
