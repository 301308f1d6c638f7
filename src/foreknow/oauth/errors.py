"""How a sign-in through a provider says no."""

from __future__ import annotations

from foreknow.kernel.errors import BadRequest, DomainError, InternalError, Unauthorized


class UnknownSignIn(BadRequest):
    """The state is not one that this browser was given, or it was used, or it is too old."""

    message = "This sign-in was not begun in this browser, was used already or took too long: begin again."


class SignInRefused(Unauthorized):
    """The provider does not vouch for whoever came back from it."""

    message = "The provider did not confirm the sign-in: begin again."


class EmailNotVerified(DomainError):
    """Nobody known, and no address to know them by. An unverified one may be anybody's."""

    code = "email_not_verified"
    status = 403
    message = "The provider vouches for no e-mail address of yours: verify one there, or sign up here with a password."


class ProviderUnavailable(InternalError):
    """The provider cannot be reached, is too slow or makes no sense. The contract keeps 503 for our own database."""

    message = "The sign-in provider cannot be reached now: begin again in a while, or sign in another way."
