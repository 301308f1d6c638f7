"""Errors of the chat."""

from foreknow.kernel.errors import DomainError, NotFound


class NoActiveSession(NotFound):
    """The plain code, as the interface gives it."""

    message = "There is no active chat session; begin one with POST /chat/session."


class ChatSessionNotFound(DomainError):
    code = "session_not_found"
    status = 404
    message = "There is no chat session with this id."


class InvalidChatSessionId(DomainError):
    code = "invalid_session_id"
    status = 400
    message = "A session id is a whole number from 1."
