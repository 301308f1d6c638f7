"""Errors of settlement."""

from __future__ import annotations

from foreknow.kernel.errors import DomainError


class AlreadyResolved(DomainError):
    code = "already_resolved"
    status = 409
    message = "The pool was resolved otherwise before; a resolution is final."
