"""Invitations: links with which a number of people make accounts, with money or the creator's role where asked."""

from foreknow.people.invitations.store import (
    PATH,
    InvitationRow,
    NewInvitation,
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
    "forget",
    "insert",
    "invitation",
    "is_known",
    "newest",
    "offered",
    "use",
    "withdraw",
]
