"""Invitations: links with which a number of people make accounts, with money or the creator's role where asked."""

from foreknow.people.invitations.store import (
    InvitationRow,
    NewInvitation,
    forget,
    insert,
    invitation,
    newest,
    use,
    withdraw,
)

__all__ = ["InvitationRow", "NewInvitation", "forget", "insert", "invitation", "newest", "use", "withdraw"]
