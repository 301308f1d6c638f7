"""A future whose result is acted upon when it is there, and not a turn of the event loop later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")


class PromptFuture(asyncio.Future[Result]):
    """A future whose waiting call is made by `announce`, right after it was resolved, not by the event loop later."""

    #: Set by `then`; a method that sets it for all would cost each as much as the rest of it.
    __slots__ = ("_then",)
    _then: tuple[Callable[[PromptFuture[Result]], None], Context] | None

    def then(self, call: Callable[[PromptFuture[Result]], None]) -> None:
        """Have `call` called once it is announced, or cancelled, in the context of now."""
        self._then = (call, copy_context())

    def announce(self) -> None:
        """Call what waits for it; it is done."""
        then = getattr(self, "_then", None)
        self._then = None
        if then is not None:
            call, context = then
            context.run(call, self)

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel it; what waits for it is called soon."""
        is_cancelled = super().cancel(msg)
        if is_cancelled:
            self.get_loop().call_soon(self.announce)
        return is_cancelled
