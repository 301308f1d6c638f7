"""Run what PostgreSQL gets in the long form, and write down which tests only repeat what others send it.

`--keep FOLDER` keeps what was noted, and `--from FOLDER` chooses again from that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.repeats import choice, recorder
from tests.support.kinds import REPEATS

ROOT = Path(__file__).parents[2]
CPU_FILE = "cpu.json"
PROCESSES = (os.cpu_count() or 1) + 1


def main() -> None:
    """Write the list, and say what it spares."""
    parser = argparse.ArgumentParser(prog="python -m tests.repeats", description=__doc__)
    parser.add_argument("--keep", metavar="FOLDER", type=Path)
    parser.add_argument("--from", dest="noted", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder: Path = (options.noted or options.keep or Path(name)).resolve()
        if options.noted is None:
            folder.mkdir(parents=True, exist_ok=True)
            _run(folder)
        statements = {}
        for path in folder.glob("[0-9]*.json"):
            statements.update(json.loads(path.read_text()))
        tests = choice.seen(statements, json.loads((folder / CPU_FILE).read_text()), ROOT)
    repeated = choice.repeated(tests)
    REPEATS.write_text("".join(f"{test}\n" for test in repeated))
    spared_s = sum(tests[test].cost_s for test in repeated)
    all_s = sum(one.cost_s for one in tests.values())
    print(f"{len(repeated)} of {len(tests)} tests repeat what others send: {spared_s:.0f} of {all_s:.0f} CPU seconds.")


def _run(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "tests.repeats.recorder", "-q"]
    command += ["-n", str(PROCESSES), "--dist", "loadgroup", "--cpu-file", str(folder / CPU_FILE)]
    # What a failed test sent counts as well: the list is no verdict on it.
    subprocess.run(command, cwd=ROOT, env=os.environ | {recorder.FOLDER_VARIABLE: str(folder)}, check=False)


if __name__ == "__main__":
    main()
