"""Errors of settlement."""

from foreknow.kernel.errors import DomainError


class AlreadyResolved(DomainError):
    code = "already_resolved"
    status = 409
    message = "The pool was resolved otherwise before; a resolution is final."
