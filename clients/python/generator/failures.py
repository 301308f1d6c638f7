"""The classes of errors: one for each code that an endpoint may answer with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clients.python.generator.schemas import camel, docstring

_HEAD = '''"""Errors that the service answers with, by code. Written by `just client` from docs/openapi.json."""

from __future__ import annotations

from typing import Final

from foreknow_client.failures import ApiError

'''


def errors_module(document: Mapping[str, Any]) -> str:
    """Return the module of errors: upper-case codes, as partners get them, have the class of the lower-case one."""
    messages: dict[str, str] = {}
    for item in document["paths"].values():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                if status >= "400":
                    for code, example in answer["content"]["application/json"].get("examples", {}).items():
                        messages.setdefault(code.lower(), example["value"].get("message", ""))
    classes = [
        f"class {camel(code)}(ApiError):\n{docstring(message or f'The code `{code}`.')}\n\n    code = {code!r}\n"
        for code, message in sorted(messages.items())
    ]
    rows = "".join(f"    {code!r}: {camel(code)},\n" for code in sorted(messages))
    table = f"#: The class of each code.\nBY_CODE: Final[dict[str, type[ApiError]]] = {{\n{rows}}}\n"
    return _HEAD + "\n\n".join(classes) + "\n\n" + table
