"""Errors of partners; on /partner paths their codes are sent in upper case."""

from foreknow.kernel.errors import DomainError


class PartnerNotFound(DomainError):
    code = "partner_not_found"
    status = 404
    message = "There is no partner of this name."


class KeyNotFound(DomainError):
    code = "key_not_found"
    status = 404
    message = "The partner has no live key with this id."


class NameTaken(DomainError):
    code = "name_taken"
    status = 409
    message = "There is a partner of this name already; names that differ in case only count as one."


class TooManyKeys(DomainError):
    code = "too_many_keys"
    status = 409
    message = "A partner has at most two live keys: revoke one first."


class InsufficientBalance(DomainError):
    code = "insufficient_balance"
    status = 409
    message = "The user's balance does not cover this amount."


class InvalidKeyId(DomainError):
    code = "invalid_key_id"
    status = 400
    message = "A key id is a whole number from 1."
