"""What people think of pools' outcomes, and the crowd that a follower makes of it."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Int64, Json, Text, own_id, partial_index, table
from foreknow.platform.jobs import Cursor

#: A row each thing that a person said of a pool. A renewal moves `created_at_ms` alone, a change ends the row and
#: writes another. `pool_id` is no foreign key: on PostgreSQL its check would wait for the lock that orders hold.
forecasts = table(
    "forecasts",
    own_id(),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: Probabilities as sent, and as given back: raised and divided, one a market that the pool had then.
    sa.Column("sent", Json, nullable=False),
    sa.Column("probabilities", Json, nullable=False),
    #: The pool's prices at `since_ms`, one a market.
    sa.Column("market", Json, nullable=False),
    #: For its author alone.
    sa.Column("note", Text, nullable=False),
    #: When it was first said, and when it was last said again.
    sa.Column("since_ms", Int64, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: When it stood no more; NULL while it does.
    sa.Column("ended_at_ms", Int64),
    #: The person's next row of the pool; NULL: this is the last one.
    sa.Column("next_id", Int64),
    #: When they were last accepted in this pool: times of the hour before `created_at_ms`, which is the last.
    sa.Column("accepted", Json, nullable=False),
    # A person's history in a pool.
    sa.Index("ix_forecasts_pool_id_user_id_id", "pool_id", "user_id", "id"),
    sa.Index("ix_forecasts_user_id_id", "user_id", "id"),
)
_STANDS = forecasts.c.ended_at_ms.is_(None)
partial_index("uq_forecasts_standing", forecasts.c.pool_id, forecasts.c.user_id, where=_STANDS, unique=True)
partial_index("ix_forecasts_newest", forecasts.c.pool_id, forecasts.c.since_ms, forecasts.c.id, where=_STANDS)
# What was last said long ago.
partial_index("ix_forecasts_said", forecasts.c.created_at_ms, forecasts.c.id, where=_STANDS)
# A person's pools by their last row; and those whose last row of some time ago has been followed since.
partial_index("ix_forecasts_last", forecasts.c.user_id, forecasts.c.id, where=forecasts.c.next_id.is_(None))
partial_index("ix_forecasts_followed", forecasts.c.user_id, forecasts.c.next_id, where=forecasts.c.next_id.is_not(None))

#: One row, which the follower of forecasts locks: `turn` counts what it has written.
forecast_cursor = table(
    "forecast_cursor",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    sa.Column("turn", Int64, nullable=False, server_default="0"),
)
CURSOR = Cursor(forecast_cursor)

#: What the crowd of a pool thinks now. Nor are these pools foreign keys.
forecast_crowds = table(
    "forecast_crowds",
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    #: One little-endian double a market that the pool had then; NULL while fewer than 3 weigh something.
    sa.Column("probabilities", Bytes),
    #: When it changes though no one says anything: an account becomes a day old, or is muted no more; NULL: never.
    sa.Column("due_at_ms", Int64, index=True),
)

#: The crowd as it was: each change that the follower wrote. A person who deletes their account is not taken out of it.
forecast_crowd_points = table(
    "forecast_crowd_points",
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("at_ms", Int64, primary_key=True, autoincrement=False),
    #: As in `forecast_crowds`; NULL from when on there was none.
    sa.Column("probabilities", Bytes),
    clustered=True,
)
