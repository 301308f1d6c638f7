"""The document's operations, as far as clients must know them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clients.python.generator.schemas import REF, Schema, Schemas, identifier

PREFIX = "/api/v1"
METHODS = ("get", "post", "put", "patch", "delete")
#: Ids in one text, separated by commas.
_IDS = re.compile(r"\(,\[1-9\]")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function: its name there and in the request, and its annotation."""

    name: str
    sent_as: str
    kind: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Page:
    """How the pages of a list follow each other."""

    items: str
    item_type: str
    is_by_offset: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One endpoint."""

    name: str
    method: str
    path: str
    paragraphs: tuple[str, ...]
    codes: tuple[str, ...]
    path_arguments: tuple[Argument, ...]
    query: tuple[Argument, ...]
    #: Fields of a JSON body, one argument each.
    body: tuple[Argument, ...]
    #: The annotation of a body that is one argument: of several kinds, or bytes.
    whole_body: str
    answer: str
    page: Page | None
    is_idempotent: bool
    is_event_stream: bool


def operations(document: Mapping[str, Any], schemas: Schemas) -> list[Operation]:
    """Return all operations but the WebSockets', in the document's order."""
    return [
        _operation(path.removeprefix(PREFIX), method, operation, schemas)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS and "101" not in operation["responses"]
    ]


def _operation(path: str, method: str, operation: Mapping[str, Any], schemas: Schemas) -> Operation:
    parameters = operation.get("parameters", ())
    names = {parameter["name"] for parameter in parameters}
    success = next(answer for status, answer in operation["responses"].items() if status < "400")
    content = success.get("content", {})
    body, whole_body = _body(operation, schemas)
    answered = content.get("application/json", {}).get("schema")
    if "Idempotency-Key" in names and answered:
        schemas.replayed.add(answered["$ref"].removeprefix(REF))
    is_stream = "text/event-stream" in content
    # Without a body, an address to go on to is the answer.
    answer = schemas.type_of(answered, prefix="models.") if answered else "StreamEvent" if is_stream else "str"
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        paragraphs=(operation["summary"].rstrip(".") + ".", *operation["description"].split("\n\n")),
        codes=tuple(dict.fromkeys(_codes(operation))),
        path_arguments=tuple(_argument(each, schemas) for each in parameters if each["in"] == "path"),
        query=tuple(_argument(each, schemas) for each in parameters if each["in"] == "query"),
        body=body,
        whole_body=whole_body,
        answer=answer,
        page=_page(names, answered, schemas),
        is_idempotent="Idempotency-Key" in names,
        is_event_stream=is_stream,
    )


def _codes(operation: Mapping[str, Any]) -> Iterator[str]:
    for status, answer in operation["responses"].items():
        if status >= "400":
            yield from (code.lower() for code in answer["content"]["application/json"].get("examples", ()))


def _argument(parameter: Mapping[str, Any], schemas: Schemas) -> Argument:
    schema = parameter["schema"]
    kind = "Sequence[int]" if _IDS.search(schema.get("pattern", "")) else schemas.argument_type(schema)
    if schema.get("enum") == ["true", "false"]:
        kind = "bool"
    name = parameter["name"]
    return Argument(identifier(name), name, kind, parameter["required"], parameter.get("description", ""))


def _body(operation: Mapping[str, Any], schemas: Schemas) -> tuple[tuple[Argument, ...], str]:
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return (), ""
    (media,) = content.values()
    schema = schemas.resolved(media["schema"])
    if "properties" not in schema:
        return (), schemas.argument_type(schema)
    return tuple(_body_field(key, described, schema, schemas) for key, described in schema["properties"].items()), ""


def _body_field(key: str, described: Schema, body: Schema, schemas: Schemas) -> Argument:
    kind = schemas.argument_type(described)
    description = described.get("description", "")
    return Argument(identifier(key), key, kind, key in body.get("required", ()), description)


def _page(names: set[str], answered: Schema | None, schemas: Schemas) -> Page | None:
    if answered is None or not names & {"cursor", "offset"}:
        return None
    fields = schemas.resolved(answered)["properties"]
    ((items, schema),) = [(key, field) for key, field in fields.items() if field.get("type") == "array"]
    return Page(items, schemas.type_of(schema["items"], prefix="models."), is_by_offset="offset" in names)
