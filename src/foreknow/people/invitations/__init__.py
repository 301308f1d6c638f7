"""Invitations: links with which a number of people make accounts, with money or the creator's role where asked.

mailed  those that are mailed, each to one address
expiry  the worker that forgets such addresses
"""

from foreknow.people.invitations.store import (
    PATH,
    InvitationRow,
    NewInvitation,
    find,
    forget,
    insert,
    invitation,
    is_known,
    newest,
    offered,
    use,
    withdraw,
)

__all__ = [
    "PATH",
    "InvitationRow",
    "NewInvitation",
    "find",
    "forget",
    "insert",
    "invitation",
    "is_known",
    "newest",
    "offered",
    "use",
    "withdraw",
]
