"""Positions and PnL in responses (interface, section 2, "Closed position with details" and "PnL chart point")."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.schema_types import (
    LATER_TIME_EXAMPLE,
    POSITIONS,
    TIME_EXAMPLE,
    AveragePrice,
    BasketOfTrade,
    CreatedAt,
    DecidedKopecks,
    EventId,
    EventName,
    EventNameRu,
    HasMore,
    HeldKopecks,
    Id,
    MarketId,
    NextCursor,
    OrderOfTrade,
    OutcomeIndex,
    PoolId,
    PoolNameRu,
    PositionPoolName,
    PresentValue,
    Profit,
    ReservedShares,
    Time,
    Timestamp,
    TokenType,
    UserBalance,
    UserId,
)

Amount = Annotated[int, Meta(description="Shares (100 shares = 1 token).", examples=[1628])]
PositionWonSide = Annotated[
    Literal[0, 1] | None,
    Meta(description="0 = YES won, 1 = NO won, null = sold, or the pool had no winner.", examples=[0]),
]
ClosedAt = Annotated[Time, Meta(description="When it was closed, UTC.", examples=[LATER_TIME_EXAMPLE])]
MarketName = Annotated[str, Meta(description="The market's name.", examples=["Reds"])]
RealizedProfit = Annotated[
    int, Meta(description="Profit of all sales and settlements so far (below 0: loss), kopecks.", examples=[-21])
]


class HeldPosition(msgspec.Struct, frozen=True):
    """An open position. `avg_price` (basis points) is what a held share cost, `pnl` what its sales earned so far."""

    id: Id
    user_id: UserId
    market_id: MarketId
    token_type: TokenType
    amount: Amount
    avg_price: AveragePrice
    pnl: Profit
    value_kopecks: PresentValue
    decided_kopecks: DecidedKopecks
    reserved_shares: ReservedShares
    event_id: EventId
    event_name: EventName
    pool_id: PoolId
    pool_name: PositionPoolName
    market_name: MarketName


class CompletedPosition(msgspec.Struct, frozen=True):
    """A closed position. `amount` is all the shares that left it, `avg_price` (basis points) what one of them cost."""

    id: Id
    user_id: UserId
    market_id: MarketId
    token_type: TokenType
    amount: Amount
    avg_price: AveragePrice
    pnl: Profit
    won_side: PositionWonSide
    closed_at: ClosedAt
    event_id: EventId
    event_name: EventName
    pool_id: PoolId
    pool_name: PositionPoolName
    market_name: MarketName


class HeldPositionPage(msgspec.Struct, frozen=True):
    """A page of open positions, newest first."""

    positions: Annotated[list[HeldPosition], POSITIONS]
    next_cursor: NextCursor
    has_more: HasMore


class CompletedPositionPage(msgspec.Struct, frozen=True):
    """A page of closed positions, the one closed last first."""

    positions: Annotated[list[CompletedPosition], POSITIONS]
    next_cursor: NextCursor
    has_more: HasMore


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """An open or closed position.

    An open one: `amount`, `avg_price` (basis points) and `cost_kopecks` are those of the shares held, and it has
    `value_kopecks`, `decided_kopecks` and `reserved_shares`. A closed one: they are those of all shares that left it,
    and it has `won_side`, `closed_at`, `proceeds_kopecks` and `void` instead.
    """

    id: Id
    user_id: UserId
    market_id: MarketId
    token_type: TokenType
    amount: Amount
    avg_price: AveragePrice
    cost_kopecks: Annotated[int, Meta(description="What these shares cost, fees included, kopecks.", examples=[1000])]
    pnl: Profit
    opened_at: Annotated[Time, Meta(description="When it was opened, UTC.", examples=[TIME_EXAMPLE])]
    event_id: EventId
    event_name: EventName
    event_name_ru: EventNameRu
    pool_id: PoolId
    pool_name: PositionPoolName
    pool_name_ru: PoolNameRu
    market_name: MarketName
    outcome_index: OutcomeIndex
    value_kopecks: PresentValue | UnsetType = UNSET
    decided_kopecks: DecidedKopecks | UnsetType = UNSET
    reserved_shares: ReservedShares | UnsetType = UNSET
    won_side: PositionWonSide | UnsetType = UNSET
    closed_at: ClosedAt | UnsetType = UNSET
    proceeds_kopecks: (
        Annotated[int, Meta(description="What sales and the settlement paid, kopecks.", examples=[979])] | UnsetType
    ) = UNSET
    void: (
        Annotated[
            bool, Meta(description="Whether its pool was void: each share paid its probability.", examples=[False])
        ]
        | UnsetType
    ) = UNSET


class PositionPage(msgspec.Struct, frozen=True):
    """A page of positions: open ones newest first, closed ones by their closing, the last one first."""

    positions: Annotated[list[Position], POSITIONS]
    next_cursor: NextCursor
    has_more: HasMore


class Portfolio(msgspec.Struct, frozen=True, kw_only=True):
    """What a trader has and has earned, in sums."""

    balance_kopecks: UserBalance
    held_kopecks: HeldKopecks
    value_kopecks: Annotated[
        int, Meta(description="Present value of your open positions together, kopecks.", examples=[983])
    ]
    cost_kopecks: Annotated[
        int, Meta(description="What the shares of all open positions cost, kopecks.", examples=[1000])
    ]
    realized_kopecks: RealizedProfit
    open: Annotated[int, Meta(description="How many positions are open.", examples=[3])]
    closed: Annotated[int, Meta(description="How many positions were closed.", examples=[12])]


class Transaction(msgspec.Struct, frozen=True, kw_only=True):
    """A movement of a trader's money. `credit`: by an admin, below 0 if taken back, or a grant; it has no event.

    `order`: what a limit order holds while it rests; `order_return`: what was paid out of that. A fill while resting is
    a `bet` or `sale` of 0. `basket`: the net of one, of several markets.
    """

    id: Annotated[int, Meta(description="Its id, unique among all types.", examples=[21])]
    type: Annotated[
        Literal["bet", "sale", "settlement", "credit", "order", "order_return", "basket", "split"],
        Meta(description="Why the balance changed.", examples=["bet"]),
    ]
    change_kopecks: Annotated[
        int, Meta(description="Change of the balance, kopecks; 0 for a settled position that lost.", examples=[-1000])
    ]
    event_id: Annotated[int | None, Meta(description="Its event's id; null for a credit.", examples=[3])]
    event_name: Annotated[str, Meta(description='Its event; "" for a credit.', examples=["Who wins the derby?"])]
    event_name_ru: Annotated[
        str, Meta(description='Its event in Russian; "" for none.', examples=["Кто выиграет дерби?"])
    ]
    market_id: Annotated[int | None, Meta(description="Its market's id; null for a credit and a basket.", examples=[9])]
    market_name: Annotated[str, Meta(description='Its market; "" for a credit and a basket.', examples=["Reds"])]
    token_type: Annotated[
        Literal["YES", "NO"] | None,
        Meta(description="Its side of the market; null for a credit and a basket.", examples=["YES"]),
    ]
    note: Annotated[
        str, Meta(description='What an admin wrote to a credit, or what a grant is for; "" for none.', examples=[""])
    ]
    order_id: OrderOfTrade
    basket_id: BasketOfTrade
    created_at: CreatedAt


class TransactionPage(msgspec.Struct, frozen=True):
    """A page of transactions, newest first. All pages together add up to the balance."""

    transactions: Annotated[list[Transaction], Meta(description="Movements of your money, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class PnlChartPoint(msgspec.Struct, frozen=True):
    """Cumulative realized profit in units of the currency."""

    timestamp: Timestamp
    pnl: Annotated[float, Meta(description="Realized profit so far (below 0: loss), units.", examples=[12.5])]


class PnlChart(msgspec.Struct, frozen=True):
    """A trader's profit after every sale and every settled position, at most 1,000 points."""

    points: Annotated[list[PnlChartPoint], Meta(description="Points in the order of time.")]


class WorthChartPoint(msgspec.Struct, frozen=True):
    """What a trader was worth at a moment; what trading had earned by then is the difference."""

    at: Timestamp
    worth_kopecks: Annotated[
        int, Meta(description="Balance, what limit orders held, and the value of positions, kopecks.", examples=[99983])
    ]
    added_kopecks: Annotated[
        int,
        Meta(description="Credits and grants until then, less what was taken back, kopecks.", examples=[100000]),
    ]


class WorthChart(msgspec.Struct, frozen=True):
    """What a trader was worth at the end of each day, UTC, and is now, at most 1,000 points."""

    points: Annotated[
        list[WorthChartPoint], Meta(description="Points in the order of time; none before the first movement.")
    ]
