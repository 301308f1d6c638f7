"""The kinds of notifications, each declared once: what it is, its parameters, and what they say in each language.

Settings, mails, the interface and the web client have all of it from here. A further kind is a class in one of these
modules and its name in `AnyContent`; a parameter that no kind has had so far is a field of `NotificationParams`, too.

own        of what one does
followed   of what one follows
run        of what one runs
verdicts   of results that can be corrected, and of rules that were made clearer
forecasts  of what one thinks, without a stake
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, Time
from foreknow.people.notifications.kinds import followed, forecasts, own, run, verdicts

#: What a notification of any kind holds, in the order of the settings.
AnyContent: TypeAlias = (
    own.CommentReply
    | own.CommentMentioned
    | own.PositionSettled
    | run.EventPublished
    | followed.EventResolved
    | followed.EventCancelled
    | run.EventClosed
    | run.ResolutionNeeded
    | run.SeriesWaiting
    | own.OperatorAnswer
    | own.OrderFilled
    | own.OrdersEnded
    | own.OutcomeAdded
    | followed.EventClosing
    | followed.EventComment
    | followed.EventMoved
    | own.PriceAlert
    | followed.CreatorPublished
    | followed.TagPublished
    | run.SettingsChanged
    | verdicts.VerdictDecided
    | verdicts.VerdictHeld
    | verdicts.RulesClarified
    | own.ObjectionAnswered
    | forecasts.ForecastScored
    | forecasts.ForecastOld
)
#: By name, as clients know them.
KINDS: Mapping[str, type[AnyContent]] = {one.about.kind: one for one in get_args(AnyContent)}


class NotificationParams(msgspec.Struct, frozen=True, kw_only=True):
    """What the text says, for clients that write it in another language; what does not apply is "" or null."""

    event_name: Annotated[str, Meta(description="Name of the event.", examples=["Who wins the derby?"])] = ""
    event_name_ru: Annotated[str, Meta(description="Russian name of the event.", examples=["Кто выиграет дерби?"])] = ""
    pool_name: Annotated[str, Meta(description="Name of its pool.", examples=["Winner"])] = ""
    pool_name_ru: Annotated[str, Meta(description="Russian name of that pool.", examples=["Победитель"])] = ""
    market_name: Annotated[str, Meta(description="Name of an order's market.", examples=["Reds"])] = ""
    market_name_ru: Annotated[
        str | msgspec.UnsetType,
        Meta(description="Its Russian name, or none: of `outcome_added`.", examples=["Красные"]),
    ] = msgspec.UNSET
    token_type: Annotated[
        Literal["YES", "NO"] | None, Meta(description="Side of the position or order.", examples=["YES"])
    ] = None
    shares: Annotated[int | None, Meta(description="How many shares.", examples=[1628])] = None
    payout_kopecks: Annotated[
        int | None,
        Meta(description="What they were paid, of `verdict_decided` will be, kopecks.", examples=[1628]),
    ] = None
    pnl_kopecks: Annotated[
        int | None, Meta(description="Profit of the whole position (below 0: loss), kopecks.", examples=[628])
    ] = None
    action: Annotated[
        Literal["buy", "sell"] | msgspec.UnsetType,
        Meta(description="Whether the filled order bought.", examples=["buy"]),
    ] = msgspec.UNSET
    amount_kopecks: Annotated[
        int | msgspec.UnsetType, Meta(description="What the filled order paid or brought, kopecks.", examples=[4500])
    ] = msgspec.UNSET
    order_count: Annotated[
        int | msgspec.UnsetType, Meta(description="How many orders ended with their pool.", examples=[2])
    ] = msgspec.UNSET
    note: Annotated[
        str | msgspec.UnsetType, Meta(description="Why the event was cancelled.", examples=["There is one like it."])
    ] = msgspec.UNSET
    result: Annotated[
        str | msgspec.UnsetType,
        Meta(
            description='What won: of one market its name for YES, "" for NO; "" without a winner.', examples=["Reds"]
        ),
    ] = msgspec.UNSET
    payouts: Annotated[
        list[float] | msgspec.UnsetType | None,
        Meta(description="What a YES share of each outcome of its pool is paid; null for a void.", examples=[[1, 0]]),
    ] = msgspec.UNSET
    disputable_until: Annotated[
        Time | msgspec.UnsetType,
        Meta(description="Until when it can be corrected, UTC: of `verdict_decided`.", examples=[LATER_TIME_EXAMPLE]),
    ] = msgspec.UNSET
    held_until: Annotated[
        Time | msgspec.UnsetType,
        Meta(
            description="Until when an objection holds it at the latest, UTC: of `verdict_held`.",
            examples=[LATER_TIME_EXAMPLE],
        ),
    ] = msgspec.UNSET
    finish_at: Annotated[
        Time | msgspec.UnsetType,
        Meta(description="When trading ends, UTC: of `event_closing`.", examples=[LATER_TIME_EXAMPLE]),
    ] = msgspec.UNSET
    count: Annotated[
        int | msgspec.UnsetType, Meta(description="How many comments: of `event_comment`.", examples=[3])
    ] = msgspec.UNSET
    tag: Annotated[str | msgspec.UnsetType, Meta(description="The tag: of `tag_published`.", examples=["football"])] = (
        msgspec.UNSET
    )
    above_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(description="The alert's price of YES, basis points: of `price_alert`.", examples=[6200]),
    ] = msgspec.UNSET
    below_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(description="The same, for a price that has fallen.", examples=[3800]),
    ] = msgspec.UNSET
    before_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(description="The price of YES before, basis points: of `event_moved`.", examples=[5000]),
    ] = msgspec.UNSET
    after_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(
            description="The price of YES that was reached, basis points: of `event_moved` and `price_alert`.",
            examples=[6300],
        ),
    ] = msgspec.UNSET

    state: Annotated[
        Literal["upheld", "rejected"] | msgspec.UnsetType,
        Meta(description="What became of the objection: of `objection_answered`.", examples=["upheld"]),
    ] = msgspec.UNSET
    score: Annotated[
        float | msgspec.UnsetType,
        Meta(description="What one's forecasts of a pool earned: of `forecast_scored`.", examples=[12.5]),
    ] = msgspec.UNSET
    coverage: Annotated[
        float | msgspec.UnsetType,
        Meta(description="The part of its time that counted: of `forecast_scored`.", examples=[0.8]),
    ] = msgspec.UNSET


def stored_content(kind: str, params: Mapping[str, Any] | None) -> AnyContent | None:
    """Return what a row holds; None for what another release wrote and this one cannot read."""
    try:
        # An earlier release wrote 1 for true.
        return msgspec.convert(params or {}, KINDS[kind], strict=False)
    except (KeyError, msgspec.ValidationError):
        return None
