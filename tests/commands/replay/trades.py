"""A part of the package's real trades, for tests that need not replay all of them."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from foreknow.commands.replay.history import packaged_trades


def few_trades(folder: Path, *, markets: int = 2, trades: int = 8) -> Path:
    """Write the first trades of each of the first markets to a file of their own."""
    with packaged_trades().open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = list(dict.fromkeys((row["project"], row["finding_id"]) for row in rows))[:markets]
    written = Counter[tuple[str, str]]()
    path = folder / "trades.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            market = row["project"], row["finding_id"]
            if market in kept and written[market] < trades:
                writer.writerow(row)
                written[market] += 1
    return path
