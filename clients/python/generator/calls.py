"""The module of endpoints: a function for each, which makes the call, and the methods of both clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clients.python.generator.operations import Argument, Operation
from clients.python.generator.schemas import docstring

_HEAD = '''"""One function for each endpoint, which makes the call that a client sends, and the methods of both clients.

Written by `just client` from docs/openapi.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

# A method bears the name of its function, which it reaches through this module.
from foreknow_client import endpoints, models
from foreknow_client.calls import Call, PageCall, RedirectCall, StreamCall, StreamEvent, path, values_given
from foreknow_client.methods import (
    async_items,
    async_method,
    async_stream,
    sync_items,
    sync_method,
    sync_stream,
)

'''


def endpoints_module(operations: Sequence[Operation]) -> str:
    """Return the module."""
    methods = (_methods(operations, way) for way in ("sync", "async"))
    return _HEAD + "\n\n".join([*map(_function, operations), *methods])


def items_name(operation: Operation) -> str:
    """Return the name of the method that iterates over a list: `iter_events` for `list_events`."""
    return "iter_" + operation.name.removeprefix("list_")


def _function(operation: Operation) -> str:
    positional = [f"{each.name}: {each.kind}" for each in operation.path_arguments]
    if operation.whole_body:
        positional.append(f"body: {operation.whole_body}")
    named = list(_keywords(operation))
    arguments = ", ".join(positional + (["*", *named] if named else []))
    return (
        f"def {operation.name}({arguments}) -> {_call_type(operation)}:\n"
        f"{docstring(*operation.paragraphs, _errors(operation))}\n"
        f"    return {_expression(operation)}\n"
    )


def _call_type(operation: Operation) -> str:
    if operation.page is not None:
        return f"PageCall[{operation.answer}, {operation.page.item_type}]"
    if operation.is_event_stream:
        return "StreamCall"
    return "RedirectCall" if operation.answer == "str" else f"Call[{operation.answer}]"


def _keywords(operation: Operation) -> Iterator[str]:
    rest = [*operation.query, *operation.body]
    for each in sorted(rest, key=lambda argument: not argument.is_required):
        if each.is_required:
            yield f"{each.name}: {each.kind}"
        else:
            yield (
                f"{each.name}: {each.kind} = None" if _may_be_none(each) else f"{each.name}: {each.kind} | None = None"
            )
    if operation.is_idempotent:
        yield "idempotency_key: str | None = None"
    if operation.is_event_stream:
        yield "last_event_id: str | None = None"


def _may_be_none(argument: Argument) -> bool:
    return argument.kind.split(" | ")[-1] == "None"


def _errors(operation: Operation) -> str:
    return "Errors: " + ", ".join(f"`{code}`" for code in operation.codes) + "." if operation.codes else ""


def _expression(operation: Operation) -> str:
    filled = ", ".join(f"{each.sent_as}={each.name}" for each in operation.path_arguments)
    address = f"path({operation.path!r}, {filled})" if filled else repr(operation.path)
    parts = [repr(operation.name), repr(operation.method), address]
    parts.append("type(None)" if operation.answer == "None" else operation.answer)
    if operation.page is not None:
        parts.append(f"items=lambda page: page.{operation.page.items}")
        if operation.page.is_by_offset:
            parts.append("is_by_offset=True")
    if operation.query:
        parts.append(f"query=values_given({_pairs(operation.query)})")
    required_null = [each for each in operation.body if each.is_required and _may_be_none(each)]
    if operation.body:
        always = ", ".join(f"{each.sent_as!r}: {each.name}" for each in required_null)
        others = [each for each in operation.body if each not in required_null]
        body = f"values_given({_pairs(others)})" if others else ""
        parts.append(f"body={body}" if not always else f"body={{{f'**{body}, ' if body else ''}{always}}}")
    if operation.whole_body:
        parts.append("content=body" if operation.whole_body == "bytes" else "body=body")
    if operation.is_idempotent:
        parts.append("idempotency_key=idempotency_key, is_idempotent=True")
    if operation.is_event_stream:
        parts.append("last_event_id=last_event_id")
    return f"{_call_type(operation).partition('[')[0]}({', '.join(parts)})"


def _pairs(arguments: Sequence[Argument]) -> str:
    pairs = ", ".join(f"{each.sent_as!r}: {each.name}" for each in arguments)
    return f"{{{pairs}}}"


def _methods(operations: Sequence[Operation], way: str) -> str:
    noun = "Methods that wait for the answer." if way == "sync" else "Methods to be awaited."
    lines = [f"class {way.capitalize()}Methods:", f'    """{noun}"""', ""]
    for operation in operations:
        wrapper = f"{way}_stream" if operation.is_event_stream else f"{way}_method"
        lines.append(f"    {operation.name} = {wrapper}(endpoints.{operation.name})")
        if operation.page is not None:
            lines.append(f"    {items_name(operation)} = {way}_items(endpoints.{operation.name})")
    return "\n".join(lines) + "\n"
