"""The commonest passwords, which attackers try first. Rejected as new passwords."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

from foreknow.kernel.text import fold
from foreknow.people.users.schemas import PASSWORD_LENGTH_MIN

#: The commonest of zxcvbn's 30,000 that are long enough to be a password here. (OWASP ASVS 5, 6.2.4, requires 3,000
#: such; those among the 10,000 commonest of any length are included.)
COMMON_PASSWORDS = 10_000


def is_common(password: str) -> bool:
    """Return whether a password, ignoring case, is one of the commonest."""
    return fold(password) in _common_passwords()


@functools.cache
def _common_passwords() -> frozenset[str]:
    """Load the list on first use: some 15 ms and 1 MB.

    Executes the package's module of lists alone: importing the package would keep 93,000 words in memory.
    """
    package: Any = importlib.util.find_spec("zxcvbn")
    lists: Any = importlib.util.spec_from_file_location(
        "frequency_lists", Path(package.origin).with_name("frequency_lists.py")
    )
    module: Any = importlib.util.module_from_spec(lists)
    lists.loader.exec_module(module)
    ranked: list[str] = module.FREQUENCY_LISTS["passwords"]
    return frozenset([text for text in ranked if len(text) >= PASSWORD_LENGTH_MIN][:COMMON_PASSWORDS])
