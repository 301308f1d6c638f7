"""How accounts of people say no."""

from __future__ import annotations

from foreknow.kernel.errors import Refusal


class UserNotFound(Refusal):
    code = "user_not_found"
    status = 404
    message = "There is no user with this id."


class EmailTaken(Refusal):
    code = "email_taken"
    status = 409
    message = "An account with this e-mail address exists; sign in instead."


class NicknameTaken(Refusal):
    code = "nickname_taken"
    status = 409
    message = "Somebody has this nickname; choose another."


class InvalidCredentials(Refusal):
    """The same for an unknown login and a wrong password, so that nobody learns which accounts exist."""

    code = "invalid_credentials"
    status = 401
    message = "The login or the password is wrong."
