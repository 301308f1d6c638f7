"""The model of what many processes would carry."""

from __future__ import annotations

from bench.capacity import model
from bench.capacity.model import Costs, Machines

COSTS = Costs(
    bet_us=150,
    bet_database_us=100,
    spread_bet_us=200,
    spread_bet_database_us=200,
    noop_us=50,
    least_batch_us=2_400,
    read_us=100,
    read_bytes=10_000,
    message_us=10,
    socket_kib=20,
)


def machines(processes: int, *, primary_cores: int = 16) -> Machines:
    """Return machines with these numbers of cores."""
    return Machines(processes=processes, primary_cores=primary_cores)


def test_one_hot_pool_is_held_up_by_its_lock_once_processes_are_many() -> None:
    # 2.4 ms and 128 times 200 µs: 28 ms for 128 bets.
    assert round(COSTS.full_batch_us) == 28_000
    assert model.bets_on_one_pool(COSTS, machines(1, primary_cores=1)).by == "the pool's lock"
    assert round(model.bets_on_one_pool(COSTS, machines(64)).per_second) == 4_571


def test_many_pools_grow_with_the_processes_until_the_primary_is_full() -> None:
    one, four, many = (model.bets_on_many_pools(COSTS, machines(count)) for count in (1, 4, 64))

    assert (round(one.per_second), one.by) == (4_000, "processes")
    assert (round(four.per_second), four.by) == (16_000, "processes")
    assert (round(many.per_second), many.by) == (64_000, "the primary's cores")


def test_reads_grow_until_the_network_is_full() -> None:
    assert model.reads(COSTS, machines(1), network_bytes=10**9).by == "processes"
    assert model.reads(COSTS, machines(64), network_bytes=10**9).per_second == 10**5


def test_twice_the_trades_leave_half_the_sockets() -> None:
    slow, quick = (model.sockets(COSTS, machines(4), trades_per_second=trades).per_second for trades in (5, 10))

    assert slow == 2 * quick == 64_000
