"""Errors of images."""

from foreknow.kernel.errors import DomainError


class InvalidImage(DomainError):
    code = "invalid_image"
    status = 400
    message = "Send a whole PNG, JPEG or WebP image as the body, and nothing else."
