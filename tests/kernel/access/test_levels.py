"""Which roles open which auth levels, and whose idempotency keys are whose."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from foreknow.kernel.access.callers import Creators, KeyScope, PartnerCaller, UserCaller
from foreknow.kernel.access.levels import AuthLevel, may

PLAIN = UserCaller(7, 70, is_creator=False, is_admin=False, is_stats_viewer=False, is_operator=False)
CREATOR = replace(PLAIN, is_creator=True)
ADMIN = replace(PLAIN, is_admin=True)
STATS_VIEWER = replace(PLAIN, is_stats_viewer=True)
OPERATOR = replace(PLAIN, is_operator=True)

#: The users with one role, or none, that a level lets in.
LET_IN = {
    AuthLevel.CREATOR: [CREATOR],
    AuthLevel.STATS_VIEWER: [STATS_VIEWER],
    AuthLevel.OPERATOR: [ADMIN, OPERATOR],
    AuthLevel.ADMIN: [ADMIN],
    AuthLevel.REQUIRED: [PLAIN, CREATOR, ADMIN, STATS_VIEWER, OPERATOR],
    AuthLevel.OPTIONAL: [PLAIN, CREATOR, ADMIN, STATS_VIEWER, OPERATOR],
}


@pytest.mark.parametrize("level", LET_IN, ids=lambda level: level.name)
def test_a_role_opens_its_own_level_and_an_admin_the_operators_too(level: AuthLevel) -> None:
    users = [PLAIN, CREATOR, ADMIN, STATS_VIEWER, OPERATOR]

    assert [user for user in users if may(user, level)] == LET_IN[level]


@pytest.mark.parametrize("level", LET_IN, ids=lambda level: level.name)
def test_several_roles_open_what_each_of_them_opens(level: AuthLevel) -> None:
    for is_creator, is_admin, is_stats_viewer, is_operator in itertools.product([False, True], repeat=4):
        user = UserCaller(7, 70, is_creator, is_admin, is_stats_viewer, is_operator)
        roles = [
            PLAIN,
            *([CREATOR] if is_creator else []),
            *([ADMIN] if is_admin else []),
            *([STATS_VIEWER] if is_stats_viewer else []),
            *([OPERATOR] if is_operator else []),
        ]
        assert may(user, level) == any(role in LET_IN[level] for role in roles)


def test_sessions_of_a_user_and_keys_of_a_partner_share_their_idempotency_keys() -> None:
    assert PLAIN.scope == replace(PLAIN, session_id=71).scope
    assert PLAIN.scope != replace(PLAIN, user_id=8).scope
    partner = PartnerCaller(partner_id=7, name="Acme", key_id=1)
    assert partner.scope == replace(partner, key_id=2).scope
    assert partner.scope != replace(partner, partner_id=8).scope
    assert partner.scope != PLAIN.scope


@pytest.mark.parametrize(
    ("creators", "runs", "makes"),
    [
        ("chosen", [CREATOR], [CREATOR]),
        ("members", [PLAIN, CREATOR, ADMIN], [PLAIN, CREATOR, ADMIN]),
        ("suggest", [CREATOR], [PLAIN, CREATOR, ADMIN]),
    ],
)
def test_a_site_says_which_members_make_events_and_run_them(
    creators: Creators, runs: list[UserCaller], makes: list[UserCaller]
) -> None:
    callers = {user: replace(user, creators=creators) for user in (PLAIN, CREATOR, ADMIN)}

    assert [user for user, caller in callers.items() if caller.runs_events] == runs
    assert [user for user, caller in callers.items() if caller.makes_events] == makes
    assert [user for user, caller in callers.items() if may(caller, AuthLevel.CREATOR)] == makes


@pytest.mark.parametrize("scope", ["read", "trade"])
@pytest.mark.parametrize("creators", ["chosen", "members", "suggest"])
def test_a_users_key_makes_and_runs_no_events(creators: Creators, scope: KeyScope) -> None:
    key = replace(PLAIN, creators=creators, key_scope=scope)

    assert not key.runs_events
    assert not key.makes_events


def test_who_is_muted_writes_again_from_the_end_on() -> None:
    muted = replace(PLAIN, muted_until_ms=1_000)

    assert muted.is_muted(999)
    assert not muted.is_muted(1_000)
    assert not PLAIN.is_muted(999)


def test_a_caller_counts_as_verified_unless_it_is_said() -> None:
    assert PLAIN.email_verified
