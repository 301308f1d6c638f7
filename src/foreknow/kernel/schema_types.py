"""Fields that several features show, each with its description and an example for the API page; bounds of values.

A type says what a field means; `Annotated[Shares, AMOUNT]` adds what a request may hold there. The fields of one
feature alone are described in its schemas.py.
"""

from typing import Annotated, Literal

from msgspec import Meta

from foreknow.kernel.units import AMOUNT_MAX, INT64_MAX

# Bounds.
NATURAL = Meta(ge=0)
AMOUNT = Meta(ge=1, le=AMOUNT_MAX)
ROW_ID = Meta(ge=1, le=INT64_MAX)
PROBABILITY = Meta(ge=0, le=1)
#: Of a field that signs in or signs: clients' reprs leave it out.
SECRET = Meta(extra_json_schema={"format": "password"})

# Times.
TIME_EXAMPLE = "2026-03-01T18:00:00.000Z"
LATER_TIME_EXAMPLE = "2036-03-08T20:30:00.000Z"
#: A time as answers show it.
Time = Annotated[str, Meta(extra_json_schema={"type": "string", "format": "date-time"})]
CreatedAt = Annotated[Time, Meta(description="When it was created, UTC.", examples=[TIME_EXAMPLE])]
KeyLastUse = Annotated[
    Time | None, Meta(description="When it was last used, UTC; null for never.", examples=[TIME_EXAMPLE])
]
Timestamp = Annotated[Time, Meta(description="The moment, UTC.", examples=[TIME_EXAMPLE])]

# Ids and states.
Id = Annotated[int, Meta(description="Its id.", examples=[7])]
UserId = Annotated[int, Meta(description="The user's id.", examples=[42])]
EventId = Annotated[int, Meta(description="The event's id.", examples=[3])]
PoolId = Annotated[int, Meta(description="The pool's id.", examples=[5])]
MarketId = Annotated[int, Meta(description="The market's id.", examples=[9])]
OutcomeIndex = Annotated[int, Meta(description="Place of the outcome in its pool, from 0.", examples=[0])]
# Names of what a row is about.
EventName = Annotated[str, Meta(description="The event's name.", examples=["Who wins the derby?"])]
EventNameRu = Annotated[
    str, Meta(description='The event\'s Russian name; "" for none.', examples=["Кто выиграет дерби?"])
]
PositionPoolName = Annotated[str, Meta(description="The pool's name.", examples=["Winner"])]
PoolNameRu = Annotated[str, Meta(description='The pool\'s Russian name; "" for none.', examples=["Победитель"])]

STATUS = Meta(description="Its state.")
POSITIONS = Meta(description="Positions.")
SESSIONS = Meta(description="Sessions, newest first.")

# Pages of lists.
NextCursor = Annotated[str | None, Meta(description="`cursor` of the next page; null at the end.", examples=[None])]
HasMore = Annotated[bool, Meta(description="Whether a further page exists.", examples=[False])]

# Money and shares. Their examples, and those of orders, are one story: 1000 kopecks on YES of a market at 0.6 with b
# 100,000 and a margin of 2 %, sold again at once. A test computes it.
Kopecks = Annotated[int, Meta(description="Money, kopecks.", examples=[1000])]
UserBalance = Annotated[int, Meta(description="The user's balance, kopecks.", examples=[99000])]
OrderOfTrade = Annotated[int | None, Meta(description="Its limit order's id; null for none.", examples=[None])]
BasketOfTrade = Annotated[int | None, Meta(description="Its basket's id; null for none.", examples=[None])]
HeldKopecks = Annotated[
    int, Meta(description="What limit orders hold, which the balance does not have, kopecks.", examples=[0])
]
ReservedShares = Annotated[
    int, Meta(description="Shares of it that resting orders offer; nothing else sells these.", examples=[0])
]
DecidedKopecks = Annotated[
    Annotated[int, NATURAL] | None,
    Meta(
        description="What it will be paid by the result that its pool has, final or not, kopecks; null without one.",
        examples=[None],
    ),
]
PresentValue = Annotated[int, Meta(description="Present value, kopecks.", examples=[983])]
Profit = Annotated[int, Meta(description="Realized profit (below 0: loss), kopecks.", examples=[-21])]
AveragePrice = Annotated[
    int, Meta(description="Average price, basis points: 10000 = 1 of the currency a token.", examples=[6143])
]
Shares = Annotated[
    int, Meta(description="Shares (100 shares = 1 token; one share pays one kopeck if it wins).", examples=[1628])
]
KnownOutcomes = Annotated[
    int,
    Meta(
        description="How many outcomes of the pool you know; it is refused (`slippage`) where it has another number. "
        "Who trades a list's Other sends it.",
        examples=[None],
    ),
]
#: What `outcomes` of a request may be.
OUTCOMES = Meta(ge=1, le=100)
ProbabilityBefore = Annotated[
    float, Meta(description="The market's YES probability before the order, 0 … 1.", examples=[0.6])
]
ProbabilityAfter = Annotated[
    float, Meta(description="The market's YES probability after the order, 0 … 1.", examples=[0.6039007634032193])
]
_SIDE = "Which side of the market."
#: The sides as the endpoints of users and those of partners spell them.
TokenType = Annotated[Literal["YES", "NO"], Meta(description=_SIDE, examples=["YES"])]
PartnerSide = Annotated[Literal["yes", "no"], Meta(description=_SIDE, examples=["yes"])]
#: What users' endpoints call fields that partners' endpoints name otherwise. Bodies of both have the partners' names in
#: Python, and those of users are renamed by this.
USER_NAMES = {
    **dict.fromkeys(("bet_id", "sale_id", "order_id", "basket_id"), "id"),
    "side": "token_type",
    "stake_kopecks": "amount_kopecks",
    "avg_price_bps": "avg_price",
}
