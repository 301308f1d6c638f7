"""The commonest passwords, which guessers try first. No new password may be one of them."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

from foreknow.kernel.text import fold
from foreknow.users.schemas import PASSWORD_LENGTH_MIN

#: Of the 30,000 that zxcvbn ranks, so many that are long enough to be a password here. (OWASP ASVS 5, 6.2.4, asks for
#: 3,000 such; those among the 10,000 commonest of any length are in.)
COMMON_PASSWORDS = 10_000


def is_common(password: str) -> bool:
    """Tell whether a password, without regard to case, is one of the commonest."""
    return fold(password) in _common()


@functools.cache
def _common() -> frozenset[str]:
    """Read the list, when the first password is chosen: some 15 ms, and 1 MB that stays.

    The module of lists is read by itself and dropped: the package around it would keep 93,000 words in memory.
    """
    package: Any = importlib.util.find_spec("zxcvbn")
    lists: Any = importlib.util.spec_from_file_location(
        "frequency_lists", Path(package.origin).with_name("frequency_lists.py")
    )
    module: Any = importlib.util.module_from_spec(lists)
    lists.loader.exec_module(module)
    ranked: list[str] = module.FREQUENCY_LISTS["passwords"]
    return frozenset([one for one in ranked if len(one) >= PASSWORD_LENGTH_MIN][:COMMON_PASSWORDS])
