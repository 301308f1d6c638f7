"""Temporary files of a run of several processes: in memory, and nowhere once it has ended."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.temporary import PREFIX, Folder, has_space, locked


def test_what_a_killed_run_left_is_thrown_away_and_what_another_one_uses_is_not(tmp_path: Path) -> None:
    left, running = Folder(tmp_path), Folder(tmp_path)
    (left.path / "file").write_text("")
    left.unlock()

    own = Folder(tmp_path)

    assert sorted(tmp_path.iterdir()) == sorted([running.path, own.path])
    for folder in (running, own):
        folder.close()
    assert not list(tmp_path.iterdir())


def test_there_is_space_only_where_the_memory_is(tmp_path: Path) -> None:
    assert has_space(tmp_path, wanted_bytes=1)
    assert not has_space(tmp_path, wanted_bytes=1 << 50)
    assert not has_space(tmp_path / "none", wanted_bytes=1)


def test_where_files_are_in_memory_all_are_in_one_folder_that_no_other_run_throws_away(tmp_path: Path) -> None:
    folder = Path(tempfile.gettempdir())
    if folder.name.startswith(PREFIX):
        assert tmp_path.is_relative_to(folder)
        assert locked(folder) is None
