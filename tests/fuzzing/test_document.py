"""schemathesis reads the API page's document and tries every route with all it can think of, as each kind of caller.

It must find nothing: no failure of any of its checks. What it tries is the same in every run; `just long` tries more of
it, and `FUZZ_EXAMPLES=200 just long tests/fuzzing` as much as you like.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: Examples of an operation, for one who may do everything and for each who may do less.
EXAMPLES, FEW_EXAMPLES = (os.environ.get("FUZZ_EXAMPLES", count) for count in (length(short="1", long="2"), "1"))
#: What the one who may do everything meets on PostgreSQL.
PHASES = length(short="coverage", long="coverage,fuzzing")
ALL_PHASES = length(short="fuzzing", long="examples,fuzzing,stateful")
CALLERS = length(short=["trader", "all"], long=["visitor", "trader", "staff", "all"])
TIMEOUT_S = 600


def fill(service: Service) -> None:
    """Put something there that ids of examples and small numbers find."""
    market = 0
    for names in (["A", "B"], None, ["A", "B", "C"]):
        event = service.event(pools=[pool(names), pool()])
        market = event["pools"][0]["markets"][0]["id"]
        comment = {"event_id": event["id"], "content": "First!"}
        expect(service.creator.client.post("/comments", json=comment), 201)
    person = service.user(balance_kopecks=10_000)
    for side in ("YES", "NO"):
        order = {"market_id": market, "token_type": side, "amount_kopecks": 1_000}
        expect(person.client.post("/market/bets", json=order), 201)


def configuration(person: Person | None, partner_key: str | None) -> str:
    """Return the configuration of a caller: whose credentials go with each request that the document lets have them."""
    text = (HERE / "schemathesis.toml").read_text()
    if person is not None:
        text += f'\n[auth.openapi.bearer]\nbearer = "{person.token}"\n'
    if partner_key is not None:
        text += f'\n[auth.openapi.partnerKey]\napi_key = "{partner_key}"\n'
    return text


def fuzz(
    service: Service,
    folder: Path,
    *,
    person: Person | None,
    partner_key: str | None,
    phases: str,
    examples: str,
) -> None:
    (folder / "schemathesis.toml").write_text(configuration(person, partner_key))
    one = person or service.user()
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "tests.fuzzing.hooks",
        "PYTHONPATH": str(ROOT),
        # Where hypothesis keeps its tables of Unicode, which take it seconds to make.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"),
        "FUZZ_CALLER_ID": str(one.id),
        "FUZZ_API_URL": service.api_url,
        "FUZZ_EMAIL": one.email,
        "FUZZ_PASSWORD": one.password,
        "FUZZ_TOKEN": one.token,
        "FUZZ_FORM": length(short="short", long="long"),
    }
    program = str(Path(sys.executable).with_name("schemathesis"))
    command = [program, "--config-file", str(folder / "schemathesis.toml"), "run"]
    # The WebSocket's address is no HTTP: tests/site/feed and tests/contract/test_feed.py try it.
    options = ["--exclude-path-regex", "/api/v1/ws/", f"--max-examples={examples}", "--no-color"]
    options.append(f"--phases={phases}")
    ended = subprocess.run(
        [*command, f"{service.url}/openapi.json", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Tested: 0" not in ended.stdout


# The bounds of every field ("coverage"), and texts and numbers of every kind, are tried on the database that takes
# less: no NUL, no number over 64 bits, no text that is no UTF-8. In short a field is sent one value of a wrong type and
# not ten, a path one method that it lacks (`hooks.py`), and an example of the document once, among the bounds. SQLite
# meets all else with each kind of caller; in short with one who may do everything and with one who may not: what each
# role opens, tests/contract tries by name.
@proves("decisions: never 500.")
@LONG
@pytest.mark.slow
@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_one_who_may_do_everything_meets_no_surprise(start_service: Callable[..., Service], tmp_path: Path) -> None:
    service = start_service()
    fill(service)
    person, key = one_who_may_do_everything(service)

    fuzz(service, tmp_path, person=person, partner_key=key, phases=PHASES, examples=FEW_EXAMPLES)


@LONG
@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_no_kind_of_caller_meets_a_surprise(start_service: Callable[..., Service], tmp_path: Path, caller: str) -> None:
    service = start_service()
    fill(service)
    person, key = None, None
    if caller == "trader":
        # And a partner, who goes where no person does: each endpoint is sent the one credential that it knows.
        person, key = service.user(balance_kopecks=10**9), service.partner(float_kopecks=10**9).key
    elif caller == "staff":
        # Each of these roles opens endpoints of its own; the trader is rejected there.
        person = service.user(creator=True, stats_viewer=True, operator=True)
    elif caller == "all":
        person, key = one_who_may_do_everything(service)

    # The bounds of every field are the same for all: the one who may do everything tries them ("coverage").
    examples = EXAMPLES if caller == "all" else FEW_EXAMPLES
    fuzz(service, tmp_path, person=person, partner_key=key, phases=ALL_PHASES, examples=examples)


def one_who_may_do_everything(service: Service) -> tuple[Person, str]:
    """Return a user with every role, and a partner's key."""
    roles = {"creator": True, "admin": True, "stats_viewer": True, "operator": True}
    return service.user(**roles, balance_kopecks=10**9), service.partner(float_kopecks=10**9).key
