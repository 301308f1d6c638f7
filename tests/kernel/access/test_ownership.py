"""Who may see and who may run what a creator made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_run_by, is_visible_to, may_still_edit, may_still_run

STRANGER = UserCaller(2, 20, is_creator=True, is_admin=False, is_stats_viewer=True, is_operator=True)
OWNER = UserCaller(1, 10, is_creator=True, is_admin=False, is_stats_viewer=False, is_operator=False)
ADMIN = UserCaller(3, 30, is_creator=False, is_admin=True, is_stats_viewer=False, is_operator=False)
EVERYONE = [None, STRANGER, OWNER, ADMIN]


@dataclass(frozen=True)
class Row:
    """A row that user 1 made."""

    published_at_ms: int | None
    creator_id: int = OWNER.user_id


def test_before_publication_only_the_creator_and_admins_see_a_row() -> None:
    assert [visitor for visitor in EVERYONE if is_visible_to(visitor, Row(None))] == [OWNER, ADMIN]


@pytest.mark.parametrize("published_at_ms", [0, 1_800_000_000_000])
def test_a_published_row_is_visible_to_everyone(published_at_ms: int) -> None:
    assert [visitor for visitor in EVERYONE if is_visible_to(visitor, Row(published_at_ms))] == EVERYONE


@pytest.mark.parametrize("published_at_ms", [None, 1_800_000_000_000])
def test_only_the_creator_and_admins_run_a_row(published_at_ms: int | None) -> None:
    assert [visitor for visitor in EVERYONE if is_run_by(visitor, Row(published_at_ms))] == [OWNER, ADMIN]


def test_a_creator_who_lost_the_role_still_sees_but_no_longer_runs_a_row() -> None:
    former = replace(OWNER, is_creator=False)

    assert is_visible_to(former, Row(None))
    assert [caller for caller in (STRANGER, former, OWNER, ADMIN) if may_still_run(caller, Row(None))] == [OWNER, ADMIN]


def test_who_suggested_an_event_edits_it_until_it_is_published() -> None:
    suggester = replace(OWNER, is_creator=False, creators="suggest")
    callers = [replace(STRANGER, creators="suggest"), suggester, OWNER, ADMIN]

    assert [caller for caller in callers if may_still_edit(caller, Row(None))] == [suggester, OWNER, ADMIN]
    assert [caller for caller in callers if may_still_edit(caller, Row(0))] == [OWNER, ADMIN]
    assert not may_still_edit(replace(suggester, creators="chosen"), Row(None))
