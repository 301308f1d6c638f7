"""Errors of a sign-in through a provider."""

from foreknow.kernel.errors import BadRequest, EmailNotVerified, InternalError, Unauthorized


class UnknownSignIn(BadRequest):
    """The state was not issued to this browser, was used before, or has expired."""

    message = "This sign-in was not begun in this browser, was used already or took too long: begin again."


class SignInRefused(Unauthorized):
    """The provider does not confirm the identity."""

    message = "The provider did not confirm the sign-in: begin again."


class NoVerifiedEmail(EmailNotVerified):
    """The identity is unknown and has no verified address, by which to find its account."""

    message = "The provider vouches for no e-mail address of yours: verify one there, or sign up here with a password."


class ProviderUnavailable(InternalError):
    """The provider is unreachable, too slow or sends invalid responses. The contract reserves 503 for our database."""

    message = "The sign-in provider cannot be reached now: begin again in a while, or sign in another way."
