"""Errors that clients see: each a noun with a code, a status and a message.

Services raise a `DomainError`; `foreknow.web` turns it into the contract's error body
(`{"error": code, "message": …, "details": …}`). It rolls back the transaction in which it is raised.
"""

from __future__ import annotations

from typing import Any, ClassVar


class DomainError(Exception):
    """An error response. `code`, HTTP `status` and `message` belong to the class, `details` to the instance."""

    code: ClassVar[str]
    status: ClassVar[int]
    message: ClassVar[str]

    def __init__(self, message: str | None = None, **details: Any) -> None:
        """Use the class's message or a more exact one; `details` help to correct the request."""
        self.text = message or self.message
        self.details = details
        super().__init__(self.text)


class BadRequest(DomainError):
    code = "bad_request"
    status = 400
    message = "The request is malformed."


class Unauthorized(DomainError):
    code = "unauthorized"
    status = 401
    message = "Sign in first: the access token is missing, invalid or expired."


class InvalidPartnerKey(DomainError):
    code = "invalid_partner_key"
    status = 401
    message = "Send a live key of yours in X-Partner-Key."


class Forbidden(DomainError):
    code = "forbidden"
    status = 403
    message = "Your account may not do this."


class EmailNotVerified(DomainError):
    """The account's e-mail address is not verified, and the settings ask for that."""

    code = "email_not_verified"
    status = 403
    message = "Verify your e-mail address first."


class Muted(DomainError):
    """An operator or admin has muted the account for a while; `details.until` says until when."""

    code = "muted"
    status = 403
    message = "You are muted here for now: until the time in `details.until` you can read and trade, but not write."


class TradingOff(DomainError):
    code = "trading_off"
    status = 403
    message = "This site takes no orders: it is for forecasts alone."


class CrossSite(DomainError):
    code = "cross_site"
    status = 403
    message = "A request that changes something and rides on a cookie must come from this site."


class NotFound(DomainError):
    code = "not_found"
    status = 404
    message = "There is nothing at this address."


class MethodNotAllowed(DomainError):
    code = "method_not_allowed"
    status = 405
    message = "This address does not answer that method; see the Allow header."


class PayloadTooLarge(DomainError):
    code = "payload_too_large"
    status = 413
    message = "The body is too large."


class UnsupportedMediaType(DomainError):
    code = "unsupported_media_type"
    status = 415
    message = "Send the body as application/json."


class HeadersTooLarge(DomainError):
    """RFC 6585, section 5."""

    code = "headers_too_large"
    status = 431
    message = "A request's head has at most 64 KiB and 100 headers."


class InvalidIdempotencyKey(DomainError):
    code = "invalid_idempotency_key"
    status = 400
    message = "An Idempotency-Key has 1 to 255 visible ASCII characters."


class IdempotencyKeyReused(DomainError):
    code = "idempotency_key_reused"
    status = 422
    message = "This Idempotency-Key was already used for another request."


class RateLimited(DomainError):
    code = "rate_limited"
    status = 429
    message = "Too many requests; try again after the time in Retry-After."

    def __init__(self, *, retry_after_s: int) -> None:
        """Ask the client to wait `retry_after_s` seconds."""
        super().__init__()
        self.retry_after_s = retry_after_s


class InternalError(DomainError):
    code = "internal_error"
    status = 500
    message = "Something went wrong here; it has been logged."


class Unavailable(DomainError):
    """The database cannot be reached, the outcome of a commit is unknown, or too many orders wait."""

    code = "unavailable"
    status = 503
    message = "The service cannot do this now, or not say whether it was done; try again in a moment."
    retry_after_s = 1


class InvalidLimit(DomainError):
    code = "invalid_limit"
    status = 400
    message = "limit is a whole number from 1 to 100."


class InvalidOffset(DomainError):
    code = "invalid_offset"
    status = 400
    message = "offset is a whole number from 0."


class InvalidCursor(DomainError):
    code = "invalid_cursor"
    status = 400
    message = "This cursor belongs to no page of this list: take next_cursor as it was given."


class InvalidState(DomainError):
    code = "invalid_state"
    status = 409
    message = "The present state does not allow this."


class BalanceLimit(DomainError):
    code = "balance_limit"
    status = 409
    message = "A balance cannot pass 9000000000000000 kopecks."


class InsufficientFunds(DomainError):
    code = "insufficient_funds"
    status = 409
    message = "The balance does not cover this amount."
