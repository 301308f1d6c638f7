"""Schemas of request and response bodies, from their msgspec types, which hold each field's description and example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

_REF = "#/components/schemas/"
#: What a field means stands after what it may hold.
_LAST_KEYS = ("description", "examples", "format")


class Components:
    """The schemas of a set of types: `schemas` for the document's components, `media` for one body or answer."""

    def __init__(self, types: Iterable[Any]) -> None:
        """Collect the schemas of these types, and of all that they refer to."""
        self._types = list(dict.fromkeys(types))
        found, self.schemas = msgspec.json.schema_components(self._types, ref_template=_REF + "{name}")
        for schema in found:
            if "discriminator" in schema:
                # A field says which of them a body is: it is never two.
                schema["oneOf"] = schema.pop("anyOf")
                self._describe_tags(**schema["discriminator"])
        self._schema_of = dict(zip(self._types, found, strict=True))
        for schema in self.schemas.values():
            _arrange(schema)

    def _describe_tags(self, propertyName: str, mapping: Mapping[str, str]) -> None:  # noqa: N803 - as OpenAPI says
        for name, ref in mapping.items():
            tag = self.schemas[ref.removeprefix(_REF)]["properties"][propertyName]
            tag |= {"description": "Which kind of body it is.", "examples": [name]}

    def media(self, kind: Any) -> dict[str, Any]:
        """Return the media type object of a type: its schema and an example, or one of each kind of body."""
        schema = self._schema_of[kind]
        if "discriminator" in schema:
            kinds = schema["discriminator"]["mapping"]
            return {
                "schema": schema,
                "examples": {name: {"value": self._example({"$ref": ref})} for name, ref in kinds.items()},
            }
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


def _arrange(schema: dict[str, Any]) -> None:
    """Say what each field means once, at its end, for a field that may be null too."""
    for field in schema.get("properties", {}).values():
        for part in field.get("anyOf", ()):
            field |= {key: part.pop(key) for key in ("description", "examples") if key in part}
        for key in _LAST_KEYS:
            if key in field:
                field[key] = field.pop(key)


def error_schemas() -> dict[str, dict[str, Any]]:
    """Return the error body's schemas; `BareError` is for the 403 and 404 that may carry `error` alone."""
    code = {
        "type": "string",
        "description": "The code of the error, for programs.",
        "examples": ["bad_request"],
    }
    message = {
        "type": "string",
        "description": "One sentence that a person can act on.",
        "examples": ["The request is malformed."],
    }
    details = {
        "type": "object",
        "description": "More about it, where that helps.",
        "examples": [{"fields": {"amount_kopecks": "must be over 0"}}],
    }
    return {
        "Error": {
            "title": "Error",
            "description": "An error.",
            "type": "object",
            "properties": {"error": code, "message": message, "details": details},
            "required": ["error", "message"],
        },
        "BareError": {
            "title": "BareError",
            "description": "An error, perhaps with its code alone.",
            "type": "object",
            "properties": {"error": dict(code), "message": dict(message), "details": dict(details)},
            "required": ["error"],
        },
    }
