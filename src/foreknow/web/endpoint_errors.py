"""Every error that an endpoint may respond with: what the pipeline's steps declare for it."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError
from foreknow.web.endpoint import Endpoint
from foreknow.web.steps import steps_of


def endpoint_errors(endpoint: Endpoint) -> list[type[DomainError]]:
    """Return them in the order of checks, each once."""
    return list(dict.fromkeys(error for step in steps_of(endpoint) for error in step.errors(endpoint)))


def shown_code(endpoint: Endpoint, error: type[DomainError]) -> str:
    """Return the code as this endpoint writes it: in upper case on partner endpoints."""
    return error.code.upper() if endpoint.level is AuthLevel.PARTNER else error.code
