"""How much each table of a filled database takes, with its indexes: rows, bytes a row, bytes a trade.

python -m bench sizes --url sqlite:///big.sqlite3
python -m bench sizes --database postgres --trades 1000000 --markets 10000 --users 20000

Without --url a history is made first, and thrown away.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import sqlalchemy as sa

from bench.fill import fill, history_parser, plan_of, temporary
from foreknow.commands.cli.database import read_snapshot
from foreknow.platform.db.transactions import ReadTx
from foreknow.service.tables import metadata

_BYTES = {
    "sqlite": "SELECT s.tbl_name, SUM(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name"
    " WHERE d.aggregate = TRUE GROUP BY 1",
    "postgresql": "SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables",
}


def main(arguments: list[str]) -> None:
    """Print the tables, the largest first."""
    options = history_parser("bench sizes", __doc__).parse_args(arguments)
    with contextlib.nullcontext(options.url) if options.url else temporary(options.database) as url:
        if not options.url:
            fill(url, plan_of(options))
        sizes = read_snapshot(url, _sizes)
    trades = max(1, sizes["trades"][0])
    print(f"{'':24} {'rows':>12} {'bytes':>15} {'a row':>8} {'a trade':>8}")
    for name, (rows, size) in sorted(sizes.items(), key=lambda item: -item[1][1]):
        print(f"{name:24} {rows:12,} {size:15,} {size / max(1, rows):8.0f} {size / trades:8.1f}")
    whole = sum(size for _, size in sizes.values())
    print(f"{'all':24} {'':12} {whole:15,} {'':8} {whole / trades:8.1f}")


def _sizes(tx: ReadTx) -> Mapping[str, tuple[int, int]]:
    """Return rows and bytes by table."""
    found = tx.execute(sa.text(_BYTES[tx.dialect.name]))
    size = {name: int(count) for name, count in found if name in metadata.tables}
    return {
        name: (int(tx.scalar(sa.select(sa.func.count()).select_from(metadata.tables[name])) or 0), size[name])
        for name in size
    }
