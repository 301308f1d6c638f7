"""The two commands, and what makes them work on a machine that has nothing but Python and pip."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.kinds import ON_SQLITE
from tests.support.service import Service

ROOT = Path(__file__).parents[2]
LOCKS = ("runtime", "dev")
#: What bin/test puts before its arguments: one process more than there are cores; groups of tests that share a server.
GROUPED = ["--dist", "loadgroup"]
ALL_CORES = ["-n", str((os.cpu_count() or 1) + 1), *GROUPED]


def lock(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text()


def pins(text: str) -> set[str]:
    return set(re.findall(r"^\S+==\S+(?: ; .*?)?(?= \\$)", text, flags=re.MULTILINE))


def blocks_of_the_readme() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)


def normalised(requirement: str) -> str:
    name = re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_readme_begins_with_the_two_commands() -> None:
    assert blocks_of_the_readme()[:2] == ["bin/foreknow serve\n", "bin/test\n"]


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_is_a_pin_or_its_hash(name: str) -> None:
    strange = [
        line
        for line in lock(name).splitlines()
        if not re.fullmatch(r"[a-z0-9-]+(\[[a-z,]+\])?==\S+( ; .+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line)
    ]
    assert strange == []


def test_the_service_runs_on_what_the_tests_saw() -> None:
    assert pins(lock("runtime")) <= pins(lock("dev"))


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_all_that_the_project_imports(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = {normalised(requirement) for requirement in project["project"]["dependencies"]}
    assert wanted <= {pin.partition("==")[0] for pin in pins(lock(name))}


def copied(folder: Path, *names: str) -> Path:
    """Copy parts of the checkout, as they would stand in a fresh one."""
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target)
        else:
            shutil.copy(ROOT / name, target)
    return folder


def set_up(checkout: Path, **pip: str) -> subprocess.CompletedProcess[str]:
    """Run `bin/setup` with nothing that this machine tells pip but what is given here."""
    unsaid = ("pip_", "http_proxy", "https_proxy", "all_proxy", "pythonpath")
    environment = {name: value for name, value in os.environ.items() if not name.lower().startswith(unsaid)}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1", "PIP_RETRIES": "1"}
    # The Python that made this environment: the one in it has no pip.
    environment["PYTHON"] = str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
    command = [str(checkout / "bin" / "setup"), "runtime"]
    return subprocess.run(command, env=environment | pip, capture_output=True, text=True, check=False)


def test_without_a_network_the_set_up_says_that_and_not_that_there_is_no_such_package(tmp_path: Path) -> None:
    checkout = copied(tmp_path, "bin/setup", "pyproject.toml", "requirements")
    ended = set_up(checkout, PIP_INDEX_URL="http://127.0.0.1:9/simple/")
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("bin/setup: no network")
    assert "No matching distribution" not in ended.stderr
    assert "connection broken" in (checkout / ".venv" / ".pip-said").read_text()


def test_what_an_index_does_not_have_is_reported_in_pips_words(tmp_path: Path) -> None:
    checkout = copied(tmp_path, "bin/setup", "pyproject.toml", "requirements")
    (tmp_path / "empty").mkdir()
    ended = set_up(checkout, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path / "empty"))
    assert ended.returncode == 1
    assert "No matching distribution" in ended.stderr
    assert "no network" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "before"),
    [
        ([], ALL_CORES),
        (["tests/money/ledger"], ALL_CORES),
        (["tests/money/ledger", "-k", "money"], ALL_CORES),
        (["-m", "not slow"], ALL_CORES),
        (["-n", "2"], GROUPED),
        (["-n2", "tests/money/ledger"], GROUPED),
        (["tests/money/ledger", "--numprocesses=2", "-x"], GROUPED),
        (["-n", "2", "--dist", "load"], []),
        (["--dist=load", "-n", "2"], []),
        (["tests/money/ledger", "-x"], []),
        (["tests/money/ledger", "--pdb"], []),
        (["--collect-only"], []),
    ],
)
def test_tests_use_all_cores_unless_an_argument_says_otherwise(
    tmp_path: Path, arguments: list[str], before: list[str]
) -> None:
    # A checkout whose Python only repeats what it is asked.
    checkout = copied(tmp_path, "bin/test")
    for name, text in (("bin/setup", "#!/bin/sh\n"), (".venv/bin/python", '#!/bin/sh\nprintf "%s\\n" "$@"\n')):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(text)
        (checkout / name).chmod(0o755)
    asked = subprocess.run([checkout / "bin" / "test", *arguments], capture_output=True, text=True, check=True)
    given = asked.stdout.splitlines()
    assert given == ["-m", "pytest", *before, *(arguments or ["--durations=10"])]


@ON_SQLITE
def test_the_tour_of_the_readme_may_be_taken_twice(service: Service) -> None:
    service.event()
    (tour,) = [block for block in blocks_of_the_readme() if "api/v1" in block]
    command = Path(sys.executable).with_name("foreknow")
    tour = tour.replace("http://127.0.0.1:8000", service.url).replace("bin/foreknow", str(command))
    environment = {**os.environ, "FOREKNOW_DATABASE_URL": service.database_url, "NO_PROXY": "*"}
    for _ in range(2):
        ended = subprocess.run(["sh", "-c", tour], env=environment, capture_output=True, text=True, check=True)
        bet = json.loads(ended.stdout.splitlines()[-1])
        assert bet["shares"] > 0, ended.stdout
    # Nothing that a machine with only Python and pip lacks.
    assert re.findall(r"\b(curl|wget|jq|git|sqlite3)\b", "".join(blocks_of_the_readme())) == []
