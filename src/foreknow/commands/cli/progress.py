"""How far a long command has come, on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class ProgressBar:
    """One bar a stage on a terminal, elsewhere a line a stage or nothing; used as `with ProgressBar() as watcher`."""

    def __init__(self, *, has_lines: bool = False) -> None:
        """`has_lines`: where there is no terminal, write a line for each stage."""
        self._console = Console(stderr=True)
        self._has_lines = has_lines and not self._console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description:<22}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Begin."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing; the bars stay."""
        if raised is None:
            self._finish()
        self._progress.stop()

    def stage(self, what: str, steps: int) -> None:
        """Begin a stage, which ends the one before."""
        self._finish()
        self._task = self._progress.add_task(what, total=steps or None)
        if self._has_lines:
            self._console.out(f"{what}, {steps} rows" if steps else what)

    def step(self, count: int = 1) -> None:
        """Advance the newest bar."""
        if self._task is not None:
            self._progress.advance(self._task, count)

    def reach(self, what: str, done: int, steps: int) -> None:
        """Set the bar of the only stage to `done`; the first call begins it."""
        if self._task is None:
            self.stage(what, 0)
        assert self._task is not None
        self._progress.update(self._task, completed=done, total=steps)

    def _finish(self) -> None:
        if self._task is not None and self._progress.tasks[self._task].total is None:
            self._progress.update(self._task, total=1, completed=1)
