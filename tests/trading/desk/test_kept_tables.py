"""The tables that the desk's kept rows come from."""

from __future__ import annotations

import re
from typing import Any

from foreknow.market.pools.store import PricedPoolsFetch
from foreknow.money.ledger import AccountKind, accounts_fetch, accounts_of_fetch
from foreknow.people.users.sessions import session_ends_fetch
from foreknow.platform.db.bulk import Fetch
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.settings.store import version_fetch
from foreknow.trading.desk import ahead
from foreknow.trading.desk.tables import trades
from foreknow.trading.limit_orders.store import best_orders_fetch
from foreknow.trading.positions.store import open_fetch


def test_all_tables_that_kept_rows_come_from_are_watched() -> None:
    keys = [(1, 1, "YES")]
    kept: list[Fetch[Any]] = [
        *PricedPoolsFetch([1]).fetches,
        accounts_fetch([1]),
        accounts_of_fetch(AccountKind.ORDERS, [1]),
        open_fetch(keys),
        session_ends_fetch([1]),
        best_orders_fetch([1], each=1),
        ids_fetch(trades, 1),
        version_fetch(),
    ]

    read = {table for fetch in kept for table in re.findall(r"(?:FROM|JOIN)\s+(\w+)", text_of(fetch))}

    assert read - {"json_each"} == set(ahead.TABLES) - {"trades"}


def text_of(fetch: Fetch[Any]) -> str:
    """Return a query's text on SQLite."""
    return fetch.query._by_dialect["sqlite"]._text.text
