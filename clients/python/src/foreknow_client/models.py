"""What the service answers and takes. Written by `just client` from docs/openapi.json."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from msgspec import Struct, field

from foreknow_client.secretive import Secretive

if TYPE_CHECKING:
    Action = Literal["buy", "sell"]
    AttentionEntryKind = Literal[
        "email", "objection", "odds", "overdue", "payment", "resolution", "series", "suggestion", "webhook"
    ]
    By = Literal["admin", "creator"]
    ChatSessionStatus = Literal["answered", "closed", "open", "waiting"]
    Creators = Literal["chosen", "members", "suggest"]
    DecidedBy = Literal["admin", "creator", "rule"]
    Email = Literal["daily", "now", "off"]
    EventOddsSource = Literal["kalshi", "manifold", "polymarket"]
    EventOddsStatus = Literal["absurd", "closed", "off", "ok", "stale", "unmatched", "unsupported"]
    EventStatus = Literal["active", "cancelled", "closed", "new", "resolved"]
    Every = Literal["day", "month", "week"]
    Lang = Literal["en", "ru"]
    May = Literal["cancel", "image", "outcome", "pause", "publish", "resolve"]
    MemberResultReason = Literal["", "bad_request", "domain_not_allowed", "email_not_verified", "unsubscribed"]
    NotificationParamsState = Literal["rejected", "upheld"]
    NotificationType = Literal[
        "comment_mention",
        "comment_reply",
        "creator_published",
        "event_cancelled",
        "event_closed",
        "event_closing",
        "event_comment",
        "event_moved",
        "event_published",
        "event_resolved",
        "forecast_old",
        "forecast_scored",
        "objection_answered",
        "operator_answer",
        "order_filled",
        "orders_ended",
        "outcome_added",
        "position_settled",
        "price_alert",
        "resolution_needed",
        "rules_clarified",
        "series_waiting",
        "settings_changed",
        "tag_published",
        "verdict_decided",
        "verdict_held",
    ]
    ObjectionState = Literal["lapsed", "open", "rejected", "upheld"]
    PartnerTransactionType = Literal[
        "basket", "bet", "deposit", "order", "order_return", "payout", "sale", "settlement", "split", "withdrawal"
    ]
    PlacedOrderReason = Literal[
        "closed", "deactivated", "fill_limit", "ioc", "market_limit", "resolved", "self_trade", "split", "user"
    ]
    PlacedOrderStatus = Literal["cancelled", "expired", "filled", "open"]
    PoolResolutionKind = Literal["external", "manual", "price"]
    PoolResolutionReason = Literal["no_price", "no_result", "no_single_winner", "overdue"]
    PoolResolutionState = Literal["attention", "decided", "open", "paid", "paying", "waiting"]
    Relative = Literal["plus", "times"]
    ReportBodyKind = Literal["comment", "event", "objection", "user"]
    ReportBodyReason = Literal["abuse", "other", "rules", "spam"]
    Result = Literal["invited", "member", "refused", "waiting"]
    Role = Literal["maker", "taker"]
    Scope = Literal["read", "trade"]
    Sender = Literal["operator", "system", "user"]
    SeriesStatus = Literal["ended", "running", "stopped"]
    Side = Literal["no", "yes"]
    SiteSettingSource = Literal["default", "environment", "site"]
    Step = Literal["day", "month", "quarter", "week", "year"]
    TimeInForce = Literal["fok", "gtc", "ioc"]
    TokenType = Literal["NO", "YES"]
    TransactionType = Literal["basket", "bet", "credit", "order", "order_return", "sale", "settlement", "split"]
    UserReaction = Literal["dislike", "like"]
    Waiting = Literal["creator_role", "house_limit", "price"]
else:
    # A later service may know further values: reading them is no error.
    Action = str
    AttentionEntryKind = str
    By = str
    ChatSessionStatus = str
    Creators = str
    DecidedBy = str
    Email = str
    EventOddsSource = str
    EventOddsStatus = str
    EventStatus = str
    Every = str
    Lang = str
    May = str
    MemberResultReason = str
    NotificationParamsState = str
    NotificationType = str
    ObjectionState = str
    PartnerTransactionType = str
    PlacedOrderReason = str
    PlacedOrderStatus = str
    PoolResolutionKind = str
    PoolResolutionReason = str
    PoolResolutionState = str
    Relative = str
    ReportBodyKind = str
    ReportBodyReason = str
    Result = str
    Role = str
    Scope = str
    Sender = str
    SeriesStatus = str
    Side = str
    SiteSettingSource = str
    Step = str
    TimeInForce = str
    TokenType = str
    TransactionType = str
    UserReaction = str
    Waiting = str


class Health(Struct, frozen=True, kw_only=True):
    """The service is up; `uptime_seconds` since it began to accept orders."""

    #: Its state.
    status: Literal["ok"]
    #: The moment, UTC.
    timestamp: datetime
    #: Seconds since the service began to accept orders.
    uptime_seconds: float


class Ready(Struct, frozen=True, kw_only=True):
    """The database answers. `sending` is there while nothing is sent: the database was restored or copied."""

    #: Its state.
    status: Literal["ready"]
    #: Nothing is sent to partners or alert channels; left out if it is.
    sending: Literal["held"] | None = None


class Site(Struct, frozen=True, kw_only=True):
    """This service, as it was set up."""

    #: The site's name.
    name: str
    #: The service's version.
    version: str
    #: Whether people may make accounts by themselves.
    sign_up: bool
    #: Whether they need an invitation for that.
    invitation_only: bool
    #: Domains that the e-mail addresses of new accounts may have; [] for any.
    domains: list[str]
    #: Whether people sign up and in with passwords; else admins alone.
    passwords: bool
    #: Who makes events: `chosen`: accounts to which an admin gives the role; `members`: every account; `suggest`:
    #: every account, for an admin to publish.
    creators: Creators
    #: Sign-in providers, by their names in `/auth/oauth/{provider}`.
    oauth: list[str]
    #: Whether this site sends e-mail.
    email: bool
    #: Largest image that is taken, bytes.
    image_bytes_max: int
    #: What amounts are in.
    currency: SiteCurrency
    #: Languages that are offered, `en` and `ru`; the first where no other is known.
    languages: list[str]
    #: Whether traders object to results here.
    objections: bool
    #: Whether orders are taken; else the site is for forecasts alone.
    trading: bool
    #: Minutes from a result to its payment in new pools that name none, and the least that an event which no admin
    #: makes may name.
    dispute_minutes: int
    #: Path of the site's own logo, an SVG; "" without one.
    logo: str | None = None
    #: Path of the site's own icon, a square PNG; "" without one.
    icon: str | None = None
    #: Colours of the site's own; null without.
    theme: SiteTheme | None = None
    #: Pages of the site's own: `about`, `rules`, `terms`, `privacy`.
    pages: list[str] | None = None
    #: Version of the terms that sign-up needs; null without terms.
    terms: str | None = None


class SiteCurrency(Struct, frozen=True, kw_only=True):
    """What amounts are in; they are hundredths of it, whatever their names say. Without a `code`: play money."""

    #: ISO 4217; null for play money.
    code: str | None
    #: Stands before the number; in Russian, and where it has a letter, after it and a no-break space.
    sign: str
    #: The currency's name.
    name: str
    #: Its Russian name; "" for none.
    name_ru: str
    #: Decimals that are shown; 0: amounts are cut to whole ones.
    decimals: Literal[0, 2]


class SiteTheme(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The accent colour as `#rrggbb`, on a light and on a dark ground."""

    #: On a light ground.
    accent_light: str
    #: On a dark ground.
    accent_dark: str


class SiteText(Struct, frozen=True, kw_only=True):
    """A page of the site's own."""

    #: Which page.
    name: str
    #: The language that it is in.
    lang: Lang
    #: What it says; runs and loads nothing.
    html: str


class SignedIn(Secretive, frozen=True, kw_only=True):
    """A session has begun or goes on; both cookies are set. `expires_in`: seconds the access token lives from
    now.
    """

    secret_fields: ClassVar[frozenset[str]] = frozenset(["access_token"])

    #: The user.
    user: User
    #: The JWT for `Authorization: Bearer …`.
    access_token: str
    #: Seconds that the access token lives from now.
    expires_in: int


class User(Struct, frozen=True, kw_only=True):
    """An account as its owner and admins see it."""

    #: The user's id.
    id: int
    #: The e-mail address, unique without regard to case.
    email: str
    #: The display name.
    name: str
    #: Unique without regard to case: 3–32 letters, digits, `_ . -`; "" where none is set.
    nickname: str
    #: Address of the avatar; of an uploaded one below FOREKNOW_PUBLIC_URL where that is set, else a path of this
    #: host. "" where none is set.
    avatar_url: str
    #: Whether others see neither name nor profit.
    profile_hidden: bool
    #: May create events.
    is_creator: bool
    #: May administer the service.
    is_admin: bool
    #: May see the statistics.
    is_stats_viewer: bool
    #: May answer the support chat.
    is_operator: bool
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: What limit orders hold, which the balance does not have, kopecks.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Whether the address is known to be the account's: by a mailed link, a sign-in provider, or an administrator.
    email_verified: bool
    #: Whether the mailbox of the address, or of the new one, is dead: no more notices are mailed to it.
    email_refused: bool
    #: The address that will take its place once it is verified; "" for none.
    email_pending: str
    #: The language of mails.
    language: Lang
    #: IANA name of your time zone: daily mails come at 8 there.
    time_zone: str
    #: Until when an operator or admin has muted the account, UTC, also where that is past; null: not at all. Until
    #: then it writes no comments, reactions or reports, makes no events, and keeps its name, nickname and avatar.
    muted_until: datetime | None
    #: Whether your comments show what you held when you wrote them. Holders and trades stay public.
    show_holds: bool
    #: Whether your comments show what you thought when you wrote them. Your forecasts stay public.
    show_forecast: bool


class SessionPage(Struct, frozen=True, kw_only=True):
    """A page of live sessions, newest first."""

    #: Sessions, newest first.
    sessions: list[Session]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Session(Struct, frozen=True, kw_only=True):
    """A live session. `last_used_at` lags behind by up to 20 minutes."""

    #: Its id.
    id: int
    #: When it was created, UTC.
    created_at: datetime
    #: When it was last seen, UTC; up to 20 minutes behind.
    last_used_at: datetime
    #: What the browser called itself when it signed in; "" where that is not known.
    user_agent: str
    #: Whether it is the session that asks.
    current: bool


class NewOwnKey(Secretive, frozen=True, kw_only=True):
    """A new API key, which is shown this once."""

    secret_fields: ClassVar[frozenset[str]] = frozenset(["key"])

    #: Its id.
    id: int
    #: What the key is for.
    name: str
    #: What it may do: read what you may read, or place bets and sell, too.
    scope: Scope
    #: The key, shown this once: `Authorization: Bearer …`.
    key: str
    #: When it was created, UTC.
    created_at: datetime


class OwnKeys(Struct, frozen=True, kw_only=True):
    """A user's live API keys, oldest first, at most 20."""

    #: Your live keys.
    keys: list[OwnKey]


class OwnKey(Struct, frozen=True, kw_only=True):
    """A live API key, without the key itself. `last_used_at` lags behind by up to two minutes."""

    #: Its id.
    id: int
    #: What the key is for.
    name: str
    #: What it may do: read what you may read, or place bets and sell, too.
    scope: Scope
    #: When it was created, UTC.
    created_at: datetime
    #: When it was last used, UTC; null for never.
    last_used_at: datetime | None


class OwnData(Struct, frozen=True, kw_only=True):
    """All that is kept of a person, without secrets. Names are those of the database; times are UTC."""

    #: When the export began, UTC.
    exported_at: datetime
    #: Rows by table. Amounts of money end in `_kopecks`, times in `_at`.
    tables: dict[str, list[dict[str, Any]]]


class PoolBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question of a new event. Without names and probabilities it has one market, named like the pool, at
    0.5.
    """

    #: The question's name.
    name: str | None = None
    #: Its name in Russian; "" where none is set.
    name_ru: str | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: The market configuration, given back as sent; other keys are kept too.
    metadata: dict[str, Any] | None = None


class Event(Struct, frozen=True, kw_only=True):
    """An event with its pools, in the order in which they were created."""

    #: Its id.
    id: int
    #: Its name.
    name: str
    #: Its name in Russian; "" where none is set.
    name_ru: str
    #: Tags, for `?tag=`.
    tags: list[str]
    #: Address of the cover image; "" where none is set.
    image_url: str
    #: Its state.
    status: EventStatus
    #: True exactly while the status is `active`.
    is_active: bool
    #: When it was created, UTC.
    created_at: datetime
    #: Names of the sides.
    versus_names: list[str]
    #: Picture of each side, an absolute address.
    versus_images: list[str]
    #: Whether a draw is possible.
    has_draw: bool
    #: Index of the main pool, from 0.
    main_pool_index: int
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int
    #: Address of an event elsewhere that this one follows.
    external_event_url: str
    #: Its place in its series; null for an event that does not recur, and before publication.
    series: InstanceOfSeries | None
    #: The event's pools.
    pools: list[Pool]


class InstanceOfSeries(Struct, frozen=True, kw_only=True):
    """The event's place in its series. Neighbours are the instances before and after it; some indices never
    exist.
    """

    #: The series's id.
    id: int
    #: The event's index in it, from 0.
    index: int
    #: The event of the instance before; null for none.
    previous_event_id: int | None
    #: The event of the instance after; null for none.
    next_event_id: int | None


class Pool(Struct, frozen=True, kw_only=True):
    """One question. `margin` and `metadata` as sent; `won_side` −1 where it was settled without a winner."""

    #: Its id.
    id: int
    #: The question's name.
    name: str
    #: Its name in Russian; "" where none is set.
    name_ru: str
    #: How the pool is resolved, plain text.
    rules: str
    #: Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO; −1 = settled without a winner; null
    #: before.
    won_side: int | None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None
    #: The pool's markets, in the order of their outcome_index.
    markets: list[Market]
    #: The market configuration, given back as sent; other keys are kept too.
    metadata: dict[str, Any]
    #: What the outcomes are together; left out: names alone.
    shape: dict[str, Any] | None
    #: The publication, then each addition; empty before publication.
    liquidity: list[Liquidity]
    #: Of a list: the outcome_index of Other; null for none.
    other: int | None
    #: The outcomes taken out of Other, oldest first.
    splits: list[Split]
    #: How it is resolved, what was decided, and its payment.
    resolution: PoolResolution
    #: How many clarifications its rules have, hidden ones too.
    clarifications: int


class Market(Struct, frozen=True, kw_only=True):
    """One outcome of a pool; `volume` and `b` in kopecks, `q_yes` and `q_no` in shares."""

    #: Its id.
    id: int
    #: The pool's id.
    pool_id: int
    #: The outcome's name.
    name: str
    #: Its name in Russian; "" where none was sent.
    name_ru: str
    #: Probability of YES, 0 … 1.
    yes_probability: float
    #: `lmsr`.
    market_type: Literal["lmsr"]
    #: Kopecks of stakes and of sales' payouts.
    volume: int
    #: The LMSR's liquidity parameter, kopecks.
    b: int
    #: YES shares outstanding (100 shares = 1 token).
    q_yes: int
    #: NO shares outstanding (100 shares = 1 token).
    q_no: int
    #: Whether trading is paused.
    paused: bool
    #: Whether the pool is settled.
    resolved: bool
    #: Place of the outcome in its pool, from 0.
    outcome_index: int


class Liquidity(Struct, frozen=True, kw_only=True):
    """The publication or an addition of liquidity, which changes no price."""

    #: When, UTC.
    at: datetime
    #: The liquidity parameter from then on, kopecks.
    b: int
    #: What the house paid into the pool's escrow for it, kopecks.
    subsidy_kopecks: int
    #: YES probabilities at that moment, one a market.
    probabilities: list[float]
    #: YES shares outstanding at that moment, one number a market.
    q_yes: list[int]
    #: NO shares outstanding at that moment, one number a market.
    q_no: list[int]


class Split(Struct, frozen=True, kw_only=True):
    """An outcome that was taken out of a list's Other, which changed no other price and no value."""

    #: When it was taken out, UTC.
    at: datetime
    #: Place of the outcome in its pool, from 0.
    outcome_index: int
    #: What part of Other it was, 0.01 … 0.99.
    share: float
    #: The liquidity parameter then, kopecks.
    b: int
    #: What the house paid into escrow for the split, kopecks.
    subsidy_kopecks: int
    #: Its first YES probability.
    probability: float
    #: YES shares outstanding of Other then, and so of the new outcome.
    q_yes: int
    #: Whether all positions of Other are positions of both by now.
    turned: bool


class PoolResolution(Struct, frozen=True, kw_only=True):
    """How a pool is resolved and, from the decision on, what was decided. Fields that do not apply are null."""

    #: What gives the result.
    kind: PoolResolutionKind
    #: `open`; `waiting` from `finish_at` on; `attention`: a person must decide; `decided`: disputable; `paying`:
    #: final, and positions are being paid; `paid`.
    state: PoolResolutionState
    #: The asset whose price decides.
    symbol: str | None
    #: The only source whose prices count.
    source: str | None
    #: The interval of prices of each outcome, its numbers filled in: `above` (>) or `from` (≥), `below` (<) or `to`
    #: (≤).
    outcomes: list[dict[str, float]] | None
    #: The price at publication.
    strike: dict[str, Any] | None
    #: What the result was read from: an observation, or the result of an event elsewhere.
    evidence: dict[str, Any] | None
    #: When the result was given, UTC.
    decided_at: datetime | None
    #: What or who gave the result.
    decided_by: DecidedBy | None
    #: As the pool's, from the decision on, final or not.
    won_side: int | None
    #: What a YES share of each outcome pays, [yes, no] in a single-market pool; null before the decision, and of a
    #: void, which pays probabilities.
    payouts: list[float] | None
    #: The number, or the time in UTC, that the result was named by.
    value: str | None
    #: The answers that the result was named by, one for each question.
    values: list[str] | None
    #: The moment whose probabilities a void pays, UTC.
    void_at: datetime | None
    #: Why, in plain text; "" where it is not said.
    note: str
    #: The same in Russian; "" where it is not said.
    note_ru: str
    #: Where the result stands; "" where it is not said.
    source_url: str
    #: Minutes from a decision to its payment, in which it can be corrected.
    dispute_minutes: int
    #: End of the dispute window (excluded), UTC.
    disputable_until: datetime | None
    #: Until when objections hold the result at most, unless it is confirmed or replaced, UTC; then it is final.
    held_until: datetime | None
    #: How many objections to the result are open.
    objections: int
    #: Why the rule gave no result; `overdue`: a person gives it, and has not within 72 hours after `finish_at`.
    reason: PoolResolutionReason | None
    #: All results that it was given, oldest first, the present one last.
    history: list[PoolVerdict]


class PoolVerdict(Struct, frozen=True, kw_only=True):
    """A result that a pool was given."""

    #: Which one of the pool's, from 1.
    number: int
    #: As the pool's.
    won_side: int
    #: What a YES share of each outcome pays; null for a void.
    payouts: list[float] | None
    #: The moment whose probabilities it pays, a void, UTC.
    void_at: datetime | None
    #: When this result was given, UTC.
    decided_at: datetime
    #: What or who gave it; null where it was not noted.
    decided_by: DecidedBy | None
    #: Whether who gave it ever traded in the pool; null for a rule.
    decider_trades: bool | None
    #: Why, in plain text; "" where it is not said.
    note: str
    #: The same in Russian; "" where it is not said.
    note_ru: str
    #: Where the result stands; "" where it is not said.
    source_url: str


class YesNoTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="yes_no", omit_defaults=True):
    """A question that is answered with yes or no."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: What is asked: the event's name.
    question: str
    #: The probability of YES at first; 0.5 if left out.
    probability: float | None = None


class MatchTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="match", omit_defaults=True):
    """Two sides, of which one wins."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: The first side.
    home: str
    #: The other side.
    away: str
    #: Whether a draw is possible.
    draw: bool | None = None


class PriceTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="price", omit_defaults=True):
    """The price of an asset at `finish_at`, which resolves the event by itself."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: The asset's symbol.
    symbol: str
    #: Prices between the outcomes, ascending.
    thresholds: list[float]
    #: What the thresholds are of the price at publication: factors, or summands to it.
    relative: Relative | None = None


class CandidatesTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="candidates", omit_defaults=True):
    """A question with several possible answers."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: What is asked: the event's name.
    question: str
    #: The answers.
    names: list[str]
    #: Whether there is one more, Other, of which answers are taken while it trades.
    other: bool | None = None


class NumberTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="number", omit_defaults=True):
    """A number; each outcome is a range of it."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: What is asked: the event's name.
    question: str
    #: Numbers between the outcomes, ascending.
    edges: list[float]
    #: The number's unit.
    unit: str | None = None
    #: Whether ranges are compared by their logarithm.
    log: bool | None = None
    #: One for each outcome, summing to 1; equal if left out.
    probabilities: list[float] | None = None


class DateTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="date", omit_defaults=True):
    """A date; the outcomes are the steps between two days, and what lies before and after them."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: What is asked: the event's name.
    question: str
    #: A day that begins a step.
    first: str
    #: A day that begins a step.
    last: str
    #: How long each outcome is.
    step: Step
    #: The IANA time zone of the days; UTC if left out.
    zone: str | None = None
    #: One for each outcome, summing to 1; equal if left out.
    probabilities: list[float] | None = None


class JointTemplate(Struct, frozen=True, kw_only=True, tag_field="template", tag="joint", omit_defaults=True):
    """Several questions at once; each outcome is one answer to each of them."""

    #: Tags, for `?tag=`.
    tags: list[str] | None = None
    #: Minutes between repetitions; 0 for an event that happens once.
    loop_interval_minutes: int | None = None
    #: Address of an event elsewhere that this one follows.
    external_event_url: str | None = None
    #: The LMSR liquidity parameter b, kopecks.
    lmsr_b_kopecks: int | None = None
    #: Fee on each stake, as a fraction: 0.02 is 2 %.
    margin: float | None = None
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None = None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None = None
    #: How the pool is resolved, plain text.
    rules: str | None = None
    #: What is asked: the event's name.
    question: str
    #: The questions; of all combinations of their answers there are at most 100.
    questions: list[dict[str, Any]]
    #: One for each outcome, summing to 1; equal if left out.
    probabilities: list[float] | None = None


class EventPage(Struct, frozen=True, kw_only=True):
    """A page of events."""

    #: Events.
    events: list[Event]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class CardPage(Struct, frozen=True, kw_only=True):
    """A page of cards."""

    #: Cards.
    cards: list[Card]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Card(Struct, frozen=True, kw_only=True):
    """An event at a glance."""

    #: The event's id.
    event_id: int
    #: The event's name.
    name: str
    #: Its name in Russian; "" where none is set.
    name_ru: str
    #: Tags, for `?tag=`.
    tags: list[str]
    #: Address of the cover image; "" where none is set.
    image_url: str
    #: Its state.
    status: EventStatus
    #: When it was published, UTC; null before.
    published_at: datetime | None
    #: The latest finish_at of its pools, UTC; null for none.
    finish_at: datetime | None
    #: When the last of its results became final, UTC; null unless it is resolved.
    resolved_at: datetime | None
    #: Stakes and payouts of sales in all its pools, kopecks.
    volume_kopecks: int
    #: The volume of the last 24 h, to a minute, kopecks.
    volume_24h_kopecks: int
    #: How many have ever traded in it; up to 2 s old.
    traders: int
    #: Comments and replies that are not deleted.
    comments: int
    #: How many pools it has.
    pools: int
    #: The main pool.
    pool: CardPool


class CardPool(Struct, frozen=True, kw_only=True):
    """The main pool of an event."""

    #: The pool's id.
    pool_id: int
    #: The question's name.
    name: str
    #: Its name in Russian; "" where none is set.
    name_ru: str
    #: Trading begins at this moment (included), UTC; null for at once.
    live_at: datetime | None
    #: Trading ends at this moment (excluded), UTC; null for no end.
    finish_at: datetime | None
    #: Whether trading is paused.
    paused: bool
    #: Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO; −1 = settled without a winner; null
    #: before.
    won_side: int | None
    #: How many markets it has.
    outcomes: int
    #: Of a list: the outcome_index of Other; null for none.
    other: int | None
    #: The most probable outcomes, the most probable first.
    top: list[CardOutcome]
    #: Probabilities of the first of `top` in the last week, 6 h apart, the present one last; none before
    #: publication.
    spark: list[float]
    #: The 10th, 25th, 50th, 75th and 90th percentile of a number or a date (as Unix seconds); in an open range its
    #: edge.
    quantiles: list[float] | None


class CardOutcome(Struct, frozen=True, kw_only=True):
    """An outcome of a card's pool; `probability_24h` of a pool younger than that is its prior."""

    #: The market's id.
    market_id: int
    #: Its place among the outcomes, from 0.
    outcome_index: int
    #: The market's name.
    name: str
    #: The present probability of YES.
    probability: float
    #: The probability of YES 24 h ago, to a quarter of an hour.
    probability_24h: float


class Tags(Struct, frozen=True, kw_only=True):
    """The tags with the most active events, these first."""

    #: At most 100.
    tags: list[Tag]


class Tag(Struct, frozen=True, kw_only=True):
    """A tag and its active events."""

    #: The tag, for `?tag=`.
    tag: str
    #: How many active events have it; up to 2 s old.
    active: int


class Following(Struct, frozen=True, kw_only=True):
    """What you follow: at most 1,000 of each."""

    #: Ids of events, the newest first.
    events: list[int]
    #: Users.
    users: list[PublicUser]
    #: Tags.
    tags: list[str]


class PublicUser(Struct, frozen=True, kw_only=True):
    """An account as others see it."""

    #: The user's id.
    id: int
    #: The display name; "Hidden trader" where the profile is hidden.
    name: str
    #: Unique without regard to case: 3–32 letters, digits, `_ . -`; "" where none is set.
    nickname: str
    #: Whether others see neither name nor profit.
    profile_hidden: bool
    #: Address of the avatar; of an uploaded one below FOREKNOW_PUBLIC_URL where that is set, else a path of this
    #: host. "" where none is set.
    avatar_url: str


class MarketAlert(Struct, frozen=True, kw_only=True):
    """A price alert: each of its prices is notified of once, and then gone."""

    #: The market's id.
    market_id: int
    #: Be notified at this price of YES or a higher one, basis points; null: not.
    above: int | None
    #: Be notified at this price of YES or a lower one, basis points; null: not.
    below: int | None


class MarketAlerts(Struct, frozen=True, kw_only=True):
    """Your price alerts."""

    #: Those of markets that have not ended, by market.
    alerts: list[ListedAlert]


class ListedAlert(Struct, frozen=True, kw_only=True):
    """A price alert, and what it is of."""

    #: The market's id.
    market_id: int
    #: Be notified at this price of YES or a higher one, basis points; null: not.
    above: int | None
    #: Be notified at this price of YES or a lower one, basis points; null: not.
    below: int | None
    #: The event's id.
    event_id: int
    #: The event's name.
    event_name: str
    #: Its name in Russian; "" where none is set.
    event_name_ru: str
    #: The pool's id.
    pool_id: int
    #: The market's name.
    market_name: str


class TrackRecord(Struct, frozen=True, kw_only=True):
    """How right the probabilities of resolved pools were; null over nothing."""

    #: How many pools.
    pools: int
    #: How many markets they have.
    markets: int
    #: Brier score: the mean of (p − w)², w 1 where YES came true, else 0.
    brier: float | None
    #: The same of the first probabilities.
    base_brier: float | None
    #: The same of the market's probabilities at that moment.
    market_brier: float | None
    #: All ten tenths, the lowest first.
    bins: list[RecordBin]


class RecordBin(Struct, frozen=True, kw_only=True):
    """Markets whose probability was in one tenth; a probability of just `to` is in the next, 1 in the last."""

    #: Least probability.
    from_: float = field(name="from")
    #: Where the next tenth begins.
    to: float
    #: How many markets.
    markets: int
    #: Their mean probability of YES.
    mean_probability: float | None
    #: In how many YES came true.
    won: int


class EventDetails(Struct, frozen=True, kw_only=True):
    """An event with all that its page shows at first."""

    #: The event.
    event: Event
    #: Who made it.
    creator: PublicUser
    #: Whether who made it has ever traded in it, whatever became of that.
    creator_trades: bool
    #: When it was published, UTC; null before.
    published_at: datetime | None
    #: The latest finish_at of its pools, UTC; null for none.
    finish_at: datetime | None
    #: When the last of its results became final, UTC; null unless it is resolved.
    resolved_at: datetime | None
    #: Index of the main pool in `pools`.
    main_pool_index: int
    #: Stakes and payouts of sales in all its pools, kopecks.
    volume_kopecks: int
    #: How many have ever traded in it; up to 2 s old.
    traders: int
    #: Comments and replies that are not deleted.
    comments: int
    #: What you may do with it now: `pause` (or resume) one of its pools, `resolve` one, add an `outcome` to a list,
    #: or change its image; empty for all but its creator and admins.
    may: list[May]
    #: Whether you follow it.
    following: bool
    #: Its pools, in their order.
    pools: list[PoolDetails]
    #: Your open positions in it, newest first.
    positions: list[Position]


class PoolDetails(Struct, frozen=True, kw_only=True):
    """What a page shows of a pool beside what its event says of it."""

    #: The pool's id.
    pool_id: int
    #: Whether trading is paused.
    paused: bool
    #: Stakes and payouts of sales, kopecks.
    volume_kopecks: int
    #: How many trades it has had.
    trades: int
    #: How many have ever traded in it; up to 2 s old.
    traders: int
    #: The probability of YES of each market 24 h ago, to a quarter of an hour; of a younger pool its prior.
    probabilities_24h: list[float]
    #: The 10th, 25th, 50th, 75th and 90th percentile of a number or a date (as Unix seconds); in an open range its
    #: edge.
    quantiles: list[float] | None
    #: The most that the house can lose, kopecks.
    loss_bound_kopecks: int
    #: When its result became final, UTC; null before.
    resolved_at: datetime | None
    #: For those who may do something with the event, else null.
    house: HouseMoney | None


class HouseMoney(Struct, frozen=True, kw_only=True):
    """The house's money in a pool, kopecks."""

    #: What is there to pay its outcomes, kopecks.
    escrow_kopecks: int
    #: Fees so far, kopecks.
    fees_kopecks: int
    #: Kopecks: fees, plus what came back from escrow less what the house had paid in, and what its own trader
    #: earned (below 0: loss); null until all positions are paid.
    result_kopecks: int | None
    #: What limit orders hold, which the balance does not have, kopecks.
    held_kopecks: int
    #: Of a list: the most that the house can lose if Other wins, each part of it rounded up; with it follows what a
    #: further outcome costs. Null for none, kopecks.
    other_bound_kopecks: int | None


class Position(Struct, frozen=True, kw_only=True):
    """An open or closed position.      An open one: `amount`, `avg_price` (basis points) and `cost_kopecks` are
    those of the shares held, and it has     `value_kopecks`, `decided_kopecks` and `reserved_shares`. A
    closed one: they are those of all shares that left it,     and it has `won_side`, `closed_at`,
    `proceeds_kopecks` and `void` instead.
    """

    #: Its id.
    id: int
    #: The user's id.
    user_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Shares (100 shares = 1 token).
    amount: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: What these shares cost, fees included, kopecks.
    cost_kopecks: int
    #: Realized profit (below 0: loss), kopecks.
    pnl: int
    #: When it was opened, UTC.
    opened_at: datetime
    #: The event's id.
    event_id: int
    #: The event's name.
    event_name: str
    #: The event's Russian name; "" for none.
    event_name_ru: str
    #: The pool's id.
    pool_id: int
    #: The pool's name.
    pool_name: str
    #: The pool's Russian name; "" for none.
    pool_name_ru: str
    #: The market's name.
    market_name: str
    #: Place of the outcome in its pool, from 0.
    outcome_index: int
    #: Present value, kopecks.
    value_kopecks: int | None = None
    #: What it will be paid by the result that its pool has, final or not, kopecks; null without one.
    decided_kopecks: int | None = None
    #: Shares of it that resting orders offer; nothing else sells these.
    reserved_shares: int | None = None
    #: 0 = YES won, 1 = NO won, null = sold, or the pool had no winner.
    won_side: Literal[0, 1] | None = None
    #: When it was closed, UTC.
    closed_at: datetime | None = None
    #: What sales and the settlement paid, kopecks.
    proceeds_kopecks: int | None = None
    #: Whether its pool was void: each share paid its probability.
    void: bool | None = None


class Holders(Struct, frozen=True, kw_only=True):
    """Who holds shares in a pool; once it is paid, no one."""

    #: Its markets, in the order of their outcome_index.
    markets: list[MarketHolders]


class MarketHolders(Struct, frozen=True, kw_only=True):
    """Who holds shares of each side of a market."""

    #: The market's id.
    market_id: int
    #: The largest, these first; up to 2 s old.
    yes: list[Holding]
    #: The largest, these first; up to 2 s old.
    no: list[Holding]
    #: How many hold shares of YES.
    yes_holders: int
    #: How many hold shares of NO.
    no_holders: int


class Holding(Struct, frozen=True, kw_only=True):
    """Who holds shares, and how many."""

    #: Who holds them.
    user: Trader
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int


class Trader(Struct, frozen=True, kw_only=True):
    """Who traded, as the feed of trades names them."""

    #: The trader's id; null for who has no public profile.
    id: int | None
    #: The trader's name; a partner's for its users.
    name: str
    #: Their picture's address; "" for none.
    avatar_url: str


class Profile(Struct, frozen=True, kw_only=True):
    """What a user shows, and what they did; but for the profit up to 2 s old."""

    #: The user.
    user: PublicUser
    #: When it was created, UTC.
    created_at: datetime
    #: Profit of all sales and settlements so far (below 0: loss), kopecks.
    realized_kopecks: int
    #: Stakes and payouts of all their sales, kopecks.
    volume_kopecks: int
    #: How many trades they made.
    trades: int
    #: How many events they traded in.
    events: int
    #: How many positions of theirs were settled.
    settled: int
    #: How many of these with a `pnl` over 0.
    earned: int
    #: How many have traded in the events that they made.
    traders: int
    #: How many pools of their events have a final result.
    resolved_pools: int
    #: How many of these had more than one result.
    corrected_pools: int
    #: How many that a person resolves have none 72 hours after their `finish_at`.
    overdue_pools: int
    #: Of how many pools they said what they think, that you may see.
    forecasts: int
    #: What their forecasts earned in all, as on the board of all time; null while none is scored.
    forecast_score: float | None
    #: In how many pools.
    forecast_pools: int


class LeaderPage(Struct, frozen=True, kw_only=True):
    """A page of a ranking."""

    #: The highest first; some seconds old.
    entries: list[Leader]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Leader(Struct, frozen=True, kw_only=True):
    """A user in the ranking of a period: by profit with `realized_kopecks, volume_kopecks, trades`, by forecasts
    with     `score, pools, mean`.
    """

    #: The place, from 1.
    rank: int
    #: The user.
    user: PublicUser
    #: Profit of sales and settlements in the period (below 0: loss), kopecks.
    realized_kopecks: int | None = None
    #: Stakes and payouts of sales in the period, kopecks.
    volume_kopecks: int | None = None
    #: How many trades they made in the period.
    trades: int | None = None
    #: What their forecasts earned in pools that became final in the period: the sum over events of their scores,
    #: divided by the number of the event's pools.
    score: float | None = None
    #: In how many pools, 10 at least.
    pools: int | None = None
    #: `score` divided by `pools`; no rank depends on it.
    mean: float | None = None


class ForecasterPage(Struct, frozen=True, kw_only=True):
    """A page of a board of forecasts."""

    #: The highest score first; some seconds old.
    entries: list[Forecaster]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Forecaster(Struct, frozen=True, kw_only=True):
    """A user on a board of forecasts."""

    #: The place, from 1.
    rank: int
    #: The user.
    user: PublicUser
    #: What their forecasts earned in pools that became final in the period: the sum over events of their scores,
    #: divided by the number of the event's pools.
    score: float
    #: In how many pools, 10 at least.
    pools: int
    #: `score` divided by `pools`; no rank depends on it.
    mean: float


class Series(Struct, frozen=True, kw_only=True):
    """An event that recurs. Its instances are events."""

    #: Its id.
    id: int
    #: Its state.
    status: SeriesStatus
    #: Why the next instance is not opened though the newest one is over: its creator is no Creator, the house's
    #: limit for its creator, or no price of the last 120 s; null where nothing prevents it.
    waiting: Waiting | None
    #: Minutes between two instances.
    loop_interval_minutes: int
    #: The event of its first instance.
    first_event_id: int
    #: The event of its newest instance.
    current_event_id: int
    #: Index of the next instance, were it opened when the newest one is over.
    next_index: int
    #: When the next instance can be opened, UTC; null unless running, and while that depends on the result of a
    #: pool without a finish_at.
    next_opens_at: datetime | None
    #: When it was created, UTC.
    created_at: datetime


class PoolCharts(Struct, frozen=True, kw_only=True):
    """Without `range`, the four charts `1h`, `1d`, `1w` and `1m`; with it, that one alone."""

    #: The last hour, one point a minute.
    h1: list[PoolChartPoint] | None = field(default=None, name="1h")
    #: The last day, one point each 15 minutes.
    d1: list[PoolChartPoint] | None = field(default=None, name="1d")
    #: The last week, one point an hour.
    w1: list[PoolChartPoint] | None = field(default=None, name="1w")
    #: The last 30 days, one point each 6 hours.
    m1: list[PoolChartPoint] | None = field(default=None, name="1m")
    #: From its publication to now, or to its resolution, at most 1,000 points.
    all: list[PoolChartPoint] | None = None


class PoolChartPoint(Struct, frozen=True, kw_only=True):
    """One YES probability a market, in the order of the outcomes; with `as=quantiles` the five quantiles."""

    #: The moment, UTC.
    timestamp: datetime
    #: One YES probability a market, 0 … 1; or the quantiles.
    values: list[float]


class MarketChartPoint(Struct, frozen=True, kw_only=True):
    """A market's YES probability at a time."""

    #: The moment, UTC.
    timestamp: datetime
    #: Probability of YES, 0 … 1.
    probability: float


class ResolveBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of `won_side`, `payouts`, `void`, `value` and `values`; `at` beside `void` only, the rest beside any.
    `payouts`: one per outcome, [yes, no] in a single-market pool, summing to exactly 1.
    """

    #: Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO.
    won_side: int | None = None
    #: What a YES share of each outcome pays, 0 … 1, together exactly 1.
    payouts: list[float] | None = None
    #: Pay every share its market's last probability, or with `at` that of a moment.
    void: bool | None = None
    #: Of a number or a date: what came; the outcome that holds it wins, on an edge the one above. A decimal of up
    #: to 18 digits before and after the point, or a time.
    value: str | None = None
    #: Of several questions at once: the name of the outcome of each, in their order.
    values: list[str] | None = None
    #: A moment between publication and now: a void pays each market's probability after the last trade until then;
    #: before any, the first.
    at: datetime | None = None
    #: How many outcomes of the pool you know; it is refused (`slippage`) where it has another number. Who trades a
    #: list's Other sends it.
    outcomes: int | None = None
    #: Why, in plain text; "" where it is not said.
    note: str | None = None
    #: The same in Russian; "" where it is not said.
    note_ru: str | None = None
    #: Where the result stands; "" where it is not said.
    source_url: str | None = None


class Objection(Struct, frozen=True, kw_only=True):
    """What a trader says against a result."""

    #: Its id.
    id: int
    #: The number of the result among the pool's, from 1.
    verdict: int
    #: Who objects; of a partner's user the partner's name.
    user: PublicUser
    #: Why, in plain text; "" where it is hidden, and of who is muted or deleted.
    reason: str
    #: Where that stands; "" for none.
    source_url: str
    #: The result that it proposes, as POST …/resolve takes it; null for none.
    proposal: dict[str, Any] | None
    #: Whether it keeps the result from being final until it is answered.
    holds: bool
    #: Whether its texts are hidden by an operator or admin.
    hidden: bool
    #: When it was created, UTC.
    created_at: datetime
    #: `upheld`: another result came that it proposed, or it proposed none; `rejected`: the result was confirmed, or
    #: another came; `lapsed`: the result is final.
    state: ObjectionState
    #: What an admin said of it; "" for nothing.
    answer_note: str
    #: When it was answered, UTC; null before.
    answered_at: datetime | None


class ObjectionPage(Struct, frozen=True, kw_only=True):
    """A page of objections, newest first."""

    #: Objections to the pool's results, newest first.
    objections: list[Objection]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class ObjectedResultPage(Struct, frozen=True, kw_only=True):
    """A page of results that someone objects to, those first that have waited longest."""

    #: Results, those first that have waited longest.
    results: list[ObjectedResult]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class ObjectedResult(Struct, frozen=True, kw_only=True):
    """A result that someone objects to."""

    #: Its id.
    id: int
    #: The event's id.
    event_id: int
    #: The pool, with its rules and its result.
    pool: Pool
    #: Since when it waits for an answer, UTC.
    since: datetime
    #: The id of the newest objection to it, as POST …/confirm takes it.
    seen: int | None
    #: What it pays, to all together, kopecks; each position may get part of a kopeck less.
    pays_kopecks: int
    #: Admins who may answer, at most 5, where you made the event or ever traded in the pool and so may not; else
    #: null.
    left_to: list[PublicUser] | None
    #: Whether you made the event.
    made: bool
    #: The newest 20 open objections, newest first; the pool says how many.
    objections: list[OpenObjection]


class OpenObjection(Struct, frozen=True, kw_only=True):
    """An open objection, what is at stake for who objects, and how they fared before; a partner with all its
    users.
    """

    #: What they say.
    objection: Objection
    #: What the shares cost that they hold, kopecks.
    cost_kopecks: int
    #: What the result pays them, kopecks.
    decided_kopecks: int
    #: What their proposal would pay them, kopecks; null where they propose none, or the prices of a moment.
    proposed_kopecks: int | None
    #: What their proposal would pay, to all together, kopecks; each position may get part of a kopeck less. Null
    #: likewise.
    pays_kopecks: int | None
    #: How many objections of theirs were upheld.
    upheld: int
    #: How many were rejected.
    rejected: int


class EventOdds(Struct, frozen=True, kw_only=True):
    """What an event follows elsewhere, and how."""

    #: The source that external_event_url names; null where it names none.
    source: EventOddsSource | None
    #: `off`: the source is not asked (no address, not set up, or the event has ended). `ok`. `stale`: nothing new
    #: enough has been read. `closed`: it is traded there no more. `absurd`: prices are missing, do not sum to about
    #: 1, have a spread over 0.1, or have jumped. `unmatched`: its outcomes are not ours. `unsupported`: the address
    #: is no event of a known source, or none that can be followed.
    status: EventOddsStatus
    #: When the request began that brought what is shown, UTC; null before the first.
    checked_at: datetime | None
    #: What each of the event's pools follows.
    pools: list[OddsPool]


class OddsPool(Struct, frozen=True, kw_only=True):
    """What a pool follows."""

    #: The pool's id.
    pool_id: int
    #: Whether it follows the prices that were read last.
    follows: bool
    #: Its markets.
    outcomes: list[OddsOutcome]
    #: Outcomes, or questions, of the source that match none of ours; at most 100.
    unmatched: list[str]
    #: Kopecks that the house account has spent on it: stakes less payouts of sales.
    spent_kopecks: int


class OddsOutcome(Struct, frozen=True, kw_only=True):
    """A market of ours, and the outcome at the source that it matches."""

    #: Its place in the pool, from 0.
    outcome_index: int
    #: Its name here.
    name: str
    #: Its name there; null where none matches.
    external_name: str | None
    #: Its price there, 0 … 1; cut to 0.001 … 0.999 and divided by the sum where those of all outcomes are known and
    #: sum to about 1. Null: there is none.
    price: float | None


class Bet(Struct, frozen=True, kw_only=True):
    """A bet as accepted. Money in kopecks, `avg_price` in basis points (fee included), probabilities of YES."""

    #: Its id.
    id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Money, kopecks.
    amount_kopecks: int
    #: The fee in it, kopecks.
    fee_kopecks: int
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it might get
    #: more.
    capped: bool
    #: When it was created, UTC.
    created_at: datetime
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class Sale(Struct, frozen=True, kw_only=True):
    """A sale as accepted. `pnl`: the payout less the cost that the shares sold had, in kopecks."""

    #: Its id.
    id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: What the sale pays, kopecks.
    payout_kopecks: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: Realized profit (below 0: loss), kopecks.
    pnl: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it might get
    #: more.
    capped: bool
    #: When it was created, UTC.
    created_at: datetime
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class Quote(Struct, frozen=True, kw_only=True):
    """What an order would get now: of a sale, `amount_kopecks` is the payout and the fee is 0."""

    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Money, kopecks.
    amount_kopecks: int
    #: The fee in it, kopecks.
    fee_kopecks: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it might get
    #: more.
    capped: bool


class PlacedOrder(Struct, frozen=True, kw_only=True):
    """A limit order as its arrival, and what followed, left it."""

    #: Its id.
    id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Whether it buys or sells.
    action: Action
    #: Its price of its own side, a whole percent in basis points: it pays no more, and takes no less.
    price_bps: int
    #: Shares ordered, whole lots of 100; one that may rest has 1000 or more.
    shares: int
    #: Shares of it that are filled.
    filled_shares: int
    #: What becomes of what is not filled at once: it rests (`gtc`), or is cancelled (`ioc`); a `fok` is filled
    #: whole or refused.
    time_in_force: TimeInForce
    #: Whether it is refused rather than trade at once.
    post_only: bool
    #: From when on nothing fills it, UTC; null for never.
    expires_at: datetime | None
    #: Its state.
    status: PlacedOrderStatus
    #: Why it was cancelled: by its owner (`user`), as an `ioc`, to keep its owner from trading with themselves
    #: (`self_trade`), after 100 orders (`fill_limit`), at the limit of a market (`market_limit`), at `finish_at`
    #: (`closed`), by a result or cancellation (`resolved`), by a split, or with the account; null otherwise.
    reason: PlacedOrderReason | None
    #: What its fills paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price of its fills, fee included, basis points; null before one.
    avg_price: int | None
    #: What is held for it, kopecks: what its rest may cost, and what is about to be paid out.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Its last fill or its end, UTC.
    updated_at: datetime
    #: The trade of what it took on arrival; null for nothing.
    trade_id: int | None
    #: The market's YES probability before the limit order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order and what followed.
    probability_after: float
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class OrderPage(Struct, frozen=True, kw_only=True):
    """A page of limit orders, newest first."""

    #: Limit orders, newest first.
    orders: list[LimitOrder]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class LimitOrder(Struct, frozen=True, kw_only=True):
    """A limit order as it now stands."""

    #: Its id.
    id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Whether it buys or sells.
    action: Action
    #: Its price of its own side, a whole percent in basis points: it pays no more, and takes no less.
    price_bps: int
    #: Shares ordered, whole lots of 100; one that may rest has 1000 or more.
    shares: int
    #: Shares of it that are filled.
    filled_shares: int
    #: What becomes of what is not filled at once: it rests (`gtc`), or is cancelled (`ioc`); a `fok` is filled
    #: whole or refused.
    time_in_force: TimeInForce
    #: Whether it is refused rather than trade at once.
    post_only: bool
    #: From when on nothing fills it, UTC; null for never.
    expires_at: datetime | None
    #: Its state.
    status: PlacedOrderStatus
    #: Why it was cancelled: by its owner (`user`), as an `ioc`, to keep its owner from trading with themselves
    #: (`self_trade`), after 100 orders (`fill_limit`), at the limit of a market (`market_limit`), at `finish_at`
    #: (`closed`), by a result or cancellation (`resolved`), by a split, or with the account; null otherwise.
    reason: PlacedOrderReason | None
    #: What its fills paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price of its fills, fee included, basis points; null before one.
    avg_price: int | None
    #: What is held for it, kopecks: what its rest may cost, and what is about to be paid out.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Its last fill or its end, UTC.
    updated_at: datetime


class OrderFillPage(Struct, frozen=True, kw_only=True):
    """A page of an order's fills, newest first."""

    #: Fills, newest first.
    fills: list[OrderFill]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class OrderFill(Struct, frozen=True, kw_only=True):
    """A fill of a limit order."""

    #: The fill's trade.
    trade_id: int
    #: On arrival, or while resting.
    role: Role
    #: Shares filled.
    shares: int
    #: What the fill paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price, fee included, basis points.
    avg_price: int
    #: Of a sale: what it brought less what the shares had cost, kopecks; else null.
    pnl: int | None
    #: When it was created, UTC.
    created_at: datetime


class CancelledOrders(Struct, frozen=True, kw_only=True):
    """What a request cancelled."""

    #: Those that were cancelled, newest first.
    orders: list[LimitOrder]
    #: Whether open orders are left among those named: ask again.
    has_more: bool


class BasketChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Shares of one market to buy or to sell."""

    #: The market's id.
    market_id: int
    #: Shares of YES to buy; below 0: to sell, of those held; not 0.
    shares: int


class Basket(Struct, frozen=True, kw_only=True):
    """A basket as accepted."""

    #: Its id.
    id: int
    #: The pool's id.
    pool_id: int
    #: What it does in each market, in the order of outcomes.
    legs: list[BasketLeg]
    #: What its sales brought, kopecks.
    payout_kopecks: int
    #: What its purchases cost without the fee, kopecks.
    cost_kopecks: int
    #: The fee beside that, kopecks.
    fee_kopecks: int
    #: Payout less cost and fee, kopecks; below 0: what was paid.
    net_kopecks: int
    #: Of a stake: its average price, basis points a share; null of changes.
    avg_price: int | None
    #: YES probability of each of the pool's markets before it, 0 … 1.
    probabilities_before: list[float]
    #: The same after it, before resting orders followed.
    probabilities_after: list[float]
    #: When it was created, UTC.
    created_at: datetime
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class BasketLeg(Struct, frozen=True, kw_only=True):
    """What a basket did in one market."""

    #: The market's id.
    market_id: int
    #: Shares bought of it; below 0: sold.
    shares: int
    #: Its part of what was paid, or of cost and fee, kopecks; it may be 0.
    amount_kopecks: int
    #: Realized profit (below 0: loss), kopecks.
    pnl: int | None


class BasketQuote(Struct, frozen=True, kw_only=True):
    """What a basket would get now."""

    #: The pool's id.
    pool_id: int
    #: What it does in each market, in the order of outcomes.
    legs: list[QuotedLeg]
    #: What its sales brought, kopecks.
    payout_kopecks: int
    #: What its purchases cost without the fee, kopecks.
    cost_kopecks: int
    #: The fee beside that, kopecks.
    fee_kopecks: int
    #: Payout less cost and fee, kopecks; below 0: what was paid.
    net_kopecks: int
    #: Of a stake: its average price, basis points a share; null of changes.
    avg_price: int | None
    #: YES probability of each of the pool's markets before it, 0 … 1.
    probabilities_before: list[float]
    #: The same after it, before resting orders followed.
    probabilities_after: list[float]


class QuotedLeg(Struct, frozen=True, kw_only=True):
    """What a basket would do in one market."""

    #: The market's id.
    market_id: int
    #: Shares bought of it; below 0: sold.
    shares: int
    #: Its part of what was paid, or of cost and fee, kopecks; it may be 0.
    amount_kopecks: int


class StoredBasket(Struct, frozen=True, kw_only=True):
    """A basket as it was answered, without balances."""

    #: Its id.
    id: int
    #: The pool's id.
    pool_id: int
    #: What it does in each market, in the order of outcomes.
    legs: list[BasketLeg]
    #: What its sales brought, kopecks.
    payout_kopecks: int
    #: What its purchases cost without the fee, kopecks.
    cost_kopecks: int
    #: The fee beside that, kopecks.
    fee_kopecks: int
    #: Payout less cost and fee, kopecks; below 0: what was paid.
    net_kopecks: int
    #: Of a stake: its average price, basis points a share; null of changes.
    avg_price: int | None
    #: YES probability of each of the pool's markets before it, 0 … 1.
    probabilities_before: list[float]
    #: The same after it, before resting orders followed.
    probabilities_after: list[float]
    #: When it was created, UTC.
    created_at: datetime


class Orderbook(Struct, frozen=True, kw_only=True):
    """The depth of a market: bids from the highest price down, asks from the lowest up."""

    #: The market's id.
    market_id: int
    #: Buyers' side, from the highest price down.
    bids: list[BookLevel]
    #: Sellers' side, from the lowest price up.
    asks: list[BookLevel]


class BookLevel(Struct, frozen=True, kw_only=True):
    """`amount` share cents move YES from the level before to `price` (10000 is certainty)."""

    #: Where it moves YES: 0 … 10000, 5500 is 55.00 %.
    price: int
    #: Share cents that move YES from the level before to this one.
    amount: int


class TradePage(Struct, frozen=True, kw_only=True):
    """A page of trades, newest first."""

    #: Trades, newest first.
    trades: list[Trade]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Trade(Struct, frozen=True, kw_only=True):
    """An executed bet or sale, or a piece of a basket: its market is the leg with the most money."""

    #: Its id.
    id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Who traded.
    user: Trader
    #: A bet, or a sale.
    action: Action
    #: Which side of the market.
    token_type: TokenType
    #: The stake, fee included, or what the sale paid, kopecks.
    amount_kopecks: int
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: Its basket's id; null for none.
    basket_id: int | None
    #: Of a basket's: each market, in the order of outcomes; null for others.
    legs: list[TradeLeg] | None
    #: Of a stake on a condition: the markets one of which is to win, or the stake is given back; null for others.
    given: list[int] | None
    #: When it was created, UTC.
    created_at: datetime


class TradeLeg(Struct, frozen=True, kw_only=True):
    """What a basket's trade bought or sold of one market."""

    #: The market's id.
    market_id: int
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Its part of the amount, kopecks; it may be 0.
    amount_kopecks: int


class OwnTradePage(Struct, frozen=True, kw_only=True):
    """A page of one's own trades, newest first."""

    #: Your trades, newest first.
    trades: list[OwnTrade]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class OwnTrade(Struct, frozen=True, kw_only=True):
    """An executed bet or sale of one's own; of a limit order, which, and whether on arrival or while it rested."""

    #: Its id.
    id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Who traded.
    user: Trader
    #: A bet, or a sale.
    action: Action
    #: Which side of the market.
    token_type: TokenType
    #: The stake, fee included, or what the sale paid, kopecks.
    amount_kopecks: int
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: Its basket's id; null for none.
    basket_id: int | None
    #: Of a basket's: each market, in the order of outcomes; null for others.
    legs: list[TradeLeg] | None
    #: Of a stake on a condition: the markets one of which is to win, or the stake is given back; null for others.
    given: list[int] | None
    #: When it was created, UTC.
    created_at: datetime
    #: Its limit order's id; null for none.
    order_id: int | None
    #: Of a limit order: on arrival, or while resting; null otherwise.
    role: Role | None


class HeldPositionPage(Struct, frozen=True, kw_only=True):
    """A page of open positions, newest first."""

    #: Positions.
    positions: list[HeldPosition]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class HeldPosition(Struct, frozen=True, kw_only=True):
    """An open position. `avg_price` (basis points) is what a held share cost, `pnl` what its sales earned so
    far.
    """

    #: Its id.
    id: int
    #: The user's id.
    user_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Shares (100 shares = 1 token).
    amount: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: Realized profit (below 0: loss), kopecks.
    pnl: int
    #: Present value, kopecks.
    value_kopecks: int
    #: What it will be paid by the result that its pool has, final or not, kopecks; null without one.
    decided_kopecks: int | None
    #: Shares of it that resting orders offer; nothing else sells these.
    reserved_shares: int
    #: The event's id.
    event_id: int
    #: The event's name.
    event_name: str
    #: The pool's id.
    pool_id: int
    #: The pool's name.
    pool_name: str
    #: The market's name.
    market_name: str


class CompletedPositionPage(Struct, frozen=True, kw_only=True):
    """A page of closed positions, the one closed last first."""

    #: Positions.
    positions: list[CompletedPosition]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class CompletedPosition(Struct, frozen=True, kw_only=True):
    """A closed position. `amount` is all the shares that left it, `avg_price` (basis points) what one of them
    cost.
    """

    #: Its id.
    id: int
    #: The user's id.
    user_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: Shares (100 shares = 1 token).
    amount: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price: int
    #: Realized profit (below 0: loss), kopecks.
    pnl: int
    #: 0 = YES won, 1 = NO won, null = sold, or the pool had no winner.
    won_side: Literal[0, 1] | None
    #: When it was closed, UTC.
    closed_at: datetime
    #: The event's id.
    event_id: int
    #: The event's name.
    event_name: str
    #: The pool's id.
    pool_id: int
    #: The pool's name.
    pool_name: str
    #: The market's name.
    market_name: str


class PnlChart(Struct, frozen=True, kw_only=True):
    """A trader's profit after every sale and every settled position, at most 1,000 points."""

    #: Points in the order of time.
    points: list[PnlChartPoint]


class PnlChartPoint(Struct, frozen=True, kw_only=True):
    """Cumulative realized profit in units of the currency."""

    #: The moment, UTC.
    timestamp: datetime
    #: Realized profit so far (below 0: loss), units.
    pnl: float


class PositionPage(Struct, frozen=True, kw_only=True):
    """A page of positions: open ones newest first, closed ones by their closing, the last one first."""

    #: Positions.
    positions: list[Position]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Portfolio(Struct, frozen=True, kw_only=True):
    """What a trader has and has earned, in sums."""

    #: The user's balance, kopecks.
    balance_kopecks: int
    #: What limit orders hold, which the balance does not have, kopecks.
    held_kopecks: int
    #: Present value of your open positions together, kopecks.
    value_kopecks: int
    #: What the shares of all open positions cost, kopecks.
    cost_kopecks: int
    #: Profit of all sales and settlements so far (below 0: loss), kopecks.
    realized_kopecks: int
    #: How many positions are open.
    open: int
    #: How many positions were closed.
    closed: int


class WorthChart(Struct, frozen=True, kw_only=True):
    """What a trader was worth at the end of each day, UTC, and is now, at most 1,000 points."""

    #: Points in the order of time; none before the first movement.
    points: list[WorthChartPoint]


class WorthChartPoint(Struct, frozen=True, kw_only=True):
    """What a trader was worth at a moment; what trading had earned by then is the difference."""

    #: The moment, UTC.
    at: datetime
    #: Balance, what limit orders held, and the value of positions, kopecks.
    worth_kopecks: int
    #: Credits and grants until then, less what was taken back, kopecks.
    added_kopecks: int


class TransactionPage(Struct, frozen=True, kw_only=True):
    """A page of transactions, newest first. All pages together add up to the balance."""

    #: Movements of your money, newest first.
    transactions: list[Transaction]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Transaction(Struct, frozen=True, kw_only=True):
    """A movement of a trader's money. `credit`: by an admin, below 0 if taken back, or a grant; it has no event.
    `order`: what a limit order holds while it rests; `order_return`: what was paid out of that. A fill while
    resting is     a `bet` or `sale` of 0. `basket`: the net of one, of several markets.
    """

    #: Its id, unique among all types.
    id: int
    #: Why the balance changed.
    type: TransactionType
    #: Change of the balance, kopecks; 0 for a settled position that lost.
    change_kopecks: int
    #: Its event's id; null for a credit.
    event_id: int | None
    #: Its event; "" for a credit.
    event_name: str
    #: Its event in Russian; "" for none.
    event_name_ru: str
    #: Its market's id; null for a credit and a basket.
    market_id: int | None
    #: Its market; "" for a credit and a basket.
    market_name: str
    #: Its side of the market; null for a credit and a basket.
    token_type: TokenType | None
    #: What an admin wrote to a credit, or what a grant is for; "" for none.
    note: str
    #: Its limit order's id; null for none.
    order_id: int | None
    #: Its basket's id; null for none.
    basket_id: int | None
    #: When it was created, UTC.
    created_at: datetime


class OwnAllowance(Struct, frozen=True, kw_only=True):
    """The caller's allowance."""

    #: Your allowance; null where none is set.
    allowance: Allowance | None


class Allowance(Struct, frozen=True, kw_only=True):
    """What who was active in a period is granted when the next one begins."""

    #: The most that is granted, kopecks.
    kopecks: int
    #: How often, in UTC; weeks begin on Monday.
    every: Every
    #: Balance and positions are filled up to this worth, kopecks.
    up_to: int
    #: When the next one is due, UTC.
    next_at: datetime
    #: What you would get by what you are worth now, kopecks; 0 until your e-mail address is verified, where the
    #: site asks for that.
    expected_kopecks: int


class PartnerBet(Struct, frozen=True, kw_only=True):
    """A partner's bet as accepted."""

    #: The bet's id.
    bet_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: The stake, fee included, kopecks.
    stake_kopecks: int
    #: The fee in it, kopecks.
    fee_kopecks: int
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price_bps: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it might get
    #: more.
    capped: bool
    #: When it was created, UTC.
    created_at: datetime
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class PartnerSale(Struct, frozen=True, kw_only=True):
    """A partner's sale as accepted."""

    #: The sale's id.
    sale_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: What the sale pays, kopecks.
    payout_kopecks: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price_bps: int
    #: Realized profit (below 0: loss), kopecks.
    pnl: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it might get
    #: more.
    capped: bool
    #: When it was created, UTC.
    created_at: datetime
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class PartnerQuote(Struct, frozen=True, kw_only=True):
    """What a partner's order would get now."""

    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: The stake, fee included, kopecks.
    stake_kopecks: int
    #: The fee in it, kopecks.
    fee_kopecks: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price_bps: int
    #: The market's YES probability before the order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order, 0 … 1.
    probability_after: float
    #: Whether it meets 100 resting orders and then goes on along the curve alone; in several parts it might get
    #: more.
    capped: bool


class PlacedPartnerOrder(Struct, frozen=True, kw_only=True):
    """A partner's limit order as its arrival, and what followed, left it."""

    #: The order's id.
    order_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: Whether it buys or sells.
    action: Action
    #: Its price of its own side, a whole percent in basis points: it pays no more, and takes no less.
    price_bps: int
    #: Shares ordered, whole lots of 100; one that may rest has 1000 or more.
    shares: int
    #: Shares of it that are filled.
    filled_shares: int
    #: What becomes of what is not filled at once: it rests (`gtc`), or is cancelled (`ioc`); a `fok` is filled
    #: whole or refused.
    time_in_force: TimeInForce
    #: Whether it is refused rather than trade at once.
    post_only: bool
    #: From when on nothing fills it, UTC; null for never.
    expires_at: datetime | None
    #: Its state.
    status: PlacedOrderStatus
    #: Why it was cancelled: by its owner (`user`), as an `ioc`, to keep its owner from trading with themselves
    #: (`self_trade`), after 100 orders (`fill_limit`), at the limit of a market (`market_limit`), at `finish_at`
    #: (`closed`), by a result or cancellation (`resolved`), by a split, or with the account; null otherwise.
    reason: PlacedOrderReason | None
    #: What its fills paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price of its fills, fee included, basis points; null before one.
    avg_price_bps: int | None
    #: What is held for it, kopecks: what its rest may cost, and what is about to be paid out.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Its last fill or its end, UTC.
    updated_at: datetime
    #: The trade of what it took on arrival; null for nothing.
    trade_id: int | None
    #: The market's YES probability before the limit order, 0 … 1.
    probability_before: float
    #: The market's YES probability after the order and what followed.
    probability_after: float
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class PartnerOrderPage(Struct, frozen=True, kw_only=True):
    """A page of a partner's limit orders, newest first."""

    #: Limit orders, newest first.
    orders: list[PartnerLimitOrder]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class PartnerLimitOrder(Struct, frozen=True, kw_only=True):
    """A limit order of a partner's user as it now stands."""

    #: The order's id.
    order_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: Whether it buys or sells.
    action: Action
    #: Its price of its own side, a whole percent in basis points: it pays no more, and takes no less.
    price_bps: int
    #: Shares ordered, whole lots of 100; one that may rest has 1000 or more.
    shares: int
    #: Shares of it that are filled.
    filled_shares: int
    #: What becomes of what is not filled at once: it rests (`gtc`), or is cancelled (`ioc`); a `fok` is filled
    #: whole or refused.
    time_in_force: TimeInForce
    #: Whether it is refused rather than trade at once.
    post_only: bool
    #: From when on nothing fills it, UTC; null for never.
    expires_at: datetime | None
    #: Its state.
    status: PlacedOrderStatus
    #: Why it was cancelled: by its owner (`user`), as an `ioc`, to keep its owner from trading with themselves
    #: (`self_trade`), after 100 orders (`fill_limit`), at the limit of a market (`market_limit`), at `finish_at`
    #: (`closed`), by a result or cancellation (`resolved`), by a split, or with the account; null otherwise.
    reason: PlacedOrderReason | None
    #: What its fills paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price of its fills, fee included, basis points; null before one.
    avg_price_bps: int | None
    #: What is held for it, kopecks: what its rest may cost, and what is about to be paid out.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Its last fill or its end, UTC.
    updated_at: datetime


class PartnerOrderFillPage(Struct, frozen=True, kw_only=True):
    """A page of the fills of a partner's order, newest first."""

    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: Fills, newest first.
    fills: list[PartnerOrderFill]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class PartnerOrderFill(Struct, frozen=True, kw_only=True):
    """A fill of a partner's limit order."""

    #: The fill's trade.
    trade_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: On arrival, or while resting.
    role: Role
    #: Shares filled.
    shares: int
    #: What the fill paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price, fee included, basis points.
    avg_price_bps: int
    #: Of a sale: what it brought less what the shares had cost, kopecks; else null.
    pnl: int | None
    #: When it was created, UTC.
    created_at: datetime


class CancelledPartnerOrder(Struct, frozen=True, kw_only=True):
    """A partner's limit order once it is cancelled."""

    #: The order's id.
    order_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: Whether it buys or sells.
    action: Action
    #: Its price of its own side, a whole percent in basis points: it pays no more, and takes no less.
    price_bps: int
    #: Shares ordered, whole lots of 100; one that may rest has 1000 or more.
    shares: int
    #: Shares of it that are filled.
    filled_shares: int
    #: What becomes of what is not filled at once: it rests (`gtc`), or is cancelled (`ioc`); a `fok` is filled
    #: whole or refused.
    time_in_force: TimeInForce
    #: Whether it is refused rather than trade at once.
    post_only: bool
    #: From when on nothing fills it, UTC; null for never.
    expires_at: datetime | None
    #: Its state.
    status: PlacedOrderStatus
    #: Why it was cancelled: by its owner (`user`), as an `ioc`, to keep its owner from trading with themselves
    #: (`self_trade`), after 100 orders (`fill_limit`), at the limit of a market (`market_limit`), at `finish_at`
    #: (`closed`), by a result or cancellation (`resolved`), by a split, or with the account; null otherwise.
    reason: PlacedOrderReason | None
    #: What its fills paid, fee included, or brought, kopecks.
    amount_kopecks: int
    #: The fee in what it paid, kopecks.
    fee_kopecks: int
    #: Average price of its fills, fee included, basis points; null before one.
    avg_price_bps: int | None
    #: What is held for it, kopecks: what its rest may cost, and what is about to be paid out.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Its last fill or its end, UTC.
    updated_at: datetime
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int


class CancelledPartnerOrders(Struct, frozen=True, kw_only=True):
    """What a partner's request cancelled."""

    #: Those that were cancelled, newest first.
    orders: list[PartnerLimitOrder]
    #: Whether open orders are left among those named: ask again.
    has_more: bool
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int


class PartnerBasket(Struct, frozen=True, kw_only=True):
    """A basket of a partner's user as accepted."""

    #: The basket's id.
    basket_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The pool's id.
    pool_id: int
    #: What it does in each market, in the order of outcomes.
    legs: list[BasketLeg]
    #: What its sales brought, kopecks.
    payout_kopecks: int
    #: What its purchases cost without the fee, kopecks.
    cost_kopecks: int
    #: The fee beside that, kopecks.
    fee_kopecks: int
    #: Payout less cost and fee, kopecks; below 0: what was paid.
    net_kopecks: int
    #: Of a stake: its average price, basis points a share; null of changes.
    avg_price_bps: int | None
    #: YES probability of each of the pool's markets before it, 0 … 1.
    probabilities_before: list[float]
    #: The same after it, before resting orders followed.
    probabilities_after: list[float]
    #: When it was created, UTC.
    created_at: datetime
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class PartnerBasketQuote(Struct, frozen=True, kw_only=True):
    """What a basket of a partner's user would get now."""

    #: The pool's id.
    pool_id: int
    #: What it does in each market, in the order of outcomes.
    legs: list[QuotedLeg]
    #: What its sales brought, kopecks.
    payout_kopecks: int
    #: What its purchases cost without the fee, kopecks.
    cost_kopecks: int
    #: The fee beside that, kopecks.
    fee_kopecks: int
    #: Payout less cost and fee, kopecks; below 0: what was paid.
    net_kopecks: int
    #: Of a stake: its average price, basis points a share; null of changes.
    avg_price_bps: int | None
    #: YES probability of each of the pool's markets before it, 0 … 1.
    probabilities_before: list[float]
    #: The same after it, before resting orders followed.
    probabilities_after: list[float]


class StoredPartnerBasket(Struct, frozen=True, kw_only=True):
    """A basket of a partner's user as it was answered, without balances."""

    #: The basket's id.
    basket_id: int
    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The pool's id.
    pool_id: int
    #: What it does in each market, in the order of outcomes.
    legs: list[BasketLeg]
    #: What its sales brought, kopecks.
    payout_kopecks: int
    #: What its purchases cost without the fee, kopecks.
    cost_kopecks: int
    #: The fee beside that, kopecks.
    fee_kopecks: int
    #: Payout less cost and fee, kopecks; below 0: what was paid.
    net_kopecks: int
    #: Of a stake: its average price, basis points a share; null of changes.
    avg_price_bps: int | None
    #: YES probability of each of the pool's markets before it, 0 … 1.
    probabilities_before: list[float]
    #: The same after it, before resting orders followed.
    probabilities_after: list[float]
    #: When it was created, UTC.
    created_at: datetime


class PartnerUserPage(Struct, frozen=True, kw_only=True):
    """A page of a partner's users, newest first."""

    #: Users with a sub-account, newest first.
    users: list[ListedPartnerUser]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class ListedPartnerUser(Struct, frozen=True, kw_only=True):
    """A partner's user in its list."""

    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: The user's id.
    user_id: int
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: When they bet or sold last, UTC; null for never.
    last_order_at: datetime | None


class PartnerUser(Struct, frozen=True, kw_only=True):
    """A partner's user. Before the first bet `exists` is false, `user_id` null, and nothing is there."""

    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: Whether the user has a sub-account.
    exists: bool
    #: The user's id.
    user_id: int | None
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: What limit orders hold, which the balance does not have, kopecks.
    held_kopecks: int
    #: Present value of all open positions, kopecks.
    open_positions_kopecks: int
    #: Positions.
    positions: list[PartnerPosition]


class PartnerPosition(Struct, frozen=True, kw_only=True):
    """An open position of a partner's user. `avg_price_bps`: what the shares held cost, basis points a share."""

    #: The market's id.
    market_id: int
    #: Which side of the market.
    side: Side
    #: Shares (100 shares = 1 token; one share pays one kopeck if it wins).
    shares: int
    #: Shares of it that resting orders offer; nothing else sells these.
    reserved_shares: int
    #: Average price, basis points: 10000 = 1 of the currency a token.
    avg_price_bps: int
    #: Present value, kopecks.
    value_kopecks: int
    #: What it will be paid by the result that its pool has, final or not, kopecks; null without one.
    decided_kopecks: int | None


class PartnerBalance(Struct, frozen=True, kw_only=True):
    """A partner's money: on the float, on all sub-accounts together, and both, in kopecks."""

    #: The partner's name.
    partner: str
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Balances of all sub-accounts together, kopecks.
    users_balance_kopecks: int
    #: What limit orders hold, which the balance does not have, kopecks.
    held_kopecks: int
    #: Float and sub-accounts together, kopecks.
    total_kopecks: int


class Withdrawal(Struct, frozen=True, kw_only=True):
    """A withdrawal as done, and both balances after it, in kopecks."""

    #: The partner's own id of its user, 1–128 characters.
    external_user_id: str
    #: Money, kopecks.
    amount_kopecks: int
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class PartnerTransactionPage(Struct, frozen=True, kw_only=True):
    """A page of a partner's transactions, newest first."""

    #: Movements of the partner's money, newest first.
    transactions: list[PartnerTransaction]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class PartnerTransaction(Struct, frozen=True, kw_only=True):
    """One movement of a partner's money: how it changed the float and the sub-account, in kopecks."""

    #: Its id.
    id: int
    #: What moved the money.
    type: PartnerTransactionType
    #: The partner's own id of its user; null where it does not apply.
    external_user_id: str | None
    #: The market's id; null for none.
    market_id: int | None
    #: Which side of the market.
    side: Side | None
    #: Shares bought, sold or settled, in share cents; null for none.
    shares: int | None
    #: Which bet it is of; null for none.
    bet_id: int | None
    #: Which sale it is of; null for none.
    sale_id: int | None
    #: Which limit order it is of; null for none.
    order_id: int | None
    #: Its basket's id; null for none.
    basket_id: int | None
    #: What it added to the float (below 0: took), kopecks.
    float_change_kopecks: int
    #: What it added to the sub-account (below 0: took), kopecks.
    balance_change_kopecks: int
    #: When it was created, UTC.
    created_at: datetime


class Comment(Struct, frozen=True, kw_only=True):
    """A comment on an event, or a reply to one; its content is "" once deleted, and where it is hidden."""

    #: Its id.
    id: int
    #: The event's id.
    event_id: int
    #: The user's id.
    user_id: int
    #: The comment it replies to; null at the top level.
    parent_id: int | None
    #: The text, 1–5000 characters; "" once deleted, and to others than its author, operators and admins where it is
    #: hidden.
    content: str
    #: How many like it.
    likes_count: int
    #: How many dislike it.
    dislikes_count: int
    #: How many direct replies it has.
    replies_count: int
    #: When it was created, UTC.
    created_at: datetime
    #: The user.
    user: PublicUser
    #: Your own reaction; null for none, and without a sign-in.
    user_reaction: UserReaction | None
    #: Whether an operator or admin has hidden it.
    hidden: bool
    #: Whom it names with an @, without who is hidden, inactive or deleted now.
    mentions: list[CommentMention]
    #: What its author held when they wrote it: in the event's main pool, the position of the largest value. Null
    #: where they held none or do not show it, and where they or the comment are hidden or deleted.
    holds: AuthorHolds | None
    #: What its author's forecast of the event's main pool was when they wrote it. Null where they had none or do
    #: not show it, where it is hidden from you, and where the comment is hidden or deleted.
    forecast: AuthorThinks | None


class CommentMention(Struct, frozen=True, kw_only=True):
    """A person whom a comment names."""

    #: As the comment has it, after the @.
    nickname: str
    #: The person, as they are now.
    user: PublicUser


class AuthorHolds(Struct, frozen=True, kw_only=True):
    """A position in the event's main pool."""

    #: The market's id.
    market_id: int
    #: Which side of the market.
    token_type: TokenType
    #: How many shares of it.
    shares: int


class AuthorThinks(Struct, frozen=True, kw_only=True):
    """What an author thought of that outcome of the event's main pool which was then likeliest by its price."""

    #: The pool's id.
    pool_id: int
    #: Place of the outcome in its pool, from 0.
    outcome_index: int
    #: The probability of its YES.
    probability: float


class CommentPage(Struct, frozen=True, kw_only=True):
    """A page of an event's comments without the replies."""

    #: Comments.
    comments: list[Comment]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class CommentInThread(Struct, frozen=True, kw_only=True):
    """A comment, and where the thread begins in which it stands."""

    #: The comment.
    comment: Comment
    #: The top-level comment under which it stands; its own id at the top level.
    root_id: int


class ReplyPage(Struct, frozen=True, kw_only=True):
    """Replies to a comment, oldest first."""

    #: Comments.
    comments: list[Comment]


class Forecast(Struct, frozen=True, kw_only=True):
    """What the caller thinks of a pool."""

    #: Its id.
    id: int
    #: The pool's id.
    pool_id: int
    #: What is thought of each market's YES, in the order of outcomes, raised to 0.001 (of n > 2 outcomes to 0.002 /
    #: n) and divided by their sum.
    probabilities: list[float]
    #: Why, for its author alone.
    note: str
    #: When it was first said, UTC.
    since: datetime
    #: When it was last said, UTC.
    created_at: datetime
    #: The prices of YES at `since`, one a market.
    market: list[float]


class PoolForecastPage(Struct, frozen=True, kw_only=True):
    """A page of what people think of a pool, and what they think together."""

    #: Those that stand, the newest first.
    forecasts: list[PublicForecast]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool
    #: How many stand; null while they are hidden from you.
    forecasters: int | None
    #: What all of them think together, one probability a market; null while fewer than three weigh something, and
    #: while it is hidden from you.
    crowd: list[float] | None
    #: What you think; null where nothing of yours stands.
    mine: Forecast | None
    #: Whether others' forecasts and the crowd are hidden from you now.
    hidden: bool


class PublicForecast(Struct, frozen=True, kw_only=True):
    """What a person thinks of a pool."""

    #: The user.
    user: PublicUser
    #: What is thought of each market's YES, in the order of outcomes, raised to 0.001 (of n > 2 outcomes to 0.002 /
    #: n) and divided by their sum.
    probabilities: list[float]
    #: When it was first said, UTC.
    since: datetime
    #: When it was last said, UTC.
    created_at: datetime


class UserForecastPage(Struct, frozen=True, kw_only=True):
    """A page of a person's forecasts, the last one of each pool; the note in one's own alone."""

    #: Newest first, by when it was first said; a page may end early.
    forecasts: list[UserForecast]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class UserForecast(Struct, frozen=True, kw_only=True):
    """What a person said last of a pool, and what it earned."""

    #: The event's id.
    event_id: int
    #: The event's name.
    event_name: str
    #: The event's Russian name; "" for none.
    event_name_ru: str
    #: The pool's id.
    pool_id: int
    #: The pool's name.
    pool_name: str
    #: The pool's Russian name; "" for none.
    pool_name_ru: str
    #: What is thought of each market's YES, in the order of outcomes, raised to 0.001 (of n > 2 outcomes to 0.002 /
    #: n) and divided by their sum.
    probabilities: list[float]
    #: Why, for its author alone.
    note: str | None = None
    #: When it was last said, UTC.
    created_at: datetime
    #: Whether it stands: it was neither changed nor taken back.
    stands: bool
    #: Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO; −1 = settled without a winner; null
    #: before.
    won_side: int | None
    #: What its author's forecasts of the pool earned; null before, and for none.
    score: float | None
    #: The part of the pool's time that counted.
    coverage: float | None


class Clarification(Struct, frozen=True, kw_only=True):
    """What makes a pool's rules clearer. It changes no rule, and nothing edits it."""

    #: Its id.
    id: int
    #: What makes the rules clearer, plain text, 1–5000 characters; "" to others than its author, operators and
    #: admins where it is hidden.
    text: str
    #: The same in Russian, up to 5000 characters; "" where none is set, and where it is hidden.
    text_ru: str
    #: As what its author wrote it.
    by: By
    #: Whether an operator or admin has hidden it.
    hidden: bool
    #: When it was created, UTC.
    created_at: datetime


class ClarificationPage(Struct, frozen=True, kw_only=True):
    """A page of a pool's clarifications, oldest first."""

    #: Clarifications, oldest first.
    clarifications: list[Clarification]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class FiledReport(Struct, frozen=True, kw_only=True):
    """A report that operators will look at."""

    #: Its id, which all open reports of the same comment, event or user share.
    id: int


class ReportPage(Struct, frozen=True, kw_only=True):
    """A page of what is reported, newest first."""

    #: What is reported, newest first.
    reports: list[ReportCase]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class ReportCase(Struct, frozen=True, kw_only=True):
    """All reports of one comment, event, user or objection since the last ones were closed."""

    #: Its id.
    id: int
    #: What is reported.
    kind: ReportBodyKind
    #: The id of the comment, event, user or objection.
    target_id: int
    #: How many members have reported it.
    count: int
    #: The newest 20 reports, newest first.
    reports: list[MemberReport]
    #: When it was closed, UTC; null while open.
    closed_at: datetime | None
    #: What became of it; "" for none.
    note: str
    #: Of an objection: what it says, and of which pool.
    about: ReportedObjection | None = None


class MemberReport(Struct, frozen=True, kw_only=True):
    """What one member has reported."""

    #: The user.
    user: PublicUser
    #: Why.
    reason: ReportBodyReason
    #: In the member's words; "" for none.
    text: str
    #: When it was created, UTC.
    created_at: datetime


class ReportedObjection(Struct, frozen=True, kw_only=True):
    """An objection that is reported, and the pool to whose result it objects."""

    #: The event's id.
    event_id: int
    #: The pool's id.
    pool_id: int
    #: The objection.
    objection: Objection


class WhatWaits(Struct, frozen=True, kw_only=True):
    """How much waits for operators and admins, each number at most 100: for a badge."""

    #: Entries of GET /admin/attention but suggestions.
    attention: int
    #: Open rows of GET /admin/reports.
    reports: int
    #: Support chats whose visitor waits for an answer.
    chats: int
    #: Events that members suggest.
    suggestions: int
    #: Pools whose results someone objects to, until that is answered.
    objections: int


class Muting(Struct, frozen=True, kw_only=True):
    """Until when a user is muted."""

    #: Until when an operator or admin has muted the account, UTC, also where that is past; null: not at all. Until
    #: then it writes no comments, reactions or reports, makes no events, and keeps its name, nickname and avatar.
    muted_until: datetime | None


class ChatSession(Struct, frozen=True, kw_only=True):
    """A visitor's active session."""

    #: The support session's id.
    session_id: int
    #: Its state.
    status: ChatSessionStatus
    #: Messages, oldest first.
    messages: list[ChatMessage]


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A message; `created_at` is in Unix milliseconds."""

    #: Its id.
    id: int
    #: Who wrote it.
    sender: Sender
    #: The text, 1–5000 characters.
    text: str
    #: When it was written, Unix milliseconds.
    created_at: int


class ChatMessages(Struct, frozen=True, kw_only=True):
    """Messages of a session, oldest first, and its status."""

    #: Messages, oldest first.
    messages: list[ChatMessage]
    #: Its state.
    status: ChatSessionStatus


class CreatedMessage(Struct, frozen=True, kw_only=True):
    """The message just written, alone in its array."""

    #: Messages, oldest first.
    messages: list[ChatMessage]


class OperatorCall(Struct, frozen=True, kw_only=True):
    """An operator knows."""

    #: Whether an operator is called.
    success: bool
    #: What happens next, in words.
    message: str


class SupportSessionPage(Struct, frozen=True, kw_only=True):
    """A page of sessions, newest first."""

    #: Sessions, newest first.
    sessions: list[SupportSession]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class SupportSession(Struct, frozen=True, kw_only=True):
    """A session as operators see it; `user` is null where the visitor was not signed in."""

    #: The support session's id.
    session_id: int
    #: Its state.
    status: ChatSessionStatus
    #: The user.
    user: PublicUser | None
    #: When it was created, UTC.
    created_at: datetime
    #: When the last message was written, UTC; null for none.
    last_message_at: datetime | None
    #: The last message; null for none.
    last_message: SupportLastMessage | None
    #: Since when the visitor waits for an operator's message, UTC: from the call, and once answered from the first
    #: message that followed; null while no one waits.
    waiting_since: datetime | None


class SupportLastMessage(Struct, frozen=True, kw_only=True):
    """The beginning of a session's last message."""

    #: Who wrote it.
    sender: Sender
    #: Its first 140 characters.
    text: str


class NotificationPage(Struct, frozen=True, kw_only=True):
    """A page of notifications, newest first."""

    #: Notifications, newest first.
    notifications: list[Notification]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Notification(Struct, frozen=True, kw_only=True):
    """Something that happened to the user."""

    #: Its id.
    id: int
    #: What happened.
    type: NotificationType
    #: What happened, in words.
    text: str
    #: The event it is about; null for none.
    event_id: int | None
    #: What the text says, by name.
    params: NotificationParams
    #: The reply, or the comment that names you; null for none.
    comment_id: int | None
    #: When it was created, UTC.
    created_at: datetime
    #: Whether it was marked as read.
    read: bool


class NotificationParams(Struct, frozen=True, kw_only=True):
    """What the text says, for clients that write it in another language; what does not apply is "" or null."""

    #: Name of the event.
    event_name: str | None = None
    #: Russian name of the event.
    event_name_ru: str | None = None
    #: Name of its pool.
    pool_name: str | None = None
    #: Russian name of that pool.
    pool_name_ru: str | None = None
    #: Name of an order's market.
    market_name: str | None = None
    #: Its Russian name, or none: of `outcome_added`.
    market_name_ru: str | None = None
    #: Side of the position or order.
    token_type: TokenType | None = None
    #: How many shares.
    shares: int | None = None
    #: What they were paid, of `verdict_decided` will be, kopecks.
    payout_kopecks: int | None = None
    #: Profit of the whole position (below 0: loss), kopecks.
    pnl_kopecks: int | None = None
    #: Whether the filled order bought.
    action: Action | None = None
    #: What the filled order paid or brought, kopecks.
    amount_kopecks: int | None = None
    #: How many orders ended with their pool.
    order_count: int | None = None
    #: Why the event was cancelled.
    note: str | None = None
    #: What won: of one market its name for YES, "" for NO; "" without a winner.
    result: str | None = None
    #: What a YES share of each outcome of its pool is paid; null for a void.
    payouts: list[float] | None = None
    #: Until when it can be corrected, UTC: of `verdict_decided`.
    disputable_until: datetime | None = None
    #: Until when an objection holds it at the latest, UTC: of `verdict_held`.
    held_until: datetime | None = None
    #: When trading ends, UTC: of `event_closing`.
    finish_at: datetime | None = None
    #: How many comments: of `event_comment`.
    count: int | None = None
    #: The tag: of `tag_published`.
    tag: str | None = None
    #: The alert's price of YES, basis points: of `price_alert`.
    above_bps: int | None = None
    #: The same, for a price that has fallen.
    below_bps: int | None = None
    #: The price of YES before, basis points: of `event_moved`.
    before_bps: int | None = None
    #: The price of YES that was reached, basis points: of `event_moved` and `price_alert`.
    after_bps: int | None = None
    #: What became of the objection: of `objection_answered`.
    state: NotificationParamsState | None = None
    #: What one's forecasts of a pool earned: of `forecast_scored`.
    score: float | None = None
    #: The part of its time that counted: of `forecast_scored`.
    coverage: float | None = None


class NotificationChoice(Struct, frozen=True, kw_only=True):
    """What the caller wants of a type."""

    #: Whether it is listed.
    app: bool
    #: Whether it is mailed to a verified address: not, at once, or at 8 with a day's others.
    email: Email


class ChoiceChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the caller wants of a type from now on; what is left out, or null, stays."""

    #: Whether it is listed.
    app: bool | None = None
    #: Whether it is mailed to a verified address: not, at once, or at 8 with a day's others.
    email: Email | None = None


class NotificationCount(Struct, frozen=True, kw_only=True):
    """How many notifications: unread ones, or those newly marked as read."""

    #: How many.
    count: int


class AttentionPage(Struct, frozen=True, kw_only=True):
    """A page of entries, newest first."""

    #: Entries, newest first.
    entries: list[AttentionEntry]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class AttentionEntry(Struct, frozen=True, kw_only=True):
    """One thing that waits for a person."""

    #: Its id.
    id: int
    #: What waits.
    kind: AttentionEntryKind
    #: The event that waits; null for none.
    event_id: int | None
    #: The pool that waits; null for none.
    pool_id: int | None
    #: The series that waits; null for none.
    series_id: int | None
    #: Why, as a code.
    reason: str
    #: Since when, UTC.
    since: datetime
    #: Of a webhook: the partner's name.
    partner: str | None = None


class NewMember(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Someone to be invited; `name` is what the form of their account begins with."""

    #: The e-mail address, as it was sent.
    email: str
    #: The display name.
    name: str | None = None
    #: What each new account is given, beside what every newcomer gets, kopecks.
    credit_kopecks: int | None = None
    #: Whether each new account may create events.
    creator: bool | None = None


class MemberResults(Struct, frozen=True, kw_only=True):
    """What became of each, in their order; of a repeated address what became of its first."""

    #: One for each, in their order.
    results: list[MemberResult]


class MemberResult(Struct, frozen=True, kw_only=True):
    """What became of one of them."""

    #: The e-mail address, as it was sent.
    email: str
    #: `invited`: a mail with an invitation is on its way. `waiting`: one of the last 7 days is. `member`: has an
    #: account. `refused`: is not invited.
    result: Result
    #: Why it was refused; of a member whether their address was never verified.
    reason: MemberResultReason


class UserPage(Struct, frozen=True, kw_only=True):
    """A page of people, newest first."""

    #: Users, newest first.
    users: list[ManagedUser]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class ManagedUser(Struct, frozen=True, kw_only=True):
    """An account as admins see it."""

    #: The user's id.
    id: int
    #: The e-mail address, unique without regard to case.
    email: str
    #: The display name.
    name: str
    #: Unique without regard to case: 3–32 letters, digits, `_ . -`; "" where none is set.
    nickname: str
    #: Address of the avatar; of an uploaded one below FOREKNOW_PUBLIC_URL where that is set, else a path of this
    #: host. "" where none is set.
    avatar_url: str
    #: Whether others see neither name nor profit.
    profile_hidden: bool
    #: May create events.
    is_creator: bool
    #: May administer the service.
    is_admin: bool
    #: May see the statistics.
    is_stats_viewer: bool
    #: May answer the support chat.
    is_operator: bool
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: What limit orders hold, which the balance does not have, kopecks.
    held_kopecks: int
    #: When it was created, UTC.
    created_at: datetime
    #: Whether the address is known to be the account's: by a mailed link, a sign-in provider, or an administrator.
    email_verified: bool
    #: Whether the mailbox of the address, or of the new one, is dead: no more notices are mailed to it.
    email_refused: bool
    #: The address that will take its place once it is verified; "" for none.
    email_pending: str
    #: The language of mails.
    language: Lang
    #: IANA name of your time zone: daily mails come at 8 there.
    time_zone: str
    #: Until when an operator or admin has muted the account, UTC, also where that is past; null: not at all. Until
    #: then it writes no comments, reactions or reports, makes no events, and keeps its name, nickname and avatar.
    muted_until: datetime | None
    #: Whether your comments show what you held when you wrote them. Holders and trades stay public.
    show_holds: bool
    #: Whether your comments show what you thought when you wrote them. Your forecasts stay public.
    show_forecast: bool
    #: Whether the account may sign in; false ends its sessions.
    is_active: bool


class IssuedResetLink(Secretive, frozen=True, kw_only=True):
    """A link that sets a new password, which is shown this once."""

    secret_fields: ClassVar[frozenset[str]] = frozenset(["url"])

    #: The link, shown this once; where the site's address is not set, it begins with `/`.
    url: str
    #: Until when it is good, UTC.
    expires_at: datetime


class Credit(Struct, frozen=True, kw_only=True):
    """A credit as done, and the user's balance after it."""

    #: The user's id.
    user_id: int
    #: Kopecks; not 0; negative takes back.
    amount_kopecks: int
    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class AdminLogPage(Struct, frozen=True, kw_only=True):
    """A page of the log, newest first."""

    #: Log entries, newest first.
    entries: list[AdminLogEntry]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class AdminLogEntry(Struct, frozen=True, kw_only=True):
    """What was done. People are ids: `user:` and the id in `who` and `target`."""

    #: Its id.
    id: int
    #: Who did it: `user:17`, `partner:Acme`, or `command line`.
    who: str
    #: What was done.
    action: str
    #: To what.
    target: str
    #: More about it, where that helps.
    details: dict[str, Any]
    #: When it was created, UTC.
    created_at: datetime


class Stats(Struct, frozen=True, kw_only=True):
    """The service's figures; `days` newest first."""

    #: All days together; open interest now.
    total: StatsTotal
    #: UTC days, newest first.
    days: list[StatsDay]


class StatsTotal(Struct, frozen=True, kw_only=True):
    """All days together; open interest now.      `users` leaves sub-accounts and deleted accounts out,
    `active_traders` counts them. `house_result_kopecks`: fees     plus, for every settled pool, what came
    back from escrow less what the house had paid in; grants are not in it.
    """

    #: People who signed up; sub-accounts are not counted.
    users: int
    #: Users and sub-accounts that traded.
    active_traders: int
    #: Stakes and sales' payouts, kopecks.
    volume_kopecks: int
    #: Fees taken, kopecks.
    fees_kopecks: int
    #: Shares held in unsettled pools; each may pay a kopeck.
    open_interest_kopecks: int
    #: Fees, plus what came back from settled pools' escrow less what the house had paid in, kopecks.
    house_result_kopecks: int
    #: Granted to users, less what deleted ones left, kopecks.
    grants_kopecks: int


class StatsDay(Struct, frozen=True, kw_only=True):
    """A UTC day: who signed up and who traded, what was turned over, open interest at its end (or now)."""

    #: The UTC day.
    date: str
    #: People who signed up that day; sub-accounts are not counted.
    users: int
    #: Users and sub-accounts that traded.
    active_traders: int
    #: Stakes and sales' payouts, kopecks.
    volume_kopecks: int
    #: Fees taken, kopecks.
    fees_kopecks: int
    #: Shares held in unsettled pools; each may pay a kopeck.
    open_interest_kopecks: int
    #: Fees, plus what came back from settled pools' escrow less what the house had paid in, kopecks.
    house_result_kopecks: int
    #: Granted to users, less what deleted ones left, kopecks.
    grants_kopecks: int


class IssuedInvitation(Secretive, frozen=True, kw_only=True):
    """A new invitation with its link, which is shown this once."""

    secret_fields: ClassVar[frozenset[str]] = frozenset(["url"])

    #: Its id.
    id: int
    #: How many accounts may be made with it.
    uses: int
    #: How many accounts were made with it.
    used: int
    #: Until when it is good, UTC; null for ever.
    expires_at: datetime | None
    #: When it was withdrawn, UTC; null where it was not.
    withdrawn_at: datetime | None
    #: What each new account is given, beside what every newcomer gets, kopecks.
    credit_kopecks: int
    #: Whether each new account may create events.
    creator: bool
    #: What it is for; only admins see it.
    note: str
    #: When it was created, UTC.
    created_at: datetime
    #: The only address that it is for; null for any, once it is used, and 30 days after its end.
    email: str | None
    #: The link, shown this once; where the site's address is not set, it begins with `/`.
    url: str


class InvitationOffer(Struct, frozen=True, kw_only=True):
    """What an invitation offers to who makes an account with it."""

    #: Who made it; null: who runs the server.
    by: PublicUser | None
    #: Whether each new account may create events.
    creator: bool
    #: What every newcomer of the site is granted, in kopecks.
    grant_kopecks: int
    #: What each new account is given, beside what every newcomer gets, kopecks.
    credit_kopecks: int
    #: Until when it is good, UTC; null for ever.
    expires_at: datetime | None
    #: The address that the account is to have; null for any.
    email: str | None
    #: The name that the form begins with; null for none.
    name: str | None


class InvitationPage(Struct, frozen=True, kw_only=True):
    """A page of invitations, newest first."""

    #: Invitations, newest first.
    invitations: list[Invitation]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Invitation(Struct, frozen=True, kw_only=True):
    """An invitation, without its link."""

    #: Its id.
    id: int
    #: How many accounts may be made with it.
    uses: int
    #: How many accounts were made with it.
    used: int
    #: Until when it is good, UTC; null for ever.
    expires_at: datetime | None
    #: When it was withdrawn, UTC; null where it was not.
    withdrawn_at: datetime | None
    #: What each new account is given, beside what every newcomer gets, kopecks.
    credit_kopecks: int
    #: Whether each new account may create events.
    creator: bool
    #: What it is for; only admins see it.
    note: str
    #: When it was created, UTC.
    created_at: datetime
    #: The only address that it is for; null for any, once it is used, and 30 days after its end.
    email: str | None


class PartnerPage(Struct, frozen=True, kw_only=True):
    """A page of partners, newest first."""

    #: Partners, newest first.
    partners: list[PartnerOverview]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class PartnerOverview(Struct, frozen=True, kw_only=True):
    """A partner: its float, what its sub-accounts hold together, both in kopecks."""

    #: The partner's name.
    partner: str
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Balances of all sub-accounts together, kopecks.
    users_balance_kopecks: int
    #: When it was created, UTC.
    created_at: datetime


class IssuedPartner(Secretive, frozen=True, kw_only=True):
    """A new partner with its first key, which is shown this once."""

    secret_fields: ClassVar[frozenset[str]] = frozenset(["key"])

    #: The partner's name.
    partner: str
    #: The key's id.
    key_id: int
    #: The API key, shown this once.
    key: str


class PartnerKeys(Struct, frozen=True, kw_only=True):
    """A partner's live keys, oldest first, at most two."""

    #: The partner's live keys.
    keys: list[PartnerKey]


class PartnerKey(Struct, frozen=True, kw_only=True):
    """A live key. `last_used_at` lags behind by up to a minute; null before the first use."""

    #: Its id.
    id: int
    #: When it was created, UTC.
    created_at: datetime
    #: When it was last used, UTC; null for never.
    last_used_at: datetime | None


class NewPartnerKey(Secretive, frozen=True, kw_only=True):
    """A new key, which is shown this once."""

    secret_fields: ClassVar[frozenset[str]] = frozenset(["key"])

    #: Its id.
    id: int
    #: The API key, shown this once.
    key: str


class FloatChange(Struct, frozen=True, kw_only=True):
    """A deposit or payout as done, and the float after it."""

    #: The partner's name.
    partner: str
    #: Money, kopecks.
    amount_kopecks: int
    #: Money on the partner's float that no user has, kopecks.
    float_balance_kopecks: int
    #: Set by the client: this answers an earlier request with the same Idempotency-Key, and nothing moved now.
    is_replayed: bool = False


class Upkeep(Struct, frozen=True, kw_only=True):
    """What an admin looks at now and then."""

    #: When `foreknow backup` was finished last, UTC; null for never.
    newest_backup_at: datetime | None
    #: Why nothing is sent; null if it is.
    held: SendingHold | None


class SendingHold(Struct, frozen=True, kw_only=True):
    """Nothing is sent to partners or alert channels."""

    #: Since when nothing is sent, UTC.
    since: datetime
    #: Why, for people.
    reason: str


class IssuedWebhook(Secretive, frozen=True, kw_only=True):
    """A webhook as set, with its new secret, which is shown this once."""

    secret_fields: ClassVar[frozenset[str]] = frozenset(["secret"])

    #: Where messages are posted.
    url: str
    #: What signs its messages, shown this once; empty where the webhook is removed.
    secret: str


class WebhookState(Struct, frozen=True, kw_only=True):
    """A webhook and how its deliveries go."""

    #: Where messages are posted.
    url: str
    #: When it was created, UTC.
    created_at: datetime
    #: When a message was taken last, UTC; null for never.
    last_delivery_at: datetime | None
    #: Since when all attempts have failed, UTC; null if they do not.
    failing_since: datetime | None
    #: Why the last attempt failed; empty if it did not.
    reason: str
    #: When the next attempt is, UTC; null where none failed.
    next_attempt_at: datetime | None
    #: Messages that wait; 1000 stands for that many or more.
    waiting: int


class WebhookTest(Struct, frozen=True, kw_only=True):
    """What came of a test message."""

    #: Whether it was taken: answered with a 2xx.
    delivered: bool
    #: Why it was not; empty if it was.
    reason: str


class Resend(Struct, frozen=True, kw_only=True):
    """How much is posted again."""

    #: How many lines are posted again.
    count: int


class SiteSettings(Struct, frozen=True, kw_only=True):
    """The settings of the site, and their version."""

    #: One more with each change.
    version: int
    #: All of them.
    settings: list[SiteSetting]


class SiteSetting(Struct, frozen=True, kw_only=True):
    """A setting of the site."""

    #: The variable's name in lower case, without prefix.
    name: str
    #: What counts, as JSON of its type.
    value: str | int | list[str] | dict[str, Any] | None
    #: What would count if it were not set, beside the other values.
    default: str | int | list[str] | dict[str, Any] | None
    #: What sets it; what the environment sets cannot be changed here.
    source: SiteSettingSource


class StoredPicture(Struct, frozen=True, kw_only=True):
    """Where a picture of the site's looks is served."""

    #: Its path, which changes with it.
    url: str


class PageSource(Struct, frozen=True, kw_only=True):
    """What is stored of a page, as Markdown."""

    #: In English; null where none is stored.
    en: str | None
    #: In Russian; null where none is stored.
    ru: str | None


class FirstHour(Struct, frozen=True, kw_only=True):
    """The steps of a new site, each with whether it is done."""

    #: Whether there is an event.
    market: bool
    #: Whether people were invited.
    invitation: bool
    #: Whether the site has a logo, an icon or a colour of its own.
    looks: bool
    #: Whether there is nothing more to show: all steps are done, an admin has put them away, or the first event is
    #: a week old.
    over: bool


class StoredImage(Struct, frozen=True, kw_only=True):
    """Where the cover image is served: below FOREKNOW_PUBLIC_URL where that is set, else a path of this host."""

    #: Address of the cover image; "" where none is set.
    image_url: str


class AssetPage(Struct, frozen=True, kw_only=True):
    """A page of assets, newest first."""

    #: Assets.
    assets: list[Asset]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class Asset(Struct, frozen=True, kw_only=True):
    """An asset with its price in US dollars; `price_updated_at` tells how old that is."""

    #: Its id.
    id: int
    #: The asset's symbol, in upper case.
    symbol: str
    #: The asset's name.
    name: str
    #: Its type.
    asset_type: str
    #: In US dollars.
    price: float
    #: When the price was last set, UTC.
    price_updated_at: datetime
    #: When it was created, UTC.
    created_at: datetime


class PricePage(Struct, frozen=True, kw_only=True):
    """A page of an asset's observations, those recorded last first."""

    #: Observations.
    prices: list[PriceObservation]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class PriceObservation(Struct, frozen=True, kw_only=True):
    """A price that was fetched or set."""

    #: In US dollars.
    price: float
    #: When the request for the price began, UTC.
    observed_at: datetime
    #: The provider's name; `admin` for a price that an admin set.
    source: str


class CurrencyRate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one unit of a currency is worth in another; codes are answered in upper case."""

    #: A currency's code, in any case.
    from_: str = field(name="from")
    #: Another currency's code, in any case.
    to: str
    #: What one unit of `from` is worth in `to`.
    rate: float


class StoredRatePage(Struct, frozen=True, kw_only=True):
    """A page of rates, by the codes of their pairs."""

    #: Rates, one a pair.
    rates: list[StoredRate]
    #: `cursor` of the next page; null at the end.
    next_cursor: str | None
    #: Whether a further page exists.
    has_more: bool


class StoredRate(Struct, frozen=True, kw_only=True):
    """A rate as it was given: by an admin or a provider."""

    #: A currency's code.
    from_: str = field(name="from")
    #: Another currency's code.
    to: str
    #: What one unit of `from` is worth in `to`.
    rate: float
    #: The provider that gave it; "" where an admin did.
    source: str
    #: When it was given, UTC.
    updated_at: datetime
