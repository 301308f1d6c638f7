"""Schemas of bodies and answers, from their msgspec types, with each field's meaning, unit and example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foreknow.web.endpoint import Endpoint
from foreknow.web.field_descriptions import NOTES

_REF = "#/components/schemas/"
_ERROR_FIELDS = ("error", "message", "details")


class Components:
    """The schemas of a set of endpoints: `schemas` for the document's components, `media` for one body or answer."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        """Collect the types of all bodies and answers."""
        self._types = list(dict.fromkeys(kind for each in endpoints for kind in (each.body, each.answer) if kind))
        found, self.schemas = msgspec.json.schema_components(self._types, ref_template=_REF + "{name}")
        self._schema_of = dict(zip(self._types, found, strict=True))
        self.schemas |= _errors()
        for struct, schema in self.schemas.items():
            for name, field in schema.get("properties", {}).items():
                _explain(struct, name, field)

    def media(self, kind: Any) -> dict[str, Any]:
        """Return the media type object of a type: its schema and an example."""
        schema = self._schema_of[kind]
        return {"schema": schema, "example": self._example(schema)}

    def _example(self, schema: Mapping[str, Any]) -> Any:
        """Compose an example; optional fields that have none of their own are left out."""
        if "examples" in schema:
            return schema["examples"][0]
        if "$ref" in schema:
            return self._example(self.schemas[schema["$ref"].removeprefix(_REF)])
        if "anyOf" in schema:
            return self._example(schema["anyOf"][0])
        if "enum" in schema:
            return schema["enum"][0]
        if schema.get("type") == "array":
            return [self._example(schema["items"])]
        return {
            name: self._example(field)
            for name, field in schema.get("properties", {}).items()
            if name in schema.get("required", ()) or "examples" in field
        }


def _explain(struct: str, name: str, field: dict[str, Any]) -> None:
    note = NOTES.get(f"{struct}.{name}") or NOTES.get(name)
    if note is None:
        return
    field.setdefault("description", note.text)
    if "enum" not in field and not _holds_structs(field):
        field.setdefault("examples", [note.example])
    if note.text.endswith("UTC.") or ", UTC;" in note.text:
        for part in field.get("anyOf", [field]):
            if part.get("type") == "string":
                part["format"] = "date-time"


def _holds_structs(field: Mapping[str, Any]) -> bool:
    if "$ref" in field or "$ref" in field.get("items", {}):
        return True
    return any(map(_holds_structs, field.get("anyOf", ())))


def _errors() -> dict[str, dict[str, Any]]:
    """Return the error body's schemas; `BareError` is for the 403 and 404 that carry `error` alone."""
    types = {"error": "string", "message": "string", "details": "object"}
    fields = {name: {"type": types[name]} for name in _ERROR_FIELDS}
    return {
        "Error": {
            "title": "Error",
            "description": "A refusal.",
            "type": "object",
            "properties": fields,
            "required": ["error", "message"],
        },
        "BareError": {
            "title": "BareError",
            "description": "A refusal that says its code alone.",
            "type": "object",
            "properties": {"error": {"type": "string"}},
            "required": ["error"],
        },
    }
