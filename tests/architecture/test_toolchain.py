"""The two commands, and what makes them work on a machine that has nothing but Python and pip."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("runtime", "dev")


def lock(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text()


def pins(text: str) -> set[str]:
    return set(re.findall(r"^\S+==\S+(?: ; .*?)?(?= \\$)", text, flags=re.MULTILINE))


def normalised(requirement: str) -> str:
    name = re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_readme_begins_with_the_two_commands() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks[:2] == ["bin/foreknow serve\n", "bin/test\n"]


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
