"""Says forecasts that stand in a CSV, such as those of a spreadsheet, of a model, or downloaded before.

    FOREKNOW_TOKEN=fku_… python examples/import_forecasts.py http://127.0.0.1:8000 FILE

The head names the columns; `pool_id` and `probabilities` are needed, `note` may be there, others are ignored:

    pool_id,probabilities,note
    5,0.7,They have not lost at home this year.
    8,0.2 0.3 0.5,

One probability a market, in the order of outcomes, with spaces between them; of a yes/no question that of YES. 70% is
0.7. Nothing is sent while a line is wrong. Run again, it says that what stands still holds.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from pathlib import Path
from typing import NamedTuple

from bots import command_line, run
from foreknow_client import ApiError, Client

#: How far what is said of several markets may be from 1.
SLACK = 1e-6


class Line(NamedTuple):
    """A line of the file."""

    number: int
    pool_id: int
    probabilities: list[float]
    #: None: what there is stays.
    note: str | None


def read(path: Path) -> list[Line]:
    """Return the lines of a file; `ValueError` says of all that are wrong what is."""
    # With or without the mark by which spreadsheets know UTF-8.
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        missing = {"pool_id", "probabilities"} - set(rows.fieldnames or [])
        if missing:
            raise ValueError(f"{path} has no column {' and no '.join(sorted(missing))} in its first line")
        lines: list[Line] = []
        wrong: list[str] = []
        seen: dict[int, int] = {}
        for row in rows:
            try:
                line = _line(rows.line_num, row)
                if line.pool_id in seen:
                    raise ValueError(f"pool {line.pool_id} stands in line {seen[line.pool_id]}, too")
            except ValueError as failure:
                wrong.append(f"line {rows.line_num}: {failure}")
            else:
                seen[line.pool_id] = line.number
                lines.append(line)
    if wrong:
        raise ValueError("\n".join(wrong))
    return lines


def _line(number: int, row: dict[str, str | None]) -> Line:
    pool_id = (row["pool_id"] or "").strip()
    if not (pool_id.isascii() and pool_id.isdigit()):
        raise ValueError(f"{pool_id or 'nothing'} is no number of a pool")
    said = [_probability(text) for text in (row["probabilities"] or "").split()]
    if not said:
        raise ValueError("probabilities are missing")
    if len(said) > 1 and abs(math.fsum(said) - 1) > SLACK:
        raise ValueError(f"the probabilities sum to {math.fsum(said):g}, not to 1")
    # A download has an apostrophe before what a spreadsheet would run as a formula.
    note = (row.get("note") or "").removeprefix("'")
    return Line(number, int(pool_id), said, note or None)


def _probability(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ValueError(f"{text} is no probability: it is a number of 0 … 1, or in percent")
    return value


def play(client: Client, given: argparse.Namespace) -> None:
    """Say each forecast of the file; of what a question does not allow, print why, and say the others all the same."""
    lines, refused = read(given.file), 0
    for line in lines:
        if given.check:
            print(f"line {line.number}: pool {line.pool_id}", flush=True)
            continue
        try:
            said = client.set_forecast(
                line.pool_id, probabilities=line.probabilities, note=line.note, outcomes=len(line.probabilities)
            )
        except ApiError as error:
            if error.status not in {400, 403, 404, 409, 429}:
                raise
            refused += 1
            print(f"line {line.number}: pool {line.pool_id}: {error.message}", flush=True)
        else:
            shown = " ".join(f"{one:.3g}" for one in said.probabilities)
            print(f"line {line.number}: pool {line.pool_id}: {shown}", flush=True)
    print(f"{len(lines) - refused} of {len(lines)}", flush=True)
    if refused:
        sys.exit(1)


if __name__ == "__main__":
    parser = command_line("Say the forecasts of a CSV.", loops=False)
    parser.add_argument("file", type=Path, help="the CSV")
    parser.add_argument("--check", action="store_true", help="look at the file alone, and say nothing")
    run(parser, play)
