"""The model: how much of what many processes carry, and what holds them up first."""

from __future__ import annotations

from dataclasses import dataclass

#: Of a core, for what a process does beside its load.
BUSY_MOST = 0.8
#: Most orders of a batch (`trading/desk/desk.py`), which follow one another on one pool.
BATCH_ORDERS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What was measured, in microseconds but for the last ones."""

    #: CPU time of the process and of PostgreSQL for a bet: all on one pool, and spread over many.
    bet_us: float
    bet_database_us: float
    spread_bet_us: float
    spread_bet_database_us: float
    #: CPU time of the process for a request of the same shape that places no bet.
    noop_us: float
    #: How long a batch of one order holds the lock of its pool, its commit included.
    least_batch_us: float
    #: CPU time of a read of a batch of 20 pools.
    read_us: float
    read_bytes: int
    #: CPU time of one message of the feed to one socket, and what a socket takes of memory.
    message_us: float
    socket_kib: float

    @property
    def full_batch_us(self) -> float:
        """How long a full batch holds the lock of its pool: each order as long as its rules and rows take."""
        return self.least_batch_us + BATCH_ORDERS * (self.bet_us - self.noop_us + self.bet_database_us)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How many a second at most, and what is saturated then."""

    per_second: float
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """What there is: processes with a core each, and cores of PostgreSQL's primary."""

    processes: int
    primary_cores: int


def bets_on_one_pool(costs: Costs, machines: Machines) -> Ceiling:
    """Return the bets a second where all are on one pool: one batch at a time has its lock."""
    return _least(
        Ceiling(BUSY_MOST * machines.processes * 1e6 / costs.bet_us, "processes"),
        Ceiling(BATCH_ORDERS * 1e6 / costs.full_batch_us, "the pool's lock"),
        Ceiling(BUSY_MOST * machines.primary_cores * 1e6 / costs.bet_database_us, "the primary's cores"),
    )


def bets_on_many_pools(costs: Costs, machines: Machines) -> Ceiling:
    """Return the bets a second over pools of which no two processes want the same one."""
    return _least(
        Ceiling(BUSY_MOST * machines.processes * 1e6 / costs.spread_bet_us, "processes"),
        Ceiling(BUSY_MOST * machines.primary_cores * 1e6 / costs.spread_bet_database_us, "the primary's cores"),
    )


def reads(costs: Costs, machines: Machines, *, network_bytes: float) -> Ceiling:
    """Return the public reads a second; `network_bytes` are those that leave all processes in a second."""
    return _least(
        Ceiling(BUSY_MOST * machines.processes * 1e6 / costs.read_us, "processes"),
        Ceiling(network_bytes / costs.read_bytes, "the network"),
    )


def sockets(costs: Costs, machines: Machines, *, trades_per_second: float) -> Ceiling:
    """Return how many sockets get every trade: each process sends each trade to all of its own."""
    each = BUSY_MOST * 1e6 / (trades_per_second * costs.message_us)
    return Ceiling(machines.processes * each, "the feed's fan-out")


def connections(machines: Machines, *, each: int) -> int:
    """Return how many connections to PostgreSQL all processes may open."""
    return machines.processes * each


def _least(*ceilings: Ceiling) -> Ceiling:
    return min(ceilings, key=lambda ceiling: ceiling.per_second)
