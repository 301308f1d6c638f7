"""What is installed elsewhere: the wheel with its metadata, and what the Containerfile and compose.yaml do with it.

No container is built here. Its steps are run in a folder, on the locked packages of this environment: the one that
downloads them is only read, and so is the one that removes the build's tools. Not shown: the base images, the user, and
what the engine does with ports, volumes and health checks.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from packaging.requirements import Requirement

from foreknow.commands.verify import verify
from foreknow.kernel.settings import Settings
from foreknow.platform.db.engine import name_of
from tests.support.books import audit_database
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.next_release import ADD_COLUMN, add_migrations
from tests.support.postgres import PACKAGES, PROGRAMS, Postgres
from tests.support.schema import prepare
from tests.support.service import PASSWORD, pool

ROOT = Path(__file__).parents[2]
PREFIX = "/opt/foreknow"
NEXT = "999.0.0"
EMAIL = "ann@example.org"
START_S = 240
COMMIT = "0123456789abcdef" * 2
#: As .dockerignore lets them into an image; the client is there as built, so that this needs no Node.
COPIED = ("LICENSE", "README.md", "hatch_build.py", "pyproject.toml", "requirements/runtime.txt", "src", "web")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
LINES = re.sub(r"\\\n", "", (ROOT / "Containerfile").read_text()).splitlines()


def instructions(name: str) -> list[str]:
    """Return what follows an instruction of the Containerfile, each time it stands there."""
    return [line.removeprefix(name).strip() for line in LINES if line.startswith(name + " ")]


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the package, outside of any checkout."""

    prefix: Path

    def run(self, *arguments: str, **environment: str) -> str:
        command = [str(self.prefix / "bin" / "foreknow"), *arguments]
        return subprocess.run(
            command, cwd=self.prefix, env=environment, capture_output=True, text=True, check=True
        ).stdout

    @property
    def packages(self) -> Path:
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.prefix)}))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What .dockerignore lets into an image."""
    folder = tmp_path_factory.mktemp("image") / "src"
    for name in COPIED:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    return folder


@pytest.fixture(scope="module")
def installed(sources: Path) -> Installed:
    """What the Containerfile installs, in a folder instead of /opt/foreknow."""
    return install(sources, sources.with_name("opt"))


def install(sources: Path, prefix: Path) -> Installed:
    """Make a wheel of sources and install it, as the Containerfile does, but for the download."""
    create, _download, install, _remove = (line for line in instructions("RUN") if PREFIX in line)
    packages = sysconfig.get_path("purelib")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "PYTHONPATH": packages, "COMMIT": COMMIT}
    for step in (create.replace("-m venv", "-m venv --without-pip"), install):
        subprocess.run(
            ["sh", "-ec", step.replace(PREFIX, str(prefix))],
            cwd=sources,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    made = Installed(prefix)
    # In place of the download: this environment's packages, but not its foreknow.
    (made.packages / "locked.pth").write_text(packages + "\n")
    return made


@contextmanager
def served(made: Installed, arguments: list[str], environment: dict[str, str]) -> Iterator[str]:
    """Serve as the container would, on a free port of the loopback interface; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(made.prefix / "bin" / "foreknow"), *arguments, "--port", str(port)]
    process = subprocess.Popen(command, cwd=made.prefix, env=environment, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_S
        while True:
            assert process.poll() is None
            assert time.monotonic() < deadline
            try:
                httpx.get(f"{url}/api/v1/ready", trust_env=False, verify=NO_TLS).raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        assert process.wait(START_S) == 0


class Site(httpx.Client):
    """The first admin of a site, who makes a market and bets."""

    def __init__(self, url: str) -> None:
        super().__init__(base_url=f"{url}/api/v1", trust_env=False, verify=NO_TLS)
        signed_in = self.send_json("POST", "/auth/sign-in", {"login": EMAIL, "password": PASSWORD})
        self.cookies.clear()
        self.headers["Authorization"] = f"Bearer {signed_in['access_token']}"
        self.user_id: int = signed_in["user"]["id"]

    def open_market(self) -> int:
        """Make an event and return its first market."""
        self.send_json("PATCH", f"/admin/users/{self.user_id}", {"is_creator": True})
        self.send_json("POST", f"/admin/users/{self.user_id}/credit", {"amount_kopecks": 100_000, "note": ""})
        event = self.send_json("POST", "/events/create-full", {"name": "Rain?", "pools": [pool()]})
        self.send_json("POST", f"/events/{event['id']}/publish")
        return int(event["pools"][0]["markets"][0]["id"])

    def bet(self, market_id: int) -> None:
        self.send_json("POST", "/market/bets", {"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000})

    def send_json(self, method: str, path: str, body: object = None) -> Any:
        return self.request(method, path, json=body).raise_for_status().json()


@ONCE
def test_from_the_wheel_of_one_version_to_that_of_the_next_while_the_old_one_serves(
    sources: Path, installed: Installed, database_kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    following = install(next_version(sources, tmp_path), tmp_path / "next")
    server: Postgres | None = None if database_kind == "sqlite" else request.getfixturevalue("postgres")
    url = f"sqlite:///{tmp_path}/foreknow.sqlite3" if server is None else server.fresh_database()
    given = {
        "PATH": f"{PACKAGES / PROGRAMS / 'bin'}:{os.environ['PATH']}",
        "FOREKNOW_DATABASE_URL": url,
        "FOREKNOW_DATA_DIR": str(tmp_path / "data"),
        "FOREKNOW_PASSWORD_COST": "low",
        "FOREKNOW_ADMIN_EMAIL": EMAIL,
        "FOREKNOW_ADMIN_PASSWORD": PASSWORD,
    }
    with served(installed, ["serve"], given) as address, closing(Site(address)) as site:
        market_id = site.open_market()
        site.bet(market_id)
        said = following.run("upgrade", "--backups", str(tmp_path / "backups"), **given).splitlines()
        # The old version works on what the new one has made of its database.
        site.bet(market_id)
    assert said[0].startswith(f"Backed up {name_of(url)} into {tmp_path}/backups/foreknow-")
    assert said[1] == f"The database is now up to date for {NEXT}+{COMMIT[:12]}."
    assert said[2] == "Migrations that ran: 9001."
    assert said[3].startswith("The books are right (")

    with served(following, ["serve"], given) as address, closing(Site(address)) as site:
        site.bet(market_id)
        report = asyncio.run(verify(address, token=None))
    assert (report.trades, report.wrong) == (3, [])
    audit_database(url)
    if server is not None:
        server.drop(url)


def next_version(sources: Path, folder: Path) -> Path:
    """Return the sources of a version to come: a higher number, and a further migration."""
    made = Path(shutil.copytree(sources, folder / "sources"))
    for name, line in (("pyproject.toml", 'version = "{}"'), ("src/foreknow/__init__.py", '__version__ = "{}"')):
        text = (made / name).read_text()
        was = line.format(PROJECT["version"])
        assert was in text
        (made / name).write_text(text.replace(was, line.format(NEXT)))
    add_migrations(made / "src" / "foreknow" / "platform" / "db" / "migrations" / "versions", ADD_COLUMN)
    return made


def test_the_package_is_whole_wherever_it_is_installed(installed: Installed) -> None:
    assert installed.run("--version") == f"foreknow {PROJECT['version']}+{COMMIT[:12]}\n"
    assert (installed.packages / "foreknow" / "site" / "client" / "dist" / "index.html").is_file()
    assert (installed.packages / "foreknow" / "commands" / "audit" / "checks" / "01_entries.sql").is_file()
    assert not list(installed.packages.glob("*.pth.foreknow")) + list(installed.packages.glob("__editable__*"))


def test_its_page_links_to_nothing_that_is_only_in_a_checkout(installed: Installed) -> None:
    (metadata,) = installed.packages.glob("foreknow-*.dist-info/METADATA")
    head, _, page = metadata.read_text().partition("\n\n")
    source = PROJECT["urls"]["Source"]

    targets = re.findall(r"\]\(([^)\s]+)\)", page)
    assert len(targets) > 10
    assert [target for target in targets if not target.startswith(("http://", "https://", "#"))] == []
    assert f"{source}/blob/v{PROJECT['version']}/docs/index.md" in targets
    assert {line.split(": ")[1].split(",")[0] for line in head.splitlines() if line.startswith("Project-URL")} == set(
        PROJECT["urls"]
    )


def test_every_dependency_has_bounds_and_the_locked_version_is_within(installed: Installed) -> None:
    (metadata,) = installed.packages.glob("foreknow-*.dist-info/METADATA")
    wanted = [Requirement(text) for text in re.findall(r"^Requires-Dist: (.+)$", metadata.read_text(), re.MULTILINE)]

    assert len(wanted) == len(PROJECT["dependencies"])
    for requirement in wanted:
        operators = {specifier.operator for specifier in requirement.specifier}
        # tzdata is data: a newer one is a better one.
        upper = set() if requirement.name == "tzdata" else {"<"}
        assert operators == {">="} | upper, f"{requirement}: from the version tried to the next that may break"
        assert requirement.specifier.contains(version(requirement.name)), requirement


def test_it_says_what_it_contains_of_others_with_their_licences(installed: Installed) -> None:
    (bill,) = installed.packages.glob("foreknow-*.dist-info/sboms/foreknow.cdx.json")
    listed = json.loads(bill.read_text())
    assert listed["metadata"]["component"]["version"] == PROJECT["version"]
    versions = {one["name"]: one.get("version") for one in listed["components"]}
    texts = (installed.packages / "foreknow" / "site" / "client" / "dist" / "licences.txt").read_text()
    of_client = re.split(r"^== ", texts, flags=re.MULTILINE)[1:]
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]

    assert {"svelte", "papaparse", "swagger-ui-dist", "Golos Text"} <= set(versions)
    assert len(of_client) == len(versions) - 2
    for part in of_client:
        name, package_version, *_ = part.split()
        assert versions[name] == package_version == locked[f"node_modules/{name}"]["version"]
        assert "copyright" in part.lower(), name
    assert all(one["licenses"] for one in listed["components"])


@pytest.mark.postgres
def test_the_container_s_command_serves_with_the_settings_of_compose(
    installed: Installed, postgres: Postgres, tmp_path: Path
) -> None:
    service = COMPOSE["foreknow"]
    (environment,) = instructions("ENV")
    given = dict(pair.split("=", 1) for pair in environment.split())
    given |= {name: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", text) for name, text in service["environment"].items()}
    known = {f"FOREKNOW_{name.upper()}" for name in Settings.model_fields}
    assert {name for name in given if name.startswith("FOREKNOW_")} <= known
    given |= {
        "PATH": given["PATH"].replace(PREFIX, str(installed.prefix)),
        "FOREKNOW_DATA_DIR": str(tmp_path / "data"),
        "FOREKNOW_TOKEN_SECRET": "s" * 64,
        "FOREKNOW_PASSWORD_COST": "low",
    }
    assert [json.loads(text) for text in instructions("ENTRYPOINT")] == [["foreknow"]]
    (of_image,) = map(json.loads, instructions("CMD"))
    assert service["command"][: len(of_image)] == of_image
    (check,) = (json.loads(text.partition(" CMD ")[2]) for text in instructions("HEALTHCHECK"))
    assert service["healthcheck"]["test"] == ["CMD", *check]
    assert COMPOSE["backup"]["healthcheck"] == {"disable": True}

    with (
        postgres.lent_database(prepare) as url,
        served(installed, service["command"], given | {"FOREKNOW_DATABASE_URL": url}) as address,
    ):
        subprocess.run([part.replace("http://127.0.0.1:8000", address) for part in check], env=given, check=True)
        page = httpx.get(f"{address}/", trust_env=False, verify=NO_TLS)
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")


def test_the_image_is_made_of_the_locked_packages_as_a_checkout_is() -> None:
    (download,) = (line for line in instructions("RUN") if "--require-hashes" in line)

    assert "--require-hashes --only-binary :all: --requirement requirements/runtime.txt" in download
    assert (
        'pip_install --require-hashes --only-binary :all: --requirement "$root/requirements/$kind.txt"'
        in (ROOT / "bin" / "setup").read_text()
    )


def test_an_image_gets_what_its_build_needs_and_no_more() -> None:
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]

    assert tuple(let_in) == COPIED
