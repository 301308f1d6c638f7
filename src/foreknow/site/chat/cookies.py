"""Reads and sets the chat's cookie, which identifies anonymous visitors; its value is made in `chat.tokens`."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.cookies import Cookie, Cookies
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.chat import service, tokens
from foreknow.site.chat.service import Visitor


class ChatCookies:
    """Reads and sets the cookie `chat_session`."""

    def __init__(self, *, secure: bool) -> None:
        """`secure` sets the cookies' Secure attribute."""
        self._secure = secure

    def visitor(self, user: UserCaller | None, cookies: Cookies) -> Visitor:
        """Return the visitor that a request's sign-in and cookies name."""
        return Visitor(None if user is None else user.user_id, tokens.read(cookies.get(tokens.COOKIE, ())))

    def cookie(self, token: str) -> Cookie:
        """Return the cookie for a session's new token."""
        return Cookie(tokens.COOKIE, token, tokens.COOKIE_AGE_S, self._secure)

    def on_sign_in(self, tx: WriteTx, user_id: int, cookies: Cookies) -> Sequence[Cookie]:
        """Bind the anonymous session of a user who signs in; return the cookies to set."""
        renewed = service.bind(tx, user_id=user_id, given=tokens.read(cookies.get(tokens.COOKIE, ())))
        return () if renewed is None else (self.cookie(renewed),)
