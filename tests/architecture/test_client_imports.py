"""No modules of the web client import each other in a circle, as import-linter sees to in the service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "web" / "src"
#: A static import or re-export of a file beside it; types count, too.
_IMPORT = re.compile(r"""^\s*(?:(?:import|export)\b[^;'"]*?\bfrom|import)\s*['"](\.[^'"]*)['"]""", re.MULTILINE)


def imports(texts: Mapping[Path, str]) -> dict[Path, set[Path]]:
    """Return what each module imports but itself, as a recursive component does; without a suffix it is TypeScript."""
    return {
        path: {
            found
            for name in _IMPORT.findall(text)
            for target in [(path.parent / name).resolve()]
            for found in (target, Path(f"{target}.ts"), target / "index.ts")
            if found in texts and found != path
        }
        for path, text in texts.items()
    }


def test_no_modules_of_the_client_import_each_other_in_a_circle() -> None:
    paths = [path for path in CLIENT.rglob("*") if path.suffix in {".ts", ".js", ".svelte"}]
    graph = imports({path: path.read_text() for path in paths})
    assert sum(map(len, graph.values())) > len(graph) > 100
    TopologicalSorter(graph).prepare()


def test_a_circle_is_found() -> None:
    one, other = CLIENT / "one.ts", CLIENT / "lists" / "other.svelte"
    graph = imports(
        {
            one: 'import type { Other } from "./lists/other.svelte";\n',
            other: '<script lang="ts">\n  import {\n    a,\n    b,\n  } from "../one";\n</script>\n',
        }
    )
    assert graph == {one: {other}, other: {one}}
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()
