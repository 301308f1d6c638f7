"""Lists whose positions are being turned."""

from __future__ import annotations

from foreknow.platform.jobs import JobTable
from foreknow.platform.jobs.piecewise import LEASE_MS
from foreknow.trading.lists.tables import split_turns

_C = split_turns.c

#: One row a list, due from its split on; `attempts` counts those since the last piece.
TURNS = JobTable(_C.pool_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)
