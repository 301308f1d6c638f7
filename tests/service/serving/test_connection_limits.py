"""The limits of open connections."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foreknow.kernel.settings import Settings
from foreknow.web import connection_limits as admissions
from foreknow.web.connection_limits import ConnectionLimiter, Rejection
from foreknow.web.ingress import connections_max, open_ingress
from foreknow.web.memory import Memory, cgroup_limit_bytes, resident_bytes
from tests.service.logs.conftest import Caught
from tests.service.logs.conftest import caught as caught  # noqa: PLC0414 - a fixture
from tests.site.feed.listening import listening_at
from tests.support.metrics import scrape, value
from tests.support.raw_connection import RawConnection
from tests.support.service import Service, refused
from tests.support.waiting import wait_until

# What happens below the pipeline knows of no database.
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

StartService = Callable[..., Service]
HEALTH = "GET /api/v1/health"
#: Addresses of this machine besides its usual one.
OTHER, ANOTHER = "127.0.0.2", "127.0.0.3"


def asked(wire: RawConnection) -> tuple[int, str]:
    """Ask, and return the status and what is refused."""
    wire.send(wire.head(HEALTH))
    answer, body = wire.answer()
    assert ("retry-after" in answer.headers) == (answer.status != 200)
    return answer.status, body.get("error", "")


@on_sqlite
def test_an_address_has_a_limited_number_of_connections(start_service: StartService) -> None:
    service = start_service(rate_limits="on", connections_per_address=2)
    with RawConnection(service, source=OTHER) as one, RawConnection(service, source=OTHER) as two:
        assert [asked(one), asked(two)] == [(200, ""), (200, "")]
        with RawConnection(service, source=OTHER) as third:
            assert asked(third) == (429, "rate_limited")
            assert third.ends()
        # Its neighbours are served, and so is it on those it has.
        with RawConnection(service, source=ANOTHER) as neighbour:
            assert asked(neighbour) == (200, "")
        assert asked(one) == (200, "")
    wait_until(lambda: service.app.ingress.connection_limits.open == 0)
    with RawConnection(service, source=OTHER) as again:
        assert asked(again) == (200, "")


@on_sqlite
def test_sockets_are_counted_for_themselves(start_service: StartService) -> None:
    service = start_service(rate_limits="on", connections_per_address=1)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(listening_at(service.api_url)).message()
        with RawConnection(service) as wire:
            assert asked(wire) == (200, "")
            assert service.app.ingress.connection_limits.open == 4
    wait_until(lambda: service.app.ingress.connection_limits.open == 0)


@on_sqlite
@pytest.mark.parametrize("settings", [{"rate_limits": "off"}, {"rate_limits": "on", "trusted_proxies": "127.0.0.2"}])
def test_proxies_and_load_tests_have_as_many_as_they_like(
    start_service: StartService, settings: dict[str, str]
) -> None:
    service = start_service(connections_per_address=1, **settings)
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(RawConnection(service, source=OTHER)) for _ in range(5)]
        assert [asked(wire) for wire in wires] == [(200, "")] * 5


@on_sqlite
def test_all_connections_together_are_limited(start_service: StartService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admissions, "REJECTED_OPEN_MAX", 2)
    service = start_service(rate_limits="off", connections_max=3)
    with contextlib.ExitStack() as stack:
        inside = [stack.enter_context(RawConnection(service)) for _ in range(3)]
        assert [asked(wire) for wire in inside] == [(200, "")] * 3
        # Some hear why they are refused; more than that, and they are closed at once.
        outside = [stack.enter_context(RawConnection(service)) for _ in range(3)]
        assert outside[2].ends()
        assert [asked(wire) for wire in outside[:2]] == [(503, "unavailable")] * 2
        assert service.app.ingress.connection_limits.refused[Rejection.TOTAL] == 3
        assert asked(inside[0]) == (200, "")
    wait_until(lambda: service.app.ingress.connection_limits.open == 0)
    with RawConnection(service) as again:
        assert asked(again) == (200, "")


@on_sqlite
def test_a_refused_client_that_stays_silent_is_closed(
    start_service: StartService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreknow.service.serving.timeouts.CLOSING_S", 0.5)
    service = start_service(rate_limits="off", connections_max=1)
    with RawConnection(service) as inside, RawConnection(service) as outside:
        assert asked(inside) == (200, "")
        assert outside.ends()


@on_sqlite
def test_short_of_memory_no_new_client_is_let_in(start_service: StartService) -> None:
    service = start_service(rate_limits="off")
    with RawConnection(service) as early:
        assert asked(early) == (200, "")
        memory = service.app.ingress.connection_limits.memory
        memory.limit_bytes = resident_bytes()
        wait_until(lambda: memory.is_short)
        with RawConnection(service) as late:
            assert asked(late) == (503, "unavailable")
        assert asked(early) == (200, "")
        memory.limit_bytes = 100 * resident_bytes()
        wait_until(lambda: not memory.is_short)
        with RawConnection(service) as late:
            assert asked(late) == (200, "")


@on_sqlite
def test_refused_connections_are_in_the_metrics_and_once_a_minute_in_the_log(
    start_service: StartService, caught: Caught
) -> None:
    service = start_service(rate_limits="on", connections_per_address=1, log_level="info")
    connection_limits = service.app.ingress.connection_limits

    def refuse(count: int) -> None:
        before = connection_limits.refused[Rejection.ADDRESS]
        with RawConnection(service, source=OTHER) as inside:
            assert asked(inside) == (200, "")
            for _ in range(count):
                with RawConnection(service, source=OTHER) as outside:
                    assert asked(outside)[0] == 429
        assert connection_limits.refused[Rejection.ADDRESS] == before + count
        wait_until(lambda: connection_limits.open == 0)

    def lines() -> list[str]:
        return [line for line in caught.text.splitlines() if "connections rejected" in line]

    refuse(3)
    wait_until(lambda: len(lines()) == 1)
    refuse(2)
    samples = scrape(service)
    assert value(samples, "foreknow_connections_refused_total", reason="address") == 5
    assert value(samples, "foreknow_connections_refused_total", reason="memory") == 0
    assert value(samples, "foreknow_connections_closed_total", reason="malformed") == 0
    assert value(samples, "foreknow_connections_open") == 1

    async def a_minute_later() -> None:
        connection_limits.update(connection_limits._next_log_at_s - 1)
        assert len(lines()) == 1
        connection_limits.update(connection_limits._next_log_at_s)
        assert len(lines()) == 2

    service.server.run(a_minute_later())
    assert sum(int(line.partition('"address": ')[2].split("}")[0].split(",")[0]) for line in lines()) == 5


@on_sqlite
def test_what_was_closed_for_its_fault_is_in_the_metrics(start_service: StartService) -> None:
    service = start_service()
    with RawConnection(service) as wire:
        wire.send(b"nothing\r\n\r\n")
        assert wire.answer()[0].status == 400
    assert value(scrape(service), "foreknow_connections_closed_total", reason="malformed") == 1
    refused(service.client().get("/nothing"), 404, "not_found")


def test_files_bound_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_files(soft: int, **settings: Any) -> int:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, soft))
        return connections_max(Settings(**settings))

    assert with_files(1_024) == 824
    assert with_files(1_024, connections_max=0) == 824
    assert with_files(1_024, connections_max=10) == 10
    assert with_files(10**6) == 20_000
    assert with_files(resource.RLIM_INFINITY) == 20_000
    assert with_files(100) == 1


def test_one_address_takes_no_more_than_its_share_of_what_the_process_may_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def bounds(files: int, **settings: Any) -> tuple[int | None, int | None]:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
        ingress = open_ingress(Settings(**settings))
        return ingress.connection_limits._per_address_max, ingress.sockets._open_max

    assert bounds(10**6) == (2_000, 10_000)
    assert bounds(2_200) == (500, 1_000)
    assert bounds(100) == (1, 1)
    assert bounds(10**6, connections_max=100) == (25, 50)
    assert bounds(2_200, connections_per_address=7, sockets_per_address=8) == (7, 8)
    assert bounds(2_200, connections_per_address=0, sockets_per_address=0) == (None, None)
    assert bounds(2_200, rate_limits="off") == (None, None)


def test_an_ipv6_network_is_one_address() -> None:
    let_in = open_ingress(Settings(connections_per_address=2)).connection_limits
    places = [let_in.enter(f"2001:db8::{number}") for number in range(3)]
    assert [place.error is None for place in places if place] == [True, True, False]
    elsewhere = let_in.enter("2001:db8:0:1::1")
    assert elsewhere is not None
    assert elsewhere.error is None
    for place in places:
        assert place is not None
        place.release()
    # Leaving twice is leaving once.
    elsewhere.release()
    elsewhere.release()
    assert (let_in.open, let_in._open_by_key, let_in._rejected_open) == (0, {}, 0)


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "limit_mib"),
    [
        pytest.param({}, None, id="no cgroups"),
        pytest.param({"cgroup": "0::/\n", "cg/memory.max": "max\n"}, None, id="version 2 without a limit"),
        pytest.param({"cgroup": "0::/\n", "cg/memory.max": "104857600\n"}, 100, id="a container"),
        pytest.param(
            {
                "cgroup": "0::/system.slice/foreknow.service\n",
                "cg/system.slice/foreknow.service/memory.max": "max\n",
                "cg/system.slice/memory.max": "209715200\n",
            },
            200,
            id="a unit in a slice",
        ),
        pytest.param(
            {
                "cgroup": "9:cpu,cpuacct:/a\n8:memory:/docker/abc\n",
                "cg/memory/memory.limit_in_bytes": "314572800\n",
            },
            300,
            id="version 1, in a container",
        ),
        pytest.param(
            {"cgroup": "8:memory:/\n", "cg/memory/memory.limit_in_bytes": "9223372036854771712\n"},
            None,
            id="version 1 without a limit",
        ),
    ],
)
def test_the_limit_of_a_control_group_is_found(tmp_path: Path, files: dict[str, str], limit_mib: int | None) -> None:
    written(tmp_path, files)
    found = cgroup_limit_bytes(tmp_path, tmp_path / "cg")
    assert found == (None if limit_mib is None else limit_mib * 1024 * 1024)


def test_memory_is_short_from_nine_tenths_on(tmp_path: Path) -> None:
    written(tmp_path, {"statm": "9999 900 100 1 0 500 0\n"})
    page = resident_bytes(tmp_path) // 900
    assert page >= 4_096

    def is_short(limit_bytes: int | None, proc: Path = tmp_path) -> bool:
        memory = Memory(limit_bytes, proc=proc)
        memory.measure()
        return memory.is_short

    assert [is_short(limit) for limit in (None, 1_100 * page, 1_000 * page)] == [False, False, True]
    # Where the system does not say, no client is turned away.
    assert not is_short(1, tmp_path / "nothing")
    assert resident_bytes() > 10_000_000


def test_the_memory_setting_comes_first_and_workers_share_what_the_group_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def limit(**settings: Any) -> int | None:
        connection_limits: ConnectionLimiter = open_ingress(Settings(**settings)).connection_limits
        return connection_limits.memory.limit_bytes

    monkeypatch.setattr("foreknow.web.ingress.cgroup_limit_bytes", lambda: 1_000)
    assert [limit(), limit(workers=4), limit(memory_limit_mib=1)] == [1_000, 250, 1_048_576]
