"""Errors of webhooks."""

from __future__ import annotations

from foreknow.kernel.errors import DomainError


class WebhookNotFound(DomainError):
    code = "webhook_not_found"
    status = 404
    message = "The partner has no webhook."
