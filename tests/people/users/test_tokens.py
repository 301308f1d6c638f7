"""Access and refresh tokens: what is ours is read, and nothing else is."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest

from foreknow.kernel.clock import HOUR_MS
from foreknow.people.users.tokens import (
    ACCESS_TOKEN_MS,
    AccessTokens,
    RefreshClaim,
    RefreshTokens,
    TokenKeys,
    VerifiedToken,
)
from foreknow.platform.db.engine import Database
from tests.support.proofs import proves

KEY = b"k" * 32
NOW_MS = 1_800_000_000_123
CLAIM = RefreshClaim(session_id=7, generation=3, session_created_at_ms=NOW_MS)
GOOD_CLAIMS = {"sub": "42", "sid": 7, "gen": 3, "iat": 1_800_000_000, "exp": 1_800_001_200}


def issued(*, ends_in_ms: int = HOUR_MS, claim: RefreshClaim = CLAIM) -> tuple[str, int]:
    token = AccessTokens(KEY).issue(claim, user_id=42, session_ends_at_ms=NOW_MS + ends_in_ms, now_ms=NOW_MS)
    return token.text, token.expires_in_s


def part(content: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def test_an_access_token_says_whose_session_it_belongs_to_and_until_when() -> None:
    token, expires_in_s = issued()

    assert AccessTokens(KEY).read(token) == VerifiedToken(user_id=42, session_id=7, expires_at_ms=1_800_001_200_000)
    assert expires_in_s == ACCESS_TOKEN_MS / 1000


@proves("decisions: Roles are read from the database, never from the token.")
def test_an_access_token_holds_no_more_than_it_needs() -> None:
    token, _ = issued()

    assert jwt.decode(token, options={"verify_signature": False}) == GOOD_CLAIMS


@proves("decisions: The access token is a JWT that never outlives its session")
@pytest.mark.parametrize("ends_in_ms", [1_000, 5_500, ACCESS_TOKEN_MS - 1, ACCESS_TOKEN_MS + 999])
def test_an_access_token_never_outlives_its_session(ends_in_ms: int) -> None:
    token, expires_in_s = issued(ends_in_ms=ends_in_ms)
    verified = AccessTokens(KEY).read(token)

    assert verified is not None
    assert verified.expires_at_ms <= NOW_MS + ends_in_ms
    assert 0 < expires_in_s <= ACCESS_TOKEN_MS / 1000


def test_refreshing_within_a_second_gives_another_access_token() -> None:
    assert issued()[0] != issued(claim=RefreshClaim(7, 4, NOW_MS))[0]


@pytest.mark.parametrize(
    "token",
    [
        pytest.param(jwt.encode(GOOD_CLAIMS, b"x" * 32, "HS256"), id="another key"),
        pytest.param(jwt.encode(GOOD_CLAIMS, KEY * 2, "HS512"), id="another key and algorithm"),
        pytest.param(jwt.encode(GOOD_CLAIMS, "", "none"), id="no algorithm"),
        pytest.param(f"{part({'alg': 'none'})}.{part(GOOD_CLAIMS)}.", id="no algorithm, no type"),
        pytest.param(jwt.encode({"sid": 7, "iat": 1, "exp": 2}, KEY, "HS256"), id="claims missing"),
        pytest.param(jwt.encode(GOOD_CLAIMS | {"sub": "0"}, KEY, "HS256"), id="no user"),
        pytest.param(jwt.encode(GOOD_CLAIMS | {"sid": "7"}, KEY, "HS256"), id="wrong types"),
        pytest.param(jwt.encode(GOOD_CLAIMS | {"crit": ["x"]}, KEY, "HS256", headers={"crit": ["x"]}), id="critical"),
        pytest.param(base64.urlsafe_b64encode(b"[" * 40_000).decode() + ".e30.e30", id="deep header"),
        pytest.param("é.é.é", id="not ASCII"),
        *(pytest.param(text, id=repr(text)) for text in ("", ".", "..", "...", "a", "a.b", "a.b.c", "null", "\0")),
    ],
)
def test_any_other_text_is_no_access_token(token: str) -> None:
    assert AccessTokens(KEY).read(token) is None


def test_a_stronger_algorithm_under_our_own_key_is_none_of_ours() -> None:
    key = b"k" * 64

    assert AccessTokens(key).read(jwt.encode(GOOD_CLAIMS, key, "HS512")) is None
    assert AccessTokens(key).read(jwt.encode(GOOD_CLAIMS, key, "HS256")) is not None


@pytest.mark.parametrize("place", range(0, 180, 7))
def test_no_character_of_an_access_token_can_be_another(place: int) -> None:
    token, _ = issued()
    index = min(place, len(token) - 1)

    for other in ("A", "B", "_", "=", " ", "."):
        if token[index] != other:
            assert AccessTokens(KEY).read(token[:index] + other + token[index + 1 :]) is None


def test_the_last_character_of_a_signature_has_one_spelling() -> None:
    """It carries four bits of six: three other characters stand for the same bytes."""
    token, _ = issued()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    good = [last for last in alphabet if AccessTokens(KEY).read(token[:-1] + last) is not None]
    assert good == [token[-1]]
    assert [AccessTokens(KEY).read(token + more) for more in ("=", "==", "!", "A", "\n")] == [None] * 5


def test_a_refresh_token_says_which_one_of_which_session_it_is() -> None:
    assert RefreshTokens(KEY).read(RefreshTokens(KEY).issue(CLAIM)) == CLAIM


def test_a_refresh_token_is_the_same_from_every_server_and_different_for_all_else() -> None:
    others = [RefreshClaim(8, 3, NOW_MS), RefreshClaim(7, 4, NOW_MS), RefreshClaim(7, 3, NOW_MS + 1)]
    tokens = RefreshTokens(KEY)

    assert tokens.issue(CLAIM) == RefreshTokens(KEY).issue(CLAIM)
    assert len({tokens.issue(claim).rpartition(".")[2] for claim in (CLAIM, *others)}) == 4


def test_a_refresh_token_cannot_be_made_from_another() -> None:
    session, generation, created, seal = RefreshTokens(KEY).issue(CLAIM).split(".")
    forged = [
        f"8.{generation}.{created}.{seal}",
        f"{session}.4.{created}.{seal}",
        f"{session}.{generation}.{NOW_MS + 1}.{seal}",
        f"{session}.{generation}.{created}.{seal[:-1]}",
        f"{session}.{generation}.{created}.",
        f"0{session}.{generation}.{created}.{seal}",
        f"{session}.{generation}.{created}.{seal}.",
        f"{session}.{generation}.{seal}",
        "",
        "é.é.é.é",
    ]

    assert [RefreshTokens(KEY).read(token) for token in forged] == [None] * len(forged)
    assert RefreshTokens(b"x" * 32).read(RefreshTokens(KEY).issue(CLAIM)) is None


@proves("decisions: Secrets that servers share (signing keys) live in the database unless set")
async def test_keys_live_in_the_database_unless_set(db: Database) -> None:
    first = await db.write(TokenKeys.shared)
    again = await db.write(TokenKeys.shared)
    given = await db.write(lambda tx: TokenKeys.shared(tx, "a secret that the operator keeps"))
    same = await db.write(lambda tx: TokenKeys.shared(tx, "a secret that the operator keeps"))

    assert first == again
    assert given == same
    assert len({first.access, first.refresh, given.access, given.refresh}) == 4
