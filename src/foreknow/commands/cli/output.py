"""What commands print on standard output: a table for people, or one JSON document for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def show(name: str, rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    """Print rows with the same keys as a table, or as `{name: rows}`."""
    if as_json:
        show_json({name: rows})
    elif not rows:
        print(f"No {name}.")
    else:
        cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for line in cells:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def show_json(document: object) -> None:
    """Print a JSON document on one line."""
    print(json.dumps(document, ensure_ascii=False))


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) or "-"
    # No control character of a name moves the cursor of a terminal.
    return "".join(c if c.isprintable() else "�" for c in str(value)) if value not in (None, "") else "-"
