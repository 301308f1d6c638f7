"""The scripts to copy, run as their readers would run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support import forks

ROOT = Path(__file__).parents[2]


def run(*arguments: str | Path, token: str = "", typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a script to its end, with an API key and what its reader types."""
    return forks.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "FOREKNOW_TOKEN": token, "NO_PROXY": "*"},
        input=typed,
        cwd=ROOT,
        imports=forks.CLIENT,
    )
