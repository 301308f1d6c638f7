"""Errors of follows."""

from foreknow.kernel.errors import DomainError


class TooManyFollows(DomainError):
    code = "too_many_follows"
    status = 409
    message = "You follow 1,000 of this kind already: unfollow one first."
