"""docs/asyncapi.json describes what the sockets say and take, and the docs show it."""

from __future__ import annotations

import json
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from foreknow.site.live.messages import WatchRequest

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "bin" / "write_asyncapi.py"))
COMMITTED = ROOT / "docs" / "asyncapi.json"
DOCUMENT: dict[str, Any] = json.loads(COMMITTED.read_text())
SCHEMAS: Mapping[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]


def test_the_committed_document_is_current() -> None:
    assert COMMITTED.read_bytes() == SCRIPT["encoded"](SCRIPT["document"]()), "run `just openapi`"


def test_the_docs_show_the_messages_of_every_channel() -> None:
    pages = {page.name: page.read_text() for page in (ROOT / "docs").glob("*.md")}
    text = "".join(pages.values())

    assert [name for name, page in pages.items() if SCRIPT["shown"](page, DOCUMENT) != page] == [], "run `just openapi`"
    assert [name for name in DOCUMENT["channels"] if f"<!-- messages: {name} -->" not in text] == []


@pytest.mark.parametrize(("name", "message"), DOCUMENT["components"]["messages"].items())
def test_examples_are_what_the_schemas_describe(name: str, message: dict[str, Any]) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}

    assert message["payload"] == {"$ref": schema["$ref"]}
    for example in message["examples"]:
        jsonschema_rs.validator_for(schema).validate(example["payload"])


def test_every_field_has_a_meaning_and_an_example() -> None:
    for name, schema in SCHEMAS.items():
        for key, field in schema.get("properties", {}).items():
            assert field.get("description") or "$ref" in field, f"{name}.{key} has no description"
            assert "enum" in field or "examples" in field or "$ref" in str(field), f"{name}.{key} has no example"


def test_what_requests_answer_too_is_described_as_there() -> None:
    answered = json.loads((ROOT / "docs" / "openapi.json").read_text())["components"]["schemas"]
    shared = SCHEMAS.keys() & answered.keys()

    assert "Trade" in shared
    assert {name: SCHEMAS[name] for name in shared} == {name: answered[name] for name in shared}


def test_the_example_of_a_watch_is_taken() -> None:
    (example,) = DOCUMENT["components"]["messages"]["WatchRequest"]["examples"]

    assert msgspec.convert(example["payload"], WatchRequest).watch.events == (7, 9)
