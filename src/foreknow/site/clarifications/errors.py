"""Errors of clarifications."""

from foreknow.kernel.errors import DomainError


class ClarificationNotFound(DomainError):
    code = "clarification_not_found"
    status = 404
    message = "There is no clarification with this id."


class InvalidClarificationId(DomainError):
    code = "invalid_clarification_id"
    status = 400
    message = "A clarification id is a whole number from 1."


class TooManyClarifications(DomainError):
    code = "too_many_clarifications"
    status = 409
    message = "The pool's rules have 20 clarifications."
