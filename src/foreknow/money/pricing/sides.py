"""The sides of a share, and how many may be sold of one."""

from __future__ import annotations

import enum
from typing import Final

#: Most |q_yes_i| and |q_no_i| after a trade (409 `market_limit`).
Q_LIMIT: Final = 10**15


class Side(enum.StrEnum):
    """The side of a share: it pays if its outcome wins (YES) or does not (NO).

    Where every order passes, its text is `_value_`: reading `value`, a property, takes four times as long.
    """

    YES = "YES"
    NO = "NO"
