"""Errors that the service answers with, by code. Written by `just client` from docs/openapi.json."""

from __future__ import annotations

from typing import Final

from foreknow_client.failures import ApiError


class AlreadyResolved(ApiError):
    """The pool was resolved otherwise before; a resolution is final."""

    code = "already_resolved"


class AmountTooSmall(ApiError):
    """At the present price this is less than one share or one kopeck."""

    code = "amount_too_small"


class BadRequest(ApiError):
    """The request is malformed."""

    code = "bad_request"


class BalanceLimit(ApiError):
    """A balance cannot pass 9000000000000000 kopecks."""

    code = "balance_limit"


class BasketNotFound(ApiError):
    """There is no basket of yours with this id."""

    code = "basket_not_found"


class ClarificationNotFound(ApiError):
    """There is no clarification with this id."""

    code = "clarification_not_found"


class CommentNotFound(ApiError):
    """There is no comment with this id."""

    code = "comment_not_found"


class CrossSite(ApiError):
    """A request that changes something and rides on a cookie must come from this site."""

    code = "cross_site"


class DomainNotAllowed(ApiError):
    """Accounts here have e-mail addresses of certain domains alone: take one of `details.domains`."""

    code = "domain_not_allowed"


class EmailNotVerified(ApiError):
    """Verify your e-mail address first."""

    code = "email_not_verified"


class EmailTaken(ApiError):
    """An account with this e-mail address exists; sign in instead."""

    code = "email_taken"


class EventNotFound(ApiError):
    """There is no event with this id."""

    code = "event_not_found"


class Forbidden(ApiError):
    """Your account may not do this."""

    code = "forbidden"


class HouseLimit(ApiError):
    """The house does not risk more on one creator's open events: resolve or cancel some of them first."""

    code = "house_limit"


class IdempotencyKeyReused(ApiError):
    """This Idempotency-Key was already used for another request."""

    code = "idempotency_key_reused"


class InsufficientBalance(ApiError):
    """The user's balance does not cover this amount."""

    code = "insufficient_balance"


class InsufficientFloat(ApiError):
    """Neither the user's balance nor the float covers the stake."""

    code = "insufficient_float"


class InsufficientFunds(ApiError):
    """The balance does not cover this amount."""

    code = "insufficient_funds"


class InsufficientShares(ApiError):
    """The open position holds fewer shares than this."""

    code = "insufficient_shares"


class InternalError(ApiError):
    """Something went wrong here; it has been logged."""

    code = "internal_error"


class InvalidBasketId(ApiError):
    """A basket id is a whole number from 1."""

    code = "invalid_basket_id"


class InvalidClarificationId(ApiError):
    """A clarification id is a whole number from 1."""

    code = "invalid_clarification_id"


class InvalidCommentId(ApiError):
    """A comment id is a whole number from 1."""

    code = "invalid_comment_id"


class InvalidCredentials(ApiError):
    """The login or the password is wrong."""

    code = "invalid_credentials"


class InvalidCursor(ApiError):
    """This cursor belongs to no page of this list: take next_cursor as it was given."""

    code = "invalid_cursor"


class InvalidEventId(ApiError):
    """An event id is a whole number from 1."""

    code = "invalid_event_id"


class InvalidExternalUserId(ApiError):
    """external_user_id has 1 to 128 characters and no control characters."""

    code = "invalid_external_user_id"


class InvalidId(ApiError):
    """An id is a whole number from 1."""

    code = "invalid_id"


class InvalidIdempotencyKey(ApiError):
    """An Idempotency-Key has 1 to 255 visible ASCII characters."""

    code = "invalid_idempotency_key"


class InvalidIds(ApiError):
    """ids is a comma-separated list of 1 to 100 pool ids."""

    code = "invalid_ids"


class InvalidImage(ApiError):
    """Send a whole PNG, JPEG or WebP image as the body, and nothing else."""

    code = "invalid_image"


class InvalidInvitationId(ApiError):
    """An invitation id is a whole number from 1."""

    code = "invalid_invitation_id"


class InvalidKeyId(ApiError):
    """A key id is a whole number from 1."""

    code = "invalid_key_id"


class InvalidLimit(ApiError):
    """limit is a whole number from 1 to 100."""

    code = "invalid_limit"


class InvalidMarketId(ApiError):
    """A market id is a whole number from 1."""

    code = "invalid_market_id"


class InvalidObjectionId(ApiError):
    """An objection id is a whole number from 1."""

    code = "invalid_objection_id"


class InvalidOffset(ApiError):
    """offset is a whole number from 0."""

    code = "invalid_offset"


class InvalidOrderId(ApiError):
    """An order id is a whole number from 1."""

    code = "invalid_order_id"


class InvalidPartnerKey(ApiError):
    """Send a live key of yours in X-Partner-Key."""

    code = "invalid_partner_key"


class InvalidPoolId(ApiError):
    """A pool id is a whole number from 1."""

    code = "invalid_pool_id"


class InvalidReportId(ApiError):
    """A report id is a whole number from 1."""

    code = "invalid_report_id"


class InvalidSeriesId(ApiError):
    """A series id is a whole number from 1."""

    code = "invalid_series_id"


class InvalidSessionId(ApiError):
    """A session id is a whole number from 1."""

    code = "invalid_session_id"


class InvalidState(ApiError):
    """The present state does not allow this."""

    code = "invalid_state"


class InvalidToken(ApiError):
    """This link is used, too old or replaced by a newer one; ask for another."""

    code = "invalid_token"


class InvalidUserId(ApiError):
    """A user id is a whole number from 1."""

    code = "invalid_user_id"


class InvitationNotFound(ApiError):
    """There is no invitation with this id."""

    code = "invitation_not_found"


class InvitationRequired(ApiError):
    """Accounts here are made by invitation: open the link that a member of this site's team sends you."""

    code = "invitation_required"


class InvitationUsed(ApiError):
    """This invitation is used up, too old or withdrawn: ask for another, or sign up without one if you may."""

    code = "invitation_used"


class KeyNotFound(ApiError):
    """You have no live key with this id."""

    code = "key_not_found"


class MarketClosed(ApiError):
    """The market is not open for trading: it is unpublished, not live yet, or past its deadline."""

    code = "market_closed"


class MarketLimit(ApiError):
    """The market cannot hold more than 1000000000000000 shares of one side."""

    code = "market_limit"


class MarketNotFound(ApiError):
    """There is no market with this id."""

    code = "market_not_found"


class MarketPaused(ApiError):
    """Trading in this market is paused."""

    code = "market_paused"


class MarketResolved(ApiError):
    """The market is resolved; nothing more can be traded in it."""

    code = "market_resolved"


class Muted(ApiError):
    """You are muted here for now: until the time in `details.until` you can read and trade, but not write."""

    code = "muted"


class NameTaken(ApiError):
    """The list has an outcome of this name."""

    code = "name_taken"


class NicknameTaken(ApiError):
    """This nickname is taken; choose another."""

    code = "nickname_taken"


class NoEmail(ApiError):
    """This site sends no e-mail: ask its administrators."""

    code = "no_email"


class NotFound(ApiError):
    """There is nothing at this address."""

    code = "not_found"


class ObjectionNotFound(ApiError):
    """There is no objection with this id."""

    code = "objection_not_found"


class ObjectionsOff(ApiError):
    """Here no one objects to results."""

    code = "objections_off"


class OrderNotFound(ApiError):
    """There is no order of yours with this id."""

    code = "order_not_found"


class OwnEvent(ApiError):
    """Creators may not trade in their own events here."""

    code = "own_event"


class PartnerNotFound(ApiError):
    """There is no partner of this name."""

    code = "partner_not_found"


class PasswordOff(ApiError):
    """Passwords are off here: sign in through a provider, which GET /site lists."""

    code = "password_off"


class PayloadTooLarge(ApiError):
    """The body is too large."""

    code = "payload_too_large"


class PoolNotFound(ApiError):
    """There is no pool with this id."""

    code = "pool_not_found"


class PriceUnavailable(ApiError):
    """A rule or a text refers to the asset's price now, and none of the last 120 s is known: try again soon."""

    code = "price_unavailable"


class RateLimited(ApiError):
    """Too many requests; try again after the time in Retry-After."""

    code = "rate_limited"


class ReportNotFound(ApiError):
    """There is no report with this id."""

    code = "report_not_found"


class SeriesNotFound(ApiError):
    """There is no series with this id."""

    code = "series_not_found"


class SessionNotFound(ApiError):
    """You have no live session with this id."""

    code = "session_not_found"


class SetByEnvironment(ApiError):
    """The server's environment, or its foreknow.env, sets what `details.names` lists: change it there."""

    code = "set_by_environment"


class SignInAgain(ApiError):
    """Sign in again through your provider, then set your first password within ten minutes."""

    code = "sign_in_again"


class SignUpClosed(ApiError):
    """Sign-up is closed here: accounts are made by this site's administrators."""

    code = "sign_up_closed"


class Slippage(ApiError):
    """A price is more than 0.005 away from `probabilities`: read the pool again."""

    code = "slippage"


class TermsRequired(ApiError):
    """Agree to this site's terms as they are now: send the version of `details.terms`."""

    code = "terms_required"


class TooManyAlerts(ApiError):
    """You have 200 price alerts already: delete one first."""

    code = "too_many_alerts"


class TooManyClarifications(ApiError):
    """The pool's rules have 20 clarifications."""

    code = "too_many_clarifications"


class TooManyEvents(ApiError):
    """20 events of yours wait for an admin: wait until some are published or cancelled."""

    code = "too_many_events"


class TooManyFollows(ApiError):
    """You follow 1,000 of this kind already: unfollow one first."""

    code = "too_many_follows"


class TooManyKeys(ApiError):
    """You have 20 live keys: delete one first."""

    code = "too_many_keys"


class TooManyOrders(ApiError):
    """At most 200 orders of yours may be open in a pool: cancel some first."""

    code = "too_many_orders"


class TradingOff(ApiError):
    """This site takes no orders: it is for forecasts alone."""

    code = "trading_off"


class TransactionNotFound(ApiError):
    """Your statement has no line with this id."""

    code = "transaction_not_found"


class Unauthorized(ApiError):
    """Sign in first: the access token is missing, invalid or expired."""

    code = "unauthorized"


class Unavailable(ApiError):
    """The service cannot do this now, or not say whether it was done; try again in a moment."""

    code = "unavailable"


class Unfilled(ApiError):
    """Nothing, or not all of it, could be filled at this price."""

    code = "unfilled"


class UnsupportedMediaType(ApiError):
    """Send the body as application/json."""

    code = "unsupported_media_type"


class UserNotFound(ApiError):
    """There is no user with this id."""

    code = "user_not_found"


class WebhookNotFound(ApiError):
    """The partner has no webhook."""

    code = "webhook_not_found"


class WouldTrade(ApiError):
    """The order would trade at once, and it may only rest."""

    code = "would_trade"


#: The class of each code.
BY_CODE: Final[dict[str, type[ApiError]]] = {
    "already_resolved": AlreadyResolved,
    "amount_too_small": AmountTooSmall,
    "bad_request": BadRequest,
    "balance_limit": BalanceLimit,
    "basket_not_found": BasketNotFound,
    "clarification_not_found": ClarificationNotFound,
    "comment_not_found": CommentNotFound,
    "cross_site": CrossSite,
    "domain_not_allowed": DomainNotAllowed,
    "email_not_verified": EmailNotVerified,
    "email_taken": EmailTaken,
    "event_not_found": EventNotFound,
    "forbidden": Forbidden,
    "house_limit": HouseLimit,
    "idempotency_key_reused": IdempotencyKeyReused,
    "insufficient_balance": InsufficientBalance,
    "insufficient_float": InsufficientFloat,
    "insufficient_funds": InsufficientFunds,
    "insufficient_shares": InsufficientShares,
    "internal_error": InternalError,
    "invalid_basket_id": InvalidBasketId,
    "invalid_clarification_id": InvalidClarificationId,
    "invalid_comment_id": InvalidCommentId,
    "invalid_credentials": InvalidCredentials,
    "invalid_cursor": InvalidCursor,
    "invalid_event_id": InvalidEventId,
    "invalid_external_user_id": InvalidExternalUserId,
    "invalid_id": InvalidId,
    "invalid_idempotency_key": InvalidIdempotencyKey,
    "invalid_ids": InvalidIds,
    "invalid_image": InvalidImage,
    "invalid_invitation_id": InvalidInvitationId,
    "invalid_key_id": InvalidKeyId,
    "invalid_limit": InvalidLimit,
    "invalid_market_id": InvalidMarketId,
    "invalid_objection_id": InvalidObjectionId,
    "invalid_offset": InvalidOffset,
    "invalid_order_id": InvalidOrderId,
    "invalid_partner_key": InvalidPartnerKey,
    "invalid_pool_id": InvalidPoolId,
    "invalid_report_id": InvalidReportId,
    "invalid_series_id": InvalidSeriesId,
    "invalid_session_id": InvalidSessionId,
    "invalid_state": InvalidState,
    "invalid_token": InvalidToken,
    "invalid_user_id": InvalidUserId,
    "invitation_not_found": InvitationNotFound,
    "invitation_required": InvitationRequired,
    "invitation_used": InvitationUsed,
    "key_not_found": KeyNotFound,
    "market_closed": MarketClosed,
    "market_limit": MarketLimit,
    "market_not_found": MarketNotFound,
    "market_paused": MarketPaused,
    "market_resolved": MarketResolved,
    "muted": Muted,
    "name_taken": NameTaken,
    "nickname_taken": NicknameTaken,
    "no_email": NoEmail,
    "not_found": NotFound,
    "objection_not_found": ObjectionNotFound,
    "objections_off": ObjectionsOff,
    "order_not_found": OrderNotFound,
    "own_event": OwnEvent,
    "partner_not_found": PartnerNotFound,
    "password_off": PasswordOff,
    "payload_too_large": PayloadTooLarge,
    "pool_not_found": PoolNotFound,
    "price_unavailable": PriceUnavailable,
    "rate_limited": RateLimited,
    "report_not_found": ReportNotFound,
    "series_not_found": SeriesNotFound,
    "session_not_found": SessionNotFound,
    "set_by_environment": SetByEnvironment,
    "sign_in_again": SignInAgain,
    "sign_up_closed": SignUpClosed,
    "slippage": Slippage,
    "terms_required": TermsRequired,
    "too_many_alerts": TooManyAlerts,
    "too_many_clarifications": TooManyClarifications,
    "too_many_events": TooManyEvents,
    "too_many_follows": TooManyFollows,
    "too_many_keys": TooManyKeys,
    "too_many_orders": TooManyOrders,
    "trading_off": TradingOff,
    "transaction_not_found": TransactionNotFound,
    "unauthorized": Unauthorized,
    "unavailable": Unavailable,
    "unfilled": Unfilled,
    "unsupported_media_type": UnsupportedMediaType,
    "user_not_found": UserNotFound,
    "webhook_not_found": WebhookNotFound,
    "would_trade": WouldTrade,
}
