"""What the log says to type: this program again, wherever it was called from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from foreknow.commands.cli.again import again
from foreknow.kernel.settings import Settings


def program(file: Path) -> Path:
    """Make a program that only has a path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout that was set up, in a folder with a space, called by its own starter from elsewhere."""
    folder = tmp_path / "my checkout"
    program(folder / "bin" / "foreknow")
    program(folder / ".venv" / "bin" / "foreknow")
    monkeypatch.setattr(sys, "argv", [str(folder / "bin" / ".." / ".venv" / "bin" / "foreknow"), "serve"])
    monkeypatch.delenv("FOREKNOW_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_checkout_s_starter_is_named_by_its_path_from_here(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert again(Settings()) == "'my checkout/bin/foreknow'"
    monkeypatch.chdir(checkout)
    assert again(Settings()) == "bin/foreknow"
    monkeypatch.chdir("/")
    assert again(Settings()) == f"'{checkout.relative_to('/')}/bin/foreknow'"
    monkeypatch.chdir(checkout / ".venv")
    assert again(Settings()) == f"'{checkout}/bin/foreknow'"


def test_an_installed_program_is_named_as_the_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = program(tmp_path / "tools" / "bin" / "foreknow")
    monkeypatch.delenv("FOREKNOW_DATA_DIR", raising=False)
    monkeypatch.setattr(sys, "argv", [str(installed), "serve"])
    monkeypatch.chdir(tmp_path / "tools" / "bin")
    monkeypatch.setenv("PATH", "/usr/bin")
    assert again(Settings()) == "./foreknow"
    monkeypatch.setenv("PATH", f"/usr/bin:{installed.parent}")
    assert again(Settings()) == "foreknow"
    # A release's environment has no starter beside it.
    monkeypatch.setenv("PATH", "/usr/bin")
    release = program(tmp_path / "release" / ".venv" / "bin" / "foreknow")
    monkeypatch.setattr(sys, "argv", [str(release), "serve"])
    assert again(Settings()) == str(release)
    monkeypatch.setattr(sys, "argv", ["/somewhere/foreknow/__main__.py", "serve"])
    assert again(Settings()) == f"{sys.executable} -m foreknow"


def test_the_data_folder_is_named_where_the_database_is_in_it(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREKNOW_DATA_DIR", "/var/lib/a b")
    monkeypatch.chdir(checkout)
    assert again(Settings()) == "FOREKNOW_DATA_DIR='/var/lib/a b' bin/foreknow"
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", "postgresql://a:secret@db/foreknow")
    assert again(Settings()) == "bin/foreknow"
