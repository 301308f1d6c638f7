"""Pools as responses show them (interface, section 2)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import (
    LATER_TIME_EXAMPLE,
    NATURAL,
    PROBABILITY,
    TIME_EXAMPLE,
    Id,
    OutcomeIndex,
    Time,
    Timestamp,
)
from foreknow.market.markets.schemas import Market, YesProbability, market_view
from foreknow.market.pools.resolution_view import PoolResolution, resolution_view
from foreknow.market.pools.shape_view import shown_shape
from foreknow.market.pools.shapes.family import SHAPE_SCHEMA
from foreknow.market.pools.splits import market_names_ru
from foreknow.market.pools.store import PoolRow

PoolName = Annotated[str, Meta(description="The question's name.", examples=["Winner"])]
NameRu = Annotated[
    str, Meta(description='Its name in Russian; "" where none is set.', examples=["Кто выиграет дерби?"])
]
OtherIndex = Annotated[
    int | None, Meta(description="Of a list: the outcome_index of Other; null for none.", examples=[None])
]
Margin = Annotated[float, Meta(description="Fee on each stake, as a fraction: 0.02 is 2 %.", examples=[0.02])]
FINISH_AT = Meta(
    description="Trading ends at this moment (excluded), UTC; null for no end.", examples=[LATER_TIME_EXAMPLE]
)
LIVE_AT = Meta(description="Trading begins at this moment (included), UTC; null for at once.", examples=[TIME_EXAMPLE])
Rules = Annotated[
    str, Meta(description="How the pool is resolved, plain text.", examples=["The score after extra time decides."])
]
Metadata = Annotated[
    dict[str, Any],
    Meta(
        description="The market configuration, given back as sent; other keys are kept too.",
        examples=[{"market_names": ["Reds", "Blues"], "market_probabilities": [0.6, 0.4], "lmsr_b_kopecks": 100_000}],
    ),
]


WonSide = Annotated[
    int,
    Meta(
        ge=-1,
        description="Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO; −1 = settled without a "
        "winner; null before.",
        examples=[None],
    ),
]


_QUANTITIES = "{side} shares outstanding at that moment, one number a market."


class Liquidity(msgspec.Struct, frozen=True):
    """The publication or an addition of liquidity, which changes no price."""

    at: Annotated[Time, Meta(description="When, UTC.", examples=[TIME_EXAMPLE])]
    b: Annotated[int, Meta(description="The liquidity parameter from then on, kopecks.", examples=[100000])]
    subsidy_kopecks: Annotated[
        int, Meta(description="What the house paid into the pool's escrow for it, kopecks.", examples=[91630])
    ]
    probabilities: Annotated[
        tuple[float, ...], Meta(description="YES probabilities at that moment, one a market.", examples=[[0.6, 0.4]])
    ]
    q_yes: Annotated[tuple[int, ...], Meta(description=_QUANTITIES.format(side="YES"), examples=[[0, 0]])]
    q_no: Annotated[tuple[int, ...], Meta(description=_QUANTITIES.format(side="NO"), examples=[[0, 0]])]


class Split(msgspec.Struct, frozen=True):
    """An outcome that was taken out of a list's Other, which changed no other price and no value."""

    at: Annotated[Time, Meta(description="When it was taken out, UTC.", examples=[TIME_EXAMPLE])]
    outcome_index: OutcomeIndex
    share: Annotated[float, Meta(description="What part of Other it was, 0.01 … 0.99.", examples=[0.25])]
    b: Annotated[int, Meta(description="The liquidity parameter then, kopecks.", examples=[100000])]
    subsidy_kopecks: Annotated[
        int, Meta(description="What the house paid into escrow for the split, kopecks.", examples=[0])
    ]
    probability: Annotated[float, PROBABILITY, Meta(description="Its first YES probability.", examples=[0.125])]
    q_yes: Annotated[
        int, Meta(description="YES shares outstanding of Other then, and so of the new outcome.", examples=[0])
    ]
    turned: Annotated[
        bool, Meta(description="Whether all positions of Other are positions of both by now.", examples=[True])
    ]


class Pool(msgspec.Struct, frozen=True):
    """One question. `margin` and `metadata` as sent; `won_side` −1 where it was settled without a winner."""

    id: Id
    name: PoolName
    name_ru: NameRu
    rules: Rules
    won_side: WonSide | None
    margin: Annotated[Margin, Meta(ge=0, le=0.5)]
    finish_at: Annotated[Time, FINISH_AT] | None
    live_at: Annotated[Time, LIVE_AT] | None
    markets: Annotated[list[Market], Meta(description="The pool's markets, in the order of their outcome_index.")]
    metadata: Metadata
    shape: Annotated[
        dict[str, Any] | None,
        Meta(
            description="What its outcomes are together, as sent; the edges of a price rule are filled in once they "
            "are known; null for names alone.",
            examples=[{"kind": "number", "edges": [0, 10, 20], "unit": "°C"}],
            extra_json_schema=SHAPE_SCHEMA,
        ),
    ]
    liquidity: Annotated[
        list[Liquidity], Meta(description="The publication, then each addition; empty before publication.")
    ]
    other: OtherIndex
    splits: Annotated[list[Split], Meta(description="The outcomes taken out of Other, oldest first.", examples=[[]])]
    resolution: Annotated[PoolResolution, Meta(description="How it is resolved, what was decided, and its payment.")]
    clarifications: Annotated[
        int, NATURAL, Meta(description="How many clarifications its rules have, hidden ones too.", examples=[1])
    ]


#: Of a number or a date.
QUANTILES = Meta(
    description="The 10th, 25th, 50th, 75th and 90th percentile of a number or a date (as Unix seconds); in an open "
    "range its edge.",
    examples=[[4.2, 7.5, 11.0, 15.3, 19.8]],
)


class PoolChartPoint(msgspec.Struct, frozen=True):
    """One YES probability a market, in the order of the outcomes; with `as=quantiles` the five quantiles."""

    timestamp: Timestamp
    values: Annotated[
        tuple[float, ...],
        Meta(description="One YES probability a market, 0 … 1; or the quantiles.", examples=[[0.6, 0.4]]),
    ]


class PoolCharts(
    msgspec.Struct,
    frozen=True,
    rename={"hour": "1h", "day": "1d", "week": "1w", "month": "1m", "life": "all"},
):
    """Without `range`, the four charts `1h`, `1d`, `1w` and `1m`; with it, that one alone."""

    hour: Annotated[list[PoolChartPoint], Meta(description="The last hour, one point a minute.")] | UnsetType = UNSET
    day: Annotated[list[PoolChartPoint], Meta(description="The last day, one point each 15 minutes.")] | UnsetType = (
        UNSET
    )
    week: Annotated[list[PoolChartPoint], Meta(description="The last week, one point an hour.")] | UnsetType = UNSET
    month: (
        Annotated[list[PoolChartPoint], Meta(description="The last 30 days, one point each 6 hours.")] | UnsetType
    ) = UNSET
    life: (
        Annotated[
            list[PoolChartPoint],
            Meta(description="From its publication to now, or to its resolution, at most 1,000 points."),
        ]
        | UnsetType
    ) = UNSET


class MarketChartPoint(msgspec.Struct, frozen=True):
    """A market's YES probability at a time."""

    timestamp: Timestamp
    probability: YesProbability


def pool_view(row: PoolRow, *, now_ms: int) -> Pool:
    """Show a pool as it is at `now_ms`, with its markets at their present prices."""
    resolved = row.is_resolved(now_ms)
    return Pool(
        id=row.id,
        name=row.name,
        name_ru=row.name_ru,
        rules=row.rules,
        won_side=row.won_side_at(now_ms),
        margin=row.margin,
        finish_at=iso_or_none(row.finish_at_ms),
        live_at=iso_or_none(row.live_at_ms),
        markets=[
            market_view(
                market,
                name_ru=name_ru,
                yes_probability=probability,
                b=row.b,
                paused=row.paused,
                resolved=resolved,
            )
            for market, name_ru, probability in zip(
                row.markets, market_names_ru(row), row.lmsr().probabilities(), strict=True
            )
        ],
        metadata=row.metadata,
        shape=shown_shape(row),
        liquidity=[
            Liquidity(
                at=iso(step.at_ms),
                b=step.b,
                subsidy_kopecks=step.subsidy_kopecks,
                probabilities=step.probabilities,
                q_yes=step.q_yes,
                q_no=step.q_no,
            )
            for step in row.liquidity_steps()
        ],
        other=row.other_index,
        splits=[
            Split(
                at=iso(step.at_ms),
                outcome_index=step.outcome_index,
                share=step.share_percent / 100,
                b=step.b,
                subsidy_kopecks=step.subsidy_kopecks,
                probability=step.probability,
                q_yes=step.q_yes,
                turned=not row.turning or step is not row.splits[-1],
            )
            for step in row.splits
        ],
        resolution=resolution_view(row, now_ms=now_ms),
        clarifications=row.clarifications,
    )
