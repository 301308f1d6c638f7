"""Cookies of the chat: who asks, by them or by a sign-in, and what is set in answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from foreknow.chat import service, tokens
from foreknow.chat.service import Visitor
from foreknow.web.answers import Cookie
from foreknow.web.endpoint import Call


class ChatCookies:
    """Reads and makes the cookie `chat_session`."""

    def __init__(self, *, secure: bool) -> None:
        """Mark cookies Secure where they must not travel in the clear."""
        self._secure = secure

    def visitor(self, call: Call) -> Visitor:
        """Tell who calls an endpoint of visitors."""
        user = call.visitor
        return Visitor(None if user is None else user.user_id, tokens.read(call.cookies.get(tokens.COOKIE)))

    def cookie(self, token: str) -> Cookie:
        """Return the cookie to set for a session's new token."""
        return Cookie(tokens.COOKIE, token, tokens.COOKIE_AGE_S, self._secure)

    def on_sign_in(self, tx: sa.Connection, user_id: int, cookies: Mapping[str, str]) -> Sequence[Cookie]:
        """Bind the anonymous session that somebody brings who is signing in; return what to set in the answer."""
        renewed = service.bind(tx, user_id=user_id, token=tokens.read(cookies.get(tokens.COOKIE)))
        return () if renewed is None else (self.cookie(renewed),)
