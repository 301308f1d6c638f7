"""The generated modules: their names and contents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from clients.python.generator.calls import endpoints_module
from clients.python.generator.failures import errors_module
from clients.python.generator.operations import operations
from clients.python.generator.schemas import Schemas, messages_module, models_module

ROOT = Path(__file__).parents[3]
TARGET = ROOT / "clients" / "python" / "src" / "foreknow_client"


def written() -> dict[str, str]:
    """Return the text of each generated module by its name."""
    document = _read("openapi.json")
    schemas = Schemas(document["components"]["schemas"], _read("asyncapi.json")["components"]["schemas"])
    found = operations(document, schemas)
    texts = {
        "endpoints.py": endpoints_module(found),
        "errors.py": errors_module(document),
        "messages.py": messages_module(schemas),
        # Last: by now it is known what the others refer to.
        "models.py": models_module(schemas),
    }
    return {name: _formatted(text) for name, text in texts.items()}


def _read(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((ROOT / "docs" / name).read_text())
    return document


def _formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--config", str(ROOT / "pyproject.toml"), "--stdin-filename", "written.py", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
