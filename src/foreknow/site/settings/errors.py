"""Errors of the site's settings."""

from foreknow.kernel.errors import DomainError


class SetByEnvironment(DomainError):
    """The environment or its file names a setting; `details.names` lists which."""

    code = "set_by_environment"
    status = 409
    message = "The server's environment, or its foreknow.env, sets what `details.names` lists: change it there."


class WouldNotCount(DomainError):
    """After the change its maker would no longer count as verified."""

    code = "email_not_verified"
    status = 409
    message = "Verify your own e-mail address first: by this change you could no longer do anything here."
