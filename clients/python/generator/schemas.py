"""The documents' schemas as Python types, and the models: a msgspec struct for each schema that something refers to."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
REF = "#/components/schemas/"
WIDTH = 116


def camel(name: str) -> str:
    """Return `won_side` as `WonSide`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\-.]", name))


def identifier(name: str) -> str:
    """Return a name that Python takes: `from` becomes `from_`, `1h` becomes `h1`."""
    name = re.sub(r"^(\d+)(\w+)$", r"\2\1", name.replace("-", "_").lower())
    return f"{name}_" if keyword.iskeyword(name) else name


def docstring(*paragraphs: str, indent: str = "    ") -> str:
    """Return an indented docstring of these paragraphs."""
    texts = [paragraph.replace("\\", "\\\\").replace('"""', "'''") for paragraph in paragraphs if paragraph]
    width = WIDTH - len(indent)
    # The quotes stand in the first line.
    pieces = [textwrap.fill(text, width - 6, break_long_words=False, break_on_hyphens=False) for text in texts]
    body = "\n\n".join(pieces)
    space = " " if body.endswith('"') else ""
    quotes = f'"""{body}{space}"""' if "\n" not in body else f'"""{body}\n"""'
    return textwrap.indent(quotes, indent)


class Schemas:
    """The document's schemas; it collects the models and closed sets of values that types refer to."""

    def __init__(self, schemas: Mapping[str, Schema], messages: Mapping[str, Schema]) -> None:
        """Know these schemas, by name, and those of `messages` alone, which have a module of their own."""
        self.schemas = schemas
        self.messages = {name: schema for name, schema in messages.items() if name not in schemas}
        self._aliases = _aliases(schemas)
        self.used_aliases: dict[str, Sequence[Any]] = {}
        #: Models that answer requests with an Idempotency-Key.
        self.replayed: set[str] = set()
        self._referred: dict[str, None] = {}

    def resolved(self, schema: Schema) -> Schema:
        """Follow a reference."""
        return self.schemas[schema["$ref"].removeprefix(REF)] if "$ref" in schema else schema

    def type_of(self, schema: Schema, *, prefix: str = "") -> str:
        """Return the annotation of a value; `prefix` stands before names of models, such as `models.`."""
        if "$ref" in schema:
            name: str = schema["$ref"].removeprefix(REF)
            if name == "Empty":
                return "None"
            if name in self.messages:
                return name
            self._referred[name] = None
            return prefix + name
        for key in ("anyOf", "oneOf"):
            if key in schema:
                kinds = dict.fromkeys(self.type_of(part, prefix=prefix) for part in schema[key])
                if {"int", "float"} <= kinds.keys():
                    del kinds["int"]
                return " | ".join(kinds)
        if "enum" in schema:
            return self._closed(schema["enum"], prefix)
        match schema.get("type"):
            case "array":
                return f"list[{self.type_of(schema['items'], prefix=prefix)}]"
            case "object":
                values = schema.get("additionalProperties")
                return f"dict[str, {self.type_of(values, prefix=prefix) if values else 'Any'}]"
            case "string":
                return {"date-time": "datetime", "binary": "bytes"}.get(schema.get("format", ""), "str")
            case kind:
                return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}[str(kind)]

    def argument_type(self, schema: Schema) -> str:
        """Return the annotation of an argument: as wide as what is sent may be."""
        return re.sub(r"\blist\[", "Sequence[", self.type_of(schema, prefix="models."))

    def models(self) -> list[tuple[str, Schema]]:
        """Return the schemas that were referred to, and those that these refer to, in the document's order."""
        while True:
            before = len(self._referred)
            for name in list(self._referred):
                for field in self.schemas[name].get("properties", {}).values():
                    self.type_of(field)
            if len(self._referred) == before:
                return [(name, schema) for name, schema in self.schemas.items() if name in self._referred]

    def _closed(self, values: Sequence[Any], prefix: str) -> str:
        if len(values) == 1 or not all(isinstance(value, str) for value in values):
            return f"Literal[{', '.join(map(repr, values))}]"
        name = self._aliases.get(frozenset(values))
        if name is None:
            return f"Literal[{', '.join(map(repr, values))}]"
        self.used_aliases[name] = sorted(values)
        return prefix + name


def _aliases(schemas: Mapping[str, Schema]) -> dict[frozenset[Any], str]:
    """Name each closed set of texts after its field; after its model, too, where two sets have one field's name."""
    fields: dict[frozenset[Any], dict[str, str]] = defaultdict(dict)
    for owner, schema in schemas.items():
        for field, described in schema.get("properties", {}).items():
            for part in _parts(described):
                values = part.get("enum", ())
                if len(values) > 1 and all(isinstance(value, str) for value in values):
                    fields[frozenset(values)].setdefault(field, owner)
    sets_of: dict[str, set[frozenset[Any]]] = defaultdict(set)
    for values, places in fields.items():
        sets_of[next(iter(places))].add(values)
    return {
        values: camel(field) if len(sets_of[field]) == 1 and camel(field) not in schemas else owner + camel(field)
        for values, places in fields.items()
        for field, owner in [next(iter(places.items()))]
    }


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    for part in schema.get("anyOf", ()):
        yield from _parts(part)
    if "items" in schema:
        yield from _parts(schema["items"])


_HEAD = '''"""What the service answers and takes. Written by `just client` from docs/openapi.json."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from msgspec import Struct, field

from foreknow_client.secretive import Secretive

if TYPE_CHECKING:
{aliases}
else:
    # A later service may know further values: reading them is no error.
{names}

'''


def models_module(schemas: Schemas) -> str:
    """Return the module of models."""
    bodies = [_model(schemas, name, schema) for name, schema in schemas.models()]
    used = sorted(schemas.used_aliases.items())
    aliases = "\n".join(f"    {name} = Literal[{', '.join(map(repr, values))}]" for name, values in used)
    head = _HEAD.format(aliases=aliases, names="\n".join(f"    {name} = str" for name, _ in used))
    return head + "\n\n".join(bodies)


_MESSAGES_HEAD = '''"""What sockets, streams and webhooks say and take.

Written by `just client` from docs/asyncapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from msgspec import Struct

from foreknow_client import models

'''


def messages_module(schemas: Schemas) -> str:
    """Return the module of messages: their structs, then the unions of them."""
    structs = [
        _model(schemas, name, schema, prefix="models.")
        for name, schema in schemas.messages.items()
        if "oneOf" not in schema
    ]
    unions = [
        f"{name}: TypeAlias = {schemas.type_of(schema, prefix='models.')}\n"
        for name, schema in schemas.messages.items()
        if "oneOf" in schema
    ]
    return _MESSAGES_HEAD + "\n\n".join(structs) + "\n\n" + "".join(unions)


_REPLAYED = "Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now."


def _model(schemas: Schemas, name: str, schema: Schema, *, prefix: str = "") -> str:
    tag = next(
        (key for key in ("template", "type") if len(schema["properties"].get(key, {}).get("enum", ())) == 1), None
    )
    is_sent = schema.get("additionalProperties") is False
    secrets = [identifier(key) for key, field in schema["properties"].items() if field.get("format") == "password"]
    options = ", frozen=True, kw_only=True"
    if tag is not None:
        options += f', tag_field="{tag}", tag="{schema["properties"][tag]["enum"][0]}"'
    if is_sent:
        options += ", omit_defaults=True"
    base = "Secretive" if secrets else "Struct"
    lines = [f"class {name}({base}{options}):", docstring(schema.get("description", f"{name}.")), ""]
    if secrets:
        lines += [f"    secret_fields: ClassVar[frozenset[str]] = frozenset({secrets})", ""]
    for key, described in schema["properties"].items():
        if key != tag:
            kind = schemas.type_of(described, prefix=prefix)
            lines += _field(kind, key, described, is_required=key in schema.get("required", ()))
    if name in schemas.replayed:
        lines += [f"    #: {_REPLAYED}", "    is_replayed: bool = False"]
    return "\n".join(lines) + "\n"


def _field(kind: str, key: str, described: Schema, *, is_required: bool) -> list[str]:
    name = identifier(key)
    if not is_required and not re.search(r"\bNone$", kind):
        kind += " | None"
    renamed = [f'name="{key}"'] if name != key else []
    default = [] if is_required else ["default=None"]
    value = f" = field({', '.join(default + renamed)})" if renamed else "" if is_required else " = None"
    text = described.get("description", "")
    comment = textwrap.wrap(text, WIDTH - 7, break_long_words=False, break_on_hyphens=False)
    return [*(f"    #: {line}" for line in comment), f"    {name}: {kind}{value}"]
