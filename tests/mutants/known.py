"""What was found out of mutants, kept in `build/mutants.jsonl`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.mutants.entries import ROOT
from tests.mutants.scratch import Outcome

RESULTS = ROOT / "build" / "mutants.jsonl"


class Known:
    """What was found out in this run and in earlier ones of the same source and tests."""

    def __init__(self, path: Path, tree: str) -> None:
        """`tree` is the digest of both."""
        self._path, self._tree = path, tree
        lines = path.read_text().splitlines() if path.exists() else []
        entries: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self._found = {one["what"]: Outcome(**one["outcome"]) for one in entries if one["tree"] == tree}

    def get(self, what: str) -> Outcome | None:
        return self._found.get(what)

    def put(self, what: str, outcome: Outcome) -> None:
        self._found[what] = outcome
        self._path.parent.mkdir(exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps({"tree": self._tree, "what": what, "outcome": asdict(outcome)}) + "\n")
