"""Errors of invitations."""

from foreknow.kernel.errors import DomainError


class InvitationNotFound(DomainError):
    code = "invitation_not_found"
    status = 404
    message = "There is no invitation with this id."


class InvalidInvitationId(DomainError):
    code = "invalid_invitation_id"
    status = 400
    message = "An invitation id is a whole number from 1."


class InvitationUsed(DomainError):
    """The same for an invitation that never existed and for one that is used up, expired or withdrawn."""

    code = "invitation_used"
    status = 409
    message = "This invitation is used up, too old or withdrawn: ask for another, or sign up without one if you may."
