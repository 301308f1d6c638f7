"""Errors of accounts and sessions."""

from foreknow.kernel.errors import DomainError


class UserNotFound(DomainError):
    code = "user_not_found"
    status = 404
    message = "There is no user with this id."


class EmailTaken(DomainError):
    code = "email_taken"
    status = 409
    message = "An account with this e-mail address exists; sign in instead."


class SignUpClosed(DomainError):
    """The settings let no one make an account by themselves."""

    code = "sign_up_closed"
    status = 403
    message = "Sign-up is closed here: accounts are made by this site's administrators."


class InvitingClosed(DomainError):
    """The settings let no one make an account by themselves: an invitation would lead nowhere."""

    code = "sign_up_closed"
    status = 409
    message = "Sign-up is closed here: an invitation would lead nowhere."


class DomainNotAllowed(DomainError):
    code = "domain_not_allowed"
    status = 403
    message = "Accounts here have e-mail addresses of certain domains alone: take one of `details.domains`."


class InvitationRequired(DomainError):
    code = "invitation_required"
    status = 403
    message = "Accounts here are made by invitation: open the link that a member of this site's team sends you."


class TermsRequired(DomainError):
    code = "terms_required"
    status = 409
    message = "Agree to this site's terms as they are now: send the version of `details.terms`."


class PasswordOff(DomainError):
    """Only admins have passwords here (FOREKNOW_PASSWORDS)."""

    code = "password_off"
    status = 403
    message = "Passwords are off here: sign in through a provider, which GET /site lists."


class NoEmail(DomainError):
    """The settings name no mail server."""

    code = "no_email"
    status = 409
    message = "This site sends no e-mail: ask its administrators."


class NicknameTaken(DomainError):
    code = "nickname_taken"
    status = 409
    message = "This nickname is taken; choose another."


class SessionNotFound(DomainError):
    code = "session_not_found"
    status = 404
    message = "You have no live session with this id."


class InvalidToken(DomainError):
    """The same for a token that never existed and for one that is used, expired or replaced."""

    code = "invalid_token"
    status = 400
    message = "This link is used, too old or replaced by a newer one; ask for another."


class SignInAgain(DomainError):
    """A user without a password must have signed in recently instead of giving the old password."""

    code = "sign_in_again"
    status = 409
    message = "Sign in again through your provider, then set your first password within ten minutes."


class InvalidCredentials(DomainError):
    """The same for an unknown login and a wrong password, to hide which accounts exist."""

    code = "invalid_credentials"
    status = 401
    message = "The login or the password is wrong."


class UserKeyNotFound(DomainError):
    code = "key_not_found"
    status = 404
    message = "You have no live key with this id."


class TooManyUserKeys(DomainError):
    code = "too_many_keys"
    status = 409
    message = "You have 20 live keys: delete one first."


class InvalidUserKeyId(DomainError):
    code = "invalid_key_id"
    status = 400
    message = "A key id is a whole number from 1."


class InvalidUserId(DomainError):
    code = "invalid_user_id"
    status = 400
    message = "A user id is a whole number from 1."


class InvalidSessionId(DomainError):
    code = "invalid_session_id"
    status = 400
    message = "A session id is a whole number from 1."
