"""The settings in the data folder, as they are read and written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.commands.init.env_file import BYTES_MAX, EnvFile, EnvFileError, alone_in, read_env_file, write_env_file

TYPED = """# The club's own.

FOREKNOW_SITE_NAME="The \\"old\\" name"   # as in the statutes
AWS_REGION=eu-central-1
foreknow_sign_up=on
FOREKNOW_CURRENCY='{
  "sign": "¤",
  "name": "points"
}'
FOREKNOW_SIGN_UP=off
# the end"""


def written(folder: Path, text: str) -> EnvFile:
    """A file that a person wrote."""
    path = folder / "foreknow.env"
    path.write_text(text)
    path.chmod(0o600)
    return read_env_file(folder)


def values(file: EnvFile) -> dict[str, str]:
    return {name: entry.value for name, entry in file.entries.items()}


def test_a_missing_file_has_no_settings(tmp_path: Path) -> None:
    assert values(read_env_file(tmp_path)) == values(read_env_file(tmp_path / "nowhere")) == {}


def test_quotes_comments_lines_and_names_are_read_as_elsewhere(tmp_path: Path) -> None:
    file = written(tmp_path, TYPED)
    assert values(file) == {
        "FOREKNOW_SITE_NAME": 'The "old" name',
        "AWS_REGION": "eu-central-1",
        "FOREKNOW_CURRENCY": '{\n  "sign": "¤",\n  "name": "points"\n}',
        "FOREKNOW_SIGN_UP": "off",
    }
    assert [file.entries[name].line for name in ("FOREKNOW_SITE_NAME", "AWS_REGION", "FOREKNOW_SIGN_UP")] == [3, 4, 10]


def test_nothing_in_a_value_is_expanded(tmp_path: Path) -> None:
    os.environ["UNSEEN"] = "seen"
    try:
        file = written(tmp_path, 'A=${UNSEEN}\nB="$UNSEEN"\nC=$(id)\nD=`id`\n')
    finally:
        del os.environ["UNSEEN"]
    assert values(file) == {"A": "${UNSEEN}", "B": "$UNSEEN", "C": "$(id)", "D": "`id`"}


def test_a_change_leaves_all_else_as_it_was(tmp_path: Path) -> None:
    file = written(tmp_path, TYPED)
    assert file.changed(values(file)).text == TYPED.replace("foreknow_sign_up=on\n", "") + "\n"
    changed = file.changed({"FOREKNOW_SITE_NAME": "New", "FOREKNOW_SIGN_UP": "", "FOREKNOW_WEB": "off"})
    assert changed.text == (
        TYPED.replace('"The \\"old\\" name"  ', "New")
        .replace("foreknow_sign_up=on\n", "")
        # Nothing is left of one that is taken out.
        .replace("FOREKNOW_SIGN_UP=off\n", "")
        + "\nFOREKNOW_WEB=off\n"
    )


@given(st.dictionaries(st.from_regex(r"FOREKNOW_[A-Z]{1,9}", fullmatch=True), st.text(st.characters(codec="utf-8"))))
def test_what_is_written_is_read_again(given_values: dict[str, str]) -> None:
    file = EnvFile(Path("foreknow.env"), "# kept\nOTHER=1").changed(given_values)
    assert values(file) == {"OTHER": "1"} | {name: value for name, value in given_values.items() if value}
    again = {name: f"{value}x" for name, value in given_values.items()}
    assert values(file.changed(again)) == {"OTHER": "1"} | again
    assert values(file.changed(dict.fromkeys(given_values, ""))) == {"OTHER": "1"}


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"A=1\nnonsense here\n", "line 2 does not have the form NAME=value"),
        (b"\n\nA\n", "line 3 does not have the form NAME=value"),
        (b"A='1\nB=2\n", "line 1 does not have the form NAME=value"),
        (b"A=1\nB=\xff\n", "line 2 is not UTF-8"),
        (b"A=a\0b\n", "line 1 has a character that no setting can have"),
        (b"#" * (BYTES_MAX + 1), "has over 1048576 bytes"),
    ],
)
def test_a_wrong_line_is_named_without_what_it_says(tmp_path: Path, raw: bytes, says: str) -> None:
    path = tmp_path / "foreknow.env"
    path.write_bytes(raw)
    path.chmod(0o600)
    with pytest.raises(EnvFileError) as failed:
        read_env_file(tmp_path)
    assert str(failed.value).startswith(str(path))
    assert says in str(failed.value)


def test_others_cannot_read_it_afterwards_and_one_that_they_may_write_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, "A=1\n").path
    path.chmod(0o644)
    assert values(read_env_file(tmp_path)) == {"A": "1"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for mode in (0o620, 0o602):
        path.chmod(mode)
        with pytest.raises(EnvFileError, match="others may write"):
            read_env_file(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_not_read_unless_the_folder_is_theirs(tmp_path: Path) -> None:
    path = written(tmp_path, "A=1\n").path
    os.chown(path, 12_345, -1)
    with pytest.raises(EnvFileError, match="belongs to another user"):
        read_env_file(tmp_path)
    os.chown(tmp_path, 12_345, -1)
    assert values(read_env_file(tmp_path)) == {"A": "1"}


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "foreknow.env", 0o600)
    with pytest.raises(EnvFileError, match="is not a file"):
        read_env_file(tmp_path)


def test_it_is_written_at_once_for_its_owner_alone_and_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "settings"
    target.write_text("A=1\n")
    target.chmod(0o600)
    (tmp_path / "foreknow.env").symlink_to(target)
    before = os.umask(0)
    try:
        write_env_file(read_env_file(tmp_path).changed({"A": "2"}))
    finally:
        os.umask(before)
    assert (tmp_path / "foreknow.env").is_symlink()
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("A=2\n", 0o600)
    assert [path.name for path in target.parent.iterdir()] == ["settings"]


def test_one_at_a_time_writes_in_a_folder(tmp_path: Path) -> None:
    with alone_in(tmp_path), pytest.raises(EnvFileError, match="another `foreknow init`"), alone_in(tmp_path):
        pass
    with alone_in(tmp_path):
        pass
