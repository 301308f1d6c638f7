"""Copying a whole installation into another, empty database, of either kind: `foreknow copy --to URL`.

The source is read in one snapshot, so that it may be written meanwhile: the copy is what it was at one moment. The
target is written in one transaction, which commits only after both sides have proved to have the same rows, the same
balances and right books: until then nobody sees any of it, and whatever breaks it off, there is nothing of it.

    sides     the two databases, each in a transaction
    targets   what may be copied from and into
    moments   whether the source was written to meanwhile
    rows      a table's rows and where its ids go on
    proof     that both sides hold the same, and that it is right
    service   the whole
    failure   what keeps a copy from being made
"""

from foreknow.copying.errors import CannotCopy
from foreknow.copying.service import Copied, Watcher, copy

__all__ = ["CannotCopy", "Copied", "Watcher", "copy"]
