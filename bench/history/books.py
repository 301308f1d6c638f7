"""What runs on while a history is made: balances, profits, days, and the rows on their way to the database."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from bench.history.sinks import Sink
from foreknow.kernel.clock import DAY_MS
from foreknow.market.charts.history import stride
from foreknow.people.notifications import NewNotification

#: Rows of a table that wait at most before they are written.
WAITING_MAX = 10_000
HOUSE = 1


class Books:
    """Numbers by account and by user, kept in arrays: what grows with the users is some bytes each."""

    def __init__(self, sink: Sink) -> None:
        """Write to `sink`."""
        self._sink = sink
        self.rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        # Ids of accounts and users begin at 1: index 0 is unused.
        self._kinds = ["", "house"]
        self._owners = array("q", [0, 0])
        self.balances = array("q", [0, 0])
        self.account_of = array("q", [0])
        self.partner_of = array("q", [0])
        self._pnl_ordinals = array("q", [-1])
        self._pnl_totals = array("q", [0])
        self._pnl_at_ms = array("q", [0])
        self._last_days = array("q", [-1])
        self.statement_totals: dict[int, int] = defaultdict(int)
        #: Sums by day: sign_ups, traders, new_traders, volume, fees, open interest, settlements.
        self.days: dict[int, list[int]] = defaultdict(lambda: [0] * 7)
        self._ids: dict[str, int] = defaultdict(int)

    def next_id(self, table: str) -> int:
        """Number the next row of a table."""
        self._ids[table] += 1
        return self._ids[table]

    def open_account(self, kind: str, owner_id: int) -> int:
        """Open an account; its row is written at the end, with its balance."""
        self._kinds.append(kind)
        self._owners.append(owner_id)
        self.balances.append(0)
        return len(self._kinds) - 1

    def add_user(self, *, partner_id: int) -> tuple[int, int]:
        """Number a user (`partner_id` 0: a person) and return the user's and the account's id."""
        user_id = len(self.account_of)
        account_id = self.open_account("user", user_id)
        self.account_of.append(account_id)
        self.partner_of.append(partner_id)
        self._pnl_ordinals.append(-1)
        self._pnl_totals.append(0)
        self._pnl_at_ms.append(0)
        self._last_days.append(-1)
        return user_id, account_id

    def move(
        self,
        kind: str,
        source: int,
        target: int,
        amount_kopecks: int,
        at_ms: int,
        *,
        trade_id: int | None = None,
        position_id: int | None = None,
    ) -> None:
        """Move money."""
        self.balances[source] -= amount_kopecks
        self.balances[target] += amount_kopecks
        self.rows["transfers"].append((kind, source, target, amount_kopecks, trade_id, position_id, None, at_ms))

    def earn(self, user_id: int, pnl_kopecks: int, at_ms: int) -> None:
        """Add a point to a trader's PnL chart, which is thinned as it grows."""
        ordinal = self._pnl_ordinals[user_id] + 1
        total = self._pnl_totals[user_id] + pnl_kopecks
        self._pnl_ordinals[user_id] = ordinal
        self._pnl_totals[user_id] = total
        self._pnl_at_ms[user_id] = at_ms
        if ordinal % stride(ordinal) == 0:
            self.rows["pnl_points"].append((user_id, ordinal, at_ms, total))

    def count_trade(self, user_id: int, at_ms: int, *, volume: int, fee: int, shares: int) -> None:
        """Add a trade to its day's figures."""
        day = at_ms // DAY_MS
        metrics = self.days[day]
        last = self._last_days[user_id]
        if last < day:
            metrics[1] += 1
            metrics[2] += last < 0
            self._last_days[user_id] = day
        metrics[3] += volume
        metrics[4] += fee
        metrics[5] += shares

    def state_line(
        self,
        partner_id: int,
        kind: str,
        at_ms: int,
        *,
        user_id: int | None = None,
        market_id: int | None = None,
        trade_id: int | None = None,
        float_change: int = 0,
        balance_change: int = 0,
    ) -> None:
        """Write a line of a partner's statement; the changes are kopecks."""
        external = None if user_id is None else external_id(user_id)
        self.statement_totals[partner_id] += balance_change
        of = (user_id, external, market_id, trade_id, None, None)
        line = (partner_id, kind, *of, float_change, balance_change, at_ms)
        self.rows["partner_transactions"].append(line)

    def notify(self, new: NewNotification, *, read_at_ms: int | None) -> None:
        """Write a notification, read at a time or (None) unread."""
        params = json.dumps(new.content.params(), ensure_ascii=False)
        row = (new.user_id, new.kind, new.event_id, new.created_at_ms, read_at_ms, params)
        self.rows["notifications"].append(row)

    def flush(self, *, all_of_it: bool = False) -> None:
        """Write the rows that wait, table by table."""
        for table, rows in self.rows.items():
            if rows and (all_of_it or len(rows) >= WAITING_MAX):
                self._sink.write(table, rows)
                rows.clear()

    def close(self) -> None:
        """Write what is only known at the end."""
        assert all(kind == "house" or balance >= 0 for kind, balance in zip(self._kinds, self.balances, strict=True))
        whole: Iterable[tuple[int, str, int, int]] = zip(
            range(len(self._kinds)), self._kinds, self._owners, self.balances, strict=True
        )
        self.rows["accounts"].extend(list(whole)[HOUSE:])
        users = range(1, len(self.account_of))
        self.rows["stats_traders"].extend((user, self._last_days[user]) for user in users if self._last_days[user] >= 0)
        self.rows["pnl_totals"].extend(
            (user, self._pnl_ordinals[user], self._pnl_at_ms[user], self._pnl_totals[user])
            for user in users
            if self._pnl_ordinals[user] >= 0
        )
        self.rows["stats_days"].extend((day, 0, *metrics) for day, metrics in self.days.items())
        self.rows["statement_totals"].extend(self.statement_totals.items())
        self.flush(all_of_it=True)
        for user in users:
            step = stride(max(0, self._pnl_ordinals[user]))
            if step > 1:
                self._sink.run(f"DELETE FROM pnl_points WHERE user_id = {user} AND ordinal % {step} <> 0")


def external_id(user_id: int) -> str:
    """Return what a partner calls a user of its own."""
    return f"customer-{user_id}"
