"""Pools: one question each. Orders lock its row."""

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.platform.db.metadata import Flag, Float64, Int64, Json, Text, own_id, partial_index, table

pools = table(
    "pools",
    own_id(),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), nullable=False, index=True),
    sa.Column("creator_id", Int64, nullable=False),
    sa.Column("position", Int64, nullable=False),
    sa.Column("name", Text, nullable=False),
    sa.Column("name_ru", Text, nullable=False),
    sa.Column("rules", Text, nullable=False),
    #: The fee fraction as sent; read as its shortest decimal.
    sa.Column("margin", Float64, nullable=False),
    sa.Column("live_at_ms", Int64),
    sa.Column("finish_at_ms", Int64),
    #: Returned as sent.
    sa.Column("metadata", Json, nullable=False),
    #: The LMSR liquidity parameter now, kopecks.
    sa.Column("b", Int64, nullable=False),
    #: Integer prior weights as decimal text (they may exceed 64 bits), one per outcome, the implicit other of a
    #: single-market pool included.
    sa.Column("weights", Json, nullable=False),
    #: new (unpublished), open (published), resolved (settled or voided).
    sa.Column("state", Text, nullable=False),
    sa.Column("paused", Flag, nullable=False, server_default=sa.text("false")),
    #: Whether its event's creator has ever paused it.
    sa.Column("creator_has_paused", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("published_at_ms", Int64),
    sa.Column("resolved_at_ms", Int64),
    #: outcome_index that won; in a single-market pool 0 = YES, 1 = NO; -1 = no winner.
    sa.Column("won_side", Int64),
    #: The resolution as requested, to recognise the same one again.
    sa.Column("resolution", Json),
    #: ceil(b · ln(1/min w)), which the house pays into escrow on publication, and the subsidies of all additions.
    sa.Column("loss_bound_kopecks", Int64, nullable=False),
    sa.Column("escrow_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("fees_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("volume_kopecks", Int64, nullable=False, server_default="0"),
    #: Number of trades: the ordinal of the newest, for the charts.
    sa.Column("trade_count", Int64, nullable=False, server_default="0"),
    sa.Column("last_trade_at_ms", Int64),
    #: Limit orders that rest in it: at 0 no order looks for any.
    sa.Column("open_orders", Int64, nullable=False, server_default="0"),
    #: manual, price or external: what gives the result (`metadata.resolution`).
    sa.Column("resolution_kind", Text, nullable=False, server_default="manual"),
    #: Length of the dispute window; 0 for none.
    sa.Column("dispute_minutes", Int64, nullable=False, server_default="0"),
    #: What its outcomes are together (`metadata.shape`), as sent; NULL for a plain pool.
    sa.Column("shape", Json),
    #: Of a list: the outcome_index of Other, of which outcomes are taken.
    sa.Column("other_index", Int64),
    #: The outcomes taken out of it (`pools.splits.SplitStep`), oldest first; NULL before any.
    sa.Column("splits", Json),
    #: Whether positions of Other are still to be turned after the last of them.
    sa.Column("turning", Flag, nullable=False, server_default=sa.text("false")),
    #: Texts as written, with their placeholders; NULL where none are read.
    sa.Column("templates", Json),
    #: The publication and each addition (`pools.liquidity.LiquidityStep`); NULL before any addition.
    sa.Column("liquidity", Json),
    #: The observation at publication that relative bounds refer to.
    sa.Column("strike", Json),
    #: What the result was read from.
    sa.Column("evidence", Json),
    #: When a result was given; while its dispute window is open the pool's state is still `open`.
    sa.Column("decided_at_ms", Int64),
    #: rule, creator or admin
    sa.Column("decided_by", Text),
    #: All results it was given (`pools.verdicts.Verdict`), oldest first; the columns beside are the last one's.
    sa.Column("verdicts", Json),
    #: From when on the result is final: the end of its dispute window, or of what holds it longer.
    sa.Column("disputable_until_ms", Int64),
    #: When the first result was given; NULL also of one that the release before this column gave.
    sa.Column("first_verdict_at_ms", Int64),
    #: End of the dispute window (excluded) of the present result; NULL also of those.
    sa.Column("window_ends_ms", Int64),
    #: The number of the last result that was confirmed, from 1.
    sa.Column("confirmed_number", Int64),
    #: Objections to the present result that are open, and how many of them hold it.
    sa.Column("open_objections", Int64, nullable=False, server_default="0"),
    sa.Column("holding_objections", Int64, nullable=False, server_default="0"),
    #: no_price, no_result or no_single_winner: why the rule gave no result; a person must.
    sa.Column("attention_reason", Text),
    #: The moment whose prices a void pays; NULL for the last ones.
    sa.Column("void_at_ms", Int64),
    #: What had been traded by that moment (`pools.liquidity.PastTrades`).
    sa.Column("void_prices", Json),
    #: Set from the final result until its last position is paid.
    sa.Column("paying", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("paid_at_ms", Int64),
    #: How many clarifications its rules have, hidden ones too.
    sa.Column("clarifications", Int64, nullable=False, server_default="0"),
    #: What `finish_at_ms` was at publication, 0 for none; NULL before, and where the release before this column
    #: published it.
    sa.Column("first_finish_at_ms", Int64),
)

#: When pools could not be traded since they were paused; `until_ms` is NULL while they are. What a release before this
#: table paused or resumed is not in it. `pool_id` is no foreign key, nor is it below: orders lock the pool's row.
pool_pauses = table(
    "pool_pauses",
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("from_ms", Int64, primary_key=True, autoincrement=False),
    sa.Column("until_ms", Int64),
    clustered=True,
)
#: The prior weights that a pool without trades had until a moment, as decimal text, by commas.
pool_priors = table(
    "pool_priors",
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("until_ms", Int64, primary_key=True, autoincrement=False),
    sa.Column("weights", Text, nullable=False),
    clustered=True,
)

#: When each pool needs work next: its end, its rule's result, the end of its dispute window. No row: never again.
pool_deadlines = table(
    "pool_deadlines",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: While a process works on it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)
#: Pools whose crowd may have changed by a forecast or a split, until the follower of forecasts has looked.
forecast_news = table(
    "forecast_news",
    own_id(),
    sa.Column("pool_id", Int64, nullable=False),
    #: Who has said something, or whose account has changed; NULL for a split.
    sa.Column("user_id", Int64),
)
#: Pools with a price rule that need its result, once past their finish_at. Literals, so that the partial index matches.
WAITING_FOR_PRICE = sa.and_(
    pools.c.state == sa.literal("open", literal_execute=True),
    pools.c.resolution_kind == sa.literal("price", literal_execute=True),
    pools.c.decided_at_ms.is_(None),
    pools.c.attention_reason.is_(None),
)
partial_index("ix_pools_waiting_for_price", pools.c.finish_at_ms, where=WAITING_FOR_PRICE)
#: Pools that a person resolves and has not. Literals likewise.
WAITING_FOR_VERDICT = sa.and_(
    pools.c.state == sa.literal("open", literal_execute=True),
    pools.c.resolution_kind == sa.literal("manual", literal_execute=True),
    pools.c.decided_at_ms.is_(None),
)
partial_index("ix_pools_waiting_for_verdict", pools.c.finish_at_ms, where=WAITING_FOR_VERDICT)
# For the sum of a creator's open loss bounds, whatever the number of resolved pools.
partial_index("ix_pools_open_creator", pools.c.creator_id, pools.c.loss_bound_kopecks, where=pools.c.state == "open")
# For what follows from results, in their order. Open pools, which trades change, are not in it.
partial_index("ix_pools_resolved", pools.c.resolved_at_ms, where=pools.c.resolved_at_ms.is_not(None))
# Pools in which orders rest, by when they end. The literal, so that the partial indexes match.
HAS_ORDERS = pools.c.open_orders > sa.literal_column("0")
partial_index(
    "ix_pools_orders_finish", pools.c.finish_at_ms, where=sa.and_(HAS_ORDERS, pools.c.finish_at_ms.is_not(None))
)
partial_index(
    "ix_pools_orders_decided", pools.c.decided_at_ms, where=sa.and_(HAS_ORDERS, pools.c.decided_at_ms.is_not(None))
)


def first_decided_at_ms(pool: sa.FromClause = pools) -> sa.ColumnElement[int | None]:
    """Return when trading in a pool ended with a result (`PoolRow.first_decided_at_ms`): a further one leaves it."""
    window_ms = pool.c.dispute_minutes * sa.literal_column(str(MINUTE_MS), Int64)
    return sa.func.coalesce(pool.c.first_verdict_at_ms, pool.c.disputable_until_ms - window_ms, pool.c.decided_at_ms)
