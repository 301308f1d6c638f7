"""Errors of webhooks; on /partner paths their codes are sent in upper case."""

from foreknow.kernel.errors import DomainError


class WebhookNotFound(DomainError):
    code = "webhook_not_found"
    status = 404
    message = "The partner has no webhook."


class TransactionNotFound(DomainError):
    code = "transaction_not_found"
    status = 404
    message = "Your statement has no line with this id."
