"""A week of a busy site, with kills, backups, an upgrade and a restored copy: thinned to days of a few instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.week import Size, bounded_tables, run_week
from foreknow.service.tables import metadata
from tests.support.kinds import ONCE
from tests.support.lengths import LONG, length


@ONCE
@LONG
@pytest.mark.slow
def test_a_week_ends_as_flat_and_as_right_as_it_began(
    database_url: str, database_kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    is_sqlite = database_kind == "sqlite"
    restored = f"sqlite:///{tmp_path}/new/foreknow.sqlite3" if is_sqlite else request.getfixturevalue("postgres_url")
    size = length(short=Size(days=3, instances=1, traders=2, orders=6), long=Size(days=4, instances=24, traders=20))
    done, stops, mails = run_week(database_url, restored, size)

    assert len(done.instances) == size.days * size.instances
    assert (done.kills, done.upgrades, len(stops)) == (size.days, 1, size.days + 1)
    assert done.disputes >= 1
    assert stops[-1].verified >= len(done.answered) > 0
    # Each trader verified an address by a mail.
    assert mails > size.traders


def test_the_page_of_limits_names_bounded_tables() -> None:
    assert {"mails", "payments"} <= bounded_tables() <= set(metadata.tables)
