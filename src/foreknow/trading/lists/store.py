"""Lists whose positions are being turned."""

from __future__ import annotations

from foreknow.platform.jobs import JobTable
from foreknow.trading.lists.tables import split_turns

#: After the death of a process another goes on this much later, and its poll. Renewed with every piece.
LEASE_MS = 3_000
_C = split_turns.c

#: One row a list, due from its split on; `attempts` counts those since the last piece.
TURNS = JobTable(_C.pool_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)
