"""Copying a whole installation into another, empty database, of either kind: `foreknow copy --to URL`.

The source is read in one snapshot and may be written at the same time: the copy shows one moment. The target is written
in one transaction, which commits only after both databases have the same rows, the same balances and a clean audit. No
one sees a part of it, and an interrupted copy leaves nothing behind.

    service    the whole copy, step by step
    targets    which databases may be copied from and into
    databases  the two databases, each in one transaction
    errors     why a copy is refused
"""

from foreknow.commands.copying.errors import CannotCopy
from foreknow.commands.copying.service import Copied, CopyWatcher, copy

__all__ = ["CannotCopy", "Copied", "CopyWatcher", "copy"]
