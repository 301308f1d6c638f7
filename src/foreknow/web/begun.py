"""Coroutines begun without a task: most that read from memory never wait, and a task costs more than all they do."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Begun(Generic[Result]):
    """What is left of a coroutine that waits for something; await it in a task."""

    def __init__(self, coroutine: Coroutine[Any, Any, Result], waits_for: Any) -> None:
        """`waits_for` is what the coroutine has yielded."""
        self._coroutine = coroutine
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, Result]:
        """Go on with it, once what it waits for is there."""
        coroutine, waits_for = self._coroutine, self._waits_for
        while True:
            raised: BaseException | None = None
            try:
                yield waits_for
            except BaseException as failure:  # noqa: BLE001 - the coroutine's own, a cancellation too
                raised = failure
            try:
                waits_for = coroutine.send(None) if raised is None else coroutine.throw(raised)
            except StopIteration as end:
                result: Result = end.value
                return result


def begin(coroutine: Coroutine[Any, Any, Result]) -> Result | Begun[Result]:
    """Return what a coroutine returns where it need not wait, or else the rest of it.

    Until it waits there is no current task, which timeouts need.
    """
    try:
        waits_for = coroutine.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    return Begun(coroutine, waits_for)
