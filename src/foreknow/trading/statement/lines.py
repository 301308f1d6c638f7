"""Lines of statements with what they are about: the side and shares of an order or of a settled position.

Both are read from the trade and from the position, where they are written anyway: a line costs its order nothing more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import BasketOfTrade, CreatedAt, HasMore, Id, NextCursor, PartnerSide
from foreknow.kernel.units import INT64_MAX
from foreknow.money import statements
from foreknow.money.pricing import PARTNER_SIDES
from foreknow.money.statements import StatementType
from foreknow.money.statements.store import NAMES, StatementRow, newest, statement_row
from foreknow.money.statements.tables import partner_transactions
from foreknow.platform.db.bulk import CompiledQuery, as_rows, in_array, values_table
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.tables import IS_SETTLED, position_splits, positions


class Subject(NamedTuple):
    """What a line is about: `side` is YES or NO; both None for a transfer by the partner."""

    side: str | None = None
    shares: int | None = None


@dataclass(frozen=True, slots=True)
class PartnerLine:
    """A line of a partner's statement with what it is about."""

    row: StatementRow
    subject: Subject

    @property
    def id(self) -> int:
        """The line's id."""
        return self.row.id


class _Payment(NamedTuple):
    """What positions that are settled together share: their holder, market and moment. They are of YES and of NO."""

    user_id: int
    market_id: int
    at_ms: int


def newest_lines(tx: ReadTx, *, partner_id: int, before_id: int | None, limit: int) -> list[PartnerLine]:
    """Return a partner's newest `limit` lines, with ids under `before_id` if given."""
    before = {"before_id": INT64_MAX if before_id is None else before_id}
    found = _NEWEST.fetch(tx, {"partner_id": partner_id, **before, "limit": limit})
    traded = {row[_TRADE_ID]: Subject(*row[-2:]) for row in found if row[_TRADE_ID] is not None}
    return _with_subjects(tx, [statement_row(row[:-2]) for row in found], traded)


def detailed(tx: ReadTx, rows: Sequence[StatementRow]) -> list[PartnerLine]:
    """Return lines of statements with what each is about."""
    return _with_subjects(tx, rows, _traded(tx, [row.trade_id for row in rows if row.trade_id is not None]))


def _with_subjects(tx: ReadTx, rows: Sequence[StatementRow], traded: Mapping[int, Subject]) -> list[PartnerLine]:
    settled = _settled(tx, [row for row in rows if row.type == "settlement"])
    turned = _turned(tx, [row for row in rows if row.type == "split"])
    return [
        PartnerLine(row, traded.get(row.trade_id or 0) or settled.get(row.id) or turned.get(row.id) or Subject())
        for row in rows
    ]


def _traded(tx: ReadTx, trade_ids: Collection[int]) -> Mapping[int, Subject]:
    if not trade_ids:
        return {}
    return {trade_id: Subject(side, shares) for trade_id, side, shares in _TRADES.fetch(tx, {"ids": trade_ids})}


def _turned(tx: ReadTx, rows: Sequence[StatementRow]) -> Mapping[int, Subject]:
    """Return what positions that a split turned were, by the id of their line: one of a holder in a new market."""
    if not rows:
        return {}
    keys = [(row.user_id, row.market_id) for row in rows]
    found = {(user_id, market_id): shares for user_id, market_id, shares in _SPLITS.fetch(tx, {"keys": as_rows(keys)})}
    return {row.id: Subject("YES", found[row.user_id, row.market_id]) for row in rows}


def _settled(tx: ReadTx, rows: Iterable[StatementRow]) -> Mapping[int, Subject]:
    """Return what settled positions were, by the id of their line."""
    lines: dict[_Payment, list[int]] = defaultdict(list)
    for row in rows:
        assert row.user_id is not None
        assert row.market_id is not None
        lines[_Payment(row.user_id, row.market_id, row.created_at_ms)].append(row.id)
    if not lines:
        return {}
    held: dict[_Payment, list[Subject]] = defaultdict(list)
    for user_id, market_id, at_ms, side, shares in _POSITIONS.fetch(tx, {"payments": as_rows(lines)}):
        held[_Payment(user_id, market_id, at_ms)].append(Subject(side, shares))
    # A page may end between the two lines of a market.
    both = [payment for payment, found in held.items() if len(found) > 1]
    if both:
        lines |= {payment: [] for payment in both}
        for line_id, *payment in statements.settlements_of(tx, both):
            lines[_Payment(*payment)].append(line_id)
    pairs = [pair for payment, found in held.items() for pair in zip(lines[payment], found, strict=False)]
    return dict(pairs)


def _newest(_dialect: str) -> sa.Select[Any]:
    """Select the newest lines with the sides and shares of their trades: one exchange with PostgreSQL, not two."""
    line = partner_transactions.c
    lines = sa.select(*(line[name] for name in NAMES), trades.c.side, trades.c.shares)
    return newest(lines.select_from(partner_transactions.outerjoin(trades, trades.c.id == line.trade_id)))


_TRADE_ID = NAMES.index("trade_id")
_NEWEST = CompiledQuery(_newest)
_TRADES = CompiledQuery(sa.select(trades.c.id, trades.c.side, trades.c.shares).where(in_array(trades.c.id)))


def _positions(dialect: str) -> sa.Select[Any]:
    """Select the positions of some payments, in the order in which they were paid: that of their ids."""
    table = positions.c
    wanted = values_table(dialect, "payments", {"user_id": Int64, "market_id": Int64, "at_ms": Int64})
    return (
        sa.select(wanted.c.user_id, wanted.c.market_id, wanted.c.at_ms, table.side, table.settled_shares)
        .join_from(
            wanted,
            positions,
            sa.and_(
                table.user_id == wanted.c.user_id,
                table.closed_at_ms == wanted.c.at_ms,
                table.market_id == wanted.c.market_id,
                IS_SETTLED,
            ),
        )
        .order_by(table.id)
    )


_POSITIONS = CompiledQuery(_positions)


def _splits(dialect: str) -> sa.Select[Any]:
    table = position_splits.c
    wanted = values_table(dialect, "keys", {"user_id": Int64, "market_id": Int64})
    is_wanted = sa.and_(table.user_id == wanted.c.user_id, table.market_id == wanted.c.market_id)
    return sa.select(table.user_id, table.market_id, table.shares).join_from(wanted, position_splits, is_wanted)


_SPLITS = CompiledQuery(_splits)


class PartnerTransaction(msgspec.Struct, frozen=True):
    """One movement of a partner's money: how it changed the float and the sub-account, in kopecks."""

    id: Id
    type: Annotated[StatementType, Meta(description="What moved the money.", examples=["bet"])]
    external_user_id: Annotated[
        str | None,
        Meta(description="The partner's own id of its user; null where it does not apply.", examples=["c-17"]),
    ]
    market_id: Annotated[int | None, Meta(description="The market's id; null for none.", examples=[9])]
    side: Annotated[
        PartnerSide | None,
        Meta(description="Which side was ordered, or was held and is settled; null for none.", examples=["yes"]),
    ]
    shares: Annotated[
        int | None,
        Meta(description="Shares bought, sold or settled, in share cents; null for none.", examples=[1538]),
    ]
    bet_id: Annotated[int | None, Meta(description="Which bet it is of; null for none.", examples=[101])]
    sale_id: Annotated[int | None, Meta(description="Which sale it is of; null for none.", examples=[None])]
    order_id: Annotated[int | None, Meta(description="Which limit order it is of; null for none.", examples=[None])]
    basket_id: BasketOfTrade
    float_change_kopecks: Annotated[
        int, Meta(description="What it added to the float (below 0: took), kopecks.", examples=[-1000])
    ]
    balance_change_kopecks: Annotated[
        int, Meta(description="What it added to the sub-account (below 0: took), kopecks.", examples=[0])
    ]
    created_at: CreatedAt


class PartnerTransactionPage(msgspec.Struct, frozen=True):
    """A page of a partner's transactions, newest first."""

    transactions: Annotated[
        list[PartnerTransaction], Meta(description="Movements of the partner's money, newest first.")
    ]
    next_cursor: NextCursor
    has_more: HasMore


def transaction_view(line: PartnerLine) -> PartnerTransaction:
    """Show a line of a partner's statement."""
    row, subject = line.row, line.subject
    return PartnerTransaction(
        id=row.id,
        type=row.type,
        external_user_id=row.external_user_id,
        market_id=row.market_id,
        side=None if subject.side is None else PARTNER_SIDES[subject.side],
        shares=subject.shares,
        bet_id=row.trade_id if row.type == "bet" else None,
        sale_id=row.trade_id if row.type == "sale" else None,
        order_id=row.order_id,
        basket_id=row.basket_id,
        float_change_kopecks=row.float_change_kopecks,
        balance_change_kopecks=row.balance_change_kopecks,
        created_at=iso(row.created_at_ms),
    )
