"""The sides of a share, and how many may be sold of one."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final, Literal

#: Most |q_yes_i| and |q_no_i| after a trade (409 `market_limit`).
Q_LIMIT: Final = 10**15


class Side(enum.StrEnum):
    """The side of a share: it pays if its outcome wins (YES) or does not (NO).

    Where every order passes, its text is `_value_`: reading `value`, a property, takes four times as long.
    """

    YES = "YES"
    NO = "NO"


#: Each side as partners spell it.
PARTNER_SIDES: Final[Mapping[str, Literal["yes", "no"]]] = {"YES": "yes", "NO": "no"}
#: The side of each word, a user's or a partner's.
SIDES: Final[Mapping[str, Side]] = {word: side for side in Side for word in (side.value, PARTNER_SIDES[side.value])}
