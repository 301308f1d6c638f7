"""The modules that follow from docs/openapi.json and docs/asyncapi.json are current, and know all of them."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clients.python.generator.files import TARGET, written
from foreknow_client import AsyncClient, Client, endpoints, errors

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text())


def test_the_generated_modules_are_current() -> None:
    stale = [name for name, text in written().items() if (TARGET / name).read_text() != text]

    assert stale == [], "run just client"


def test_both_clients_have_a_method_for_every_operation_and_one_that_iterates_for_every_list() -> None:
    names = {operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()}
    paged = {
        operation["operationId"]
        for item in DOCUMENT["paths"].values()
        for operation in item.values()
        if {parameter["name"] for parameter in operation.get("parameters", ())} & {"cursor", "offset"}
    }

    for client in (Client, AsyncClient):
        assert [name for name in names if not callable(getattr(client, name, None))] == []
        assert [name for name in paged if not callable(getattr(client, name.replace("list_", "iter_"), None))] == []
        assert "max_price_bps" in inspect.signature(client.place_bet).parameters
        assert "Errors: " in (client.place_bet.__doc__ or "")


def test_a_list_in_pages_answers_with_a_model_that_is_called_a_page_and_nothing_else_does() -> None:
    for name, operation in operations().items():
        parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
        answer = success(operation).get("schema", {}).get("$ref", "")
        assert answer.endswith("Page") == bool(parameters & {"cursor", "offset"}), (name, answer)
        assert not name.endswith("_page"), name


def operations() -> dict[str, dict[str, Any]]:
    """Return each endpoint's operation by its name; WebSockets are none."""
    found = [operation for item in DOCUMENT["paths"].values() for operation in item.values()]
    return {each["operationId"]: each for each in found if "101" not in each["responses"]}


def success(operation: dict[str, Any]) -> dict[str, Any]:
    answers = (answer for status, answer in operation["responses"].items() if status < "400")
    media: dict[str, Any] = next(answers).get("content", {}).get("application/json", {})
    return media


@pytest.mark.parametrize(("name", "operation"), operations().items(), ids=operations())
def test_a_call_writes_the_body_and_reads_the_answer_that_the_document_shows(
    name: str, operation: dict[str, Any]
) -> None:
    make = getattr(endpoints, name)
    taken = inspect.signature(make).parameters
    media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    given = {
        parameter["name"]: parameter["schema"].get("examples", [parameter["schema"].get("enum", ["x"])[0]])[0]
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "path"
    }
    if "body" in taken:
        given["body"] = b"an image" if not media else {"template": "yes_no", "question": "Will it?"}
        body: Any = None if not media else given["body"]
    else:
        body = media.get("example")
        given |= {f"{field}_" if field == "from" else field: value for field, value in (body or {}).items()}
    required = {field for field, parameter in taken.items() if parameter.default is inspect.Parameter.empty}
    given |= dict.fromkeys(required - given.keys(), "x")

    call = make(**given)

    # None stands for a field that is left out, as null does in a body.
    said = {field: value for field, value in (body or {}).items() if value is not None}
    assert msgspec.json.decode(msgspec.json.encode(call.body or {})) == said
    if success(operation):
        read = call.read(json.dumps(success(operation)["example"]).encode(), {})
        assert read is None or msgspec.json.decode(msgspec.json.encode(read)) is not None


def test_every_code_of_the_interface_has_a_class() -> None:
    codes = set(re.findall(r"^- `(\w+)`: ", "\n".join(_descriptions()), flags=re.MULTILINE))

    assert {code.lower() for code in codes} == errors.BY_CODE.keys()
    assert errors.BY_CODE["slippage"] is errors.Slippage
    assert {code: kind.code for code, kind in errors.BY_CODE.items()} == {code: code for code in errors.BY_CODE}


def _descriptions() -> list[str]:
    return [
        answer["description"]
        for item in DOCUMENT["paths"].values()
        for operation in item.values()
        for answer in operation["responses"].values()
    ]


def test_the_client_has_the_version_of_the_interface() -> None:
    project = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())["project"]

    assert project["version"] == DOCUMENT["info"]["version"]
    assert {re.split(r"[<>=]", each)[0] for each in project["dependencies"]} == {"httpx2", "msgspec", "websockets"}
