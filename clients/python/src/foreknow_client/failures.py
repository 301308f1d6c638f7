"""What may go wrong; `errors` has a class for each code that the service answers with.

ForeknowError
  ApiError          the service answered with an error: one subclass for each code
  ConnectionFailed  no answer came, and sending again was of no use or not safe
    FateUnknown     an order may have been executed: ask again with its key
  AnswerNotUnderstood
"""

from __future__ import annotations

from typing import Any, ClassVar


class ForeknowError(Exception):
    """Anything that a client raises."""


class ApiError(ForeknowError):
    """The service answered with an error. Each code has a class of its own in `foreknow_client.errors`.

    A code that this version does not know is an `ApiError` itself: look at `error`.
    """

    #: The code of the class; "" for the base.
    code: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        error: str,
        details: dict[str, Any] | None = None,
        request_id: str = "",
        retry_after_s: float | None = None,
        attempts: int = 1,
    ) -> None:
        """Say what the service said."""
        super().__init__(f"{status} {error}: {message}" if message else f"{status} {error}")
        self.message = message
        self.status = status
        #: The code as it was sent: partners get it in upper case.
        self.error = error
        self.details = details or {}
        #: Name it when you ask the operator about the request.
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        #: How often the request was sent. Over 1, an attempt before this one may have got no answer.
        self.attempts = attempts


class ConnectionFailed(ForeknowError):
    """No answer came."""


class FateUnknown(ConnectionFailed):
    """It stayed open whether the order was executed: send it again with `idempotency_key` to find out."""

    def __init__(self, message: str, *, idempotency_key: str) -> None:
        """Keep the key of the order."""
        super().__init__(f"{message}; its Idempotency-Key is {idempotency_key}")
        self.idempotency_key = idempotency_key


class AnswerNotUnderstood(ForeknowError):
    """The answer is none of this interface: another program, or a proxy, gave it."""


def redirected(what: str, place: str | None) -> AnswerNotUnderstood:
    """Return the error of an answer that sends the client elsewhere: it follows none, lest another host get the key."""
    return AnswerNotUnderstood(f"{what}: redirected to {place!r}")
