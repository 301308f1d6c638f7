"""The command line of `foreknow-mcp`."""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from foreknow_client import AsyncClient
from foreknow_client.assistant.budget import DailyBudget
from foreknow_client.assistant.tools import make_server
from foreknow_client.client import Options

#: The variable with the key: on the command line every program of the machine could read it.
KEY = "FOREKNOW_TOKEN"
#: An assistant waits for each answer: it learns soon that there is none.
TIMEOUT_S, RETRY_S, ORDER_RETRY_S = 10.0, 5.0, 30.0


def run() -> None:
    """Serve one assistant over standard input and output."""
    parser = argparse.ArgumentParser(
        prog="foreknow-mcp",
        description="Gives an assistant tools to search, read and quote markets (Model Context Protocol, over stdio); "
        f"with an API key of yours in {KEY}, also to see your account; with a budget, to bet and sell.",
    )
    parser.add_argument("url", help="where the service is, such as https://markets.example")
    parser.add_argument(
        "--daily-budget-kopecks",
        type=int,
        default=0,
        metavar="KOPECKS",
        help="the most that may be staked in a day (UTC), kopecks: 1000 are 10 of the currency; 0, the default: "
        "nothing is bet or sold. It needs a key of scope trade",
    )
    parser.add_argument(
        "--state",
        type=Path,
        help="the file that notes what was staked, so that a restart does not begin again; by default one for each "
        "key in your state folder",
    )
    given = parser.parse_args()
    key = os.environ.get(KEY, "").strip()
    if given.daily_budget_kopecks < 0:
        parser.error("--daily-budget-kopecks must not be below 0")
    if given.daily_budget_kopecks and not key:
        parser.error(f"a budget needs a key of scope trade in {KEY}")
    options: Options = {"timeout_s": TIMEOUT_S, "retry_s": RETRY_S, "order_retry_s": ORDER_RETRY_S}
    if key:
        options["key"] = key
    try:
        client = AsyncClient(given.url, **options)
        budget = None
        if given.daily_budget_kopecks:
            path = given.state or _state_path(key)
            budget = DailyBudget(path, kopecks=given.daily_budget_kopecks)
    except (ValueError, OSError, sqlite3.Error) as failure:
        sys.exit(f"foreknow-mcp: {failure}")
    make_server(client, budget, has_key=bool(key), version=version("foreknow-client")).run("stdio")


def _state_path(key: str) -> Path:
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    # Of the key alone, which no two services share: an address has many spellings. The name does not show it.
    name = sha256(key.encode()).hexdigest()[:16]
    return Path(folder) / "foreknow-mcp" / f"{name}.sqlite"
