"""The progress bar of a replay."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class ProgressBar:
    """A `Watcher` that draws one bar a stage, to be used as `with ProgressBar(console) as watcher`."""

    def __init__(self, console: Console) -> None:
        """Draw on `console`; only a terminal shows bars."""
        self._progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Start drawing."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing; the bars stay."""
        self._progress.stop()

    def stage(self, what: str, steps: int) -> None:
        """Begin a new bar."""
        self._task = self._progress.add_task(what, total=steps)

    def step(self) -> None:
        """Advance the newest bar."""
        if self._task is not None:
            self._progress.advance(self._task)
