"""Processes of the service without its start: a fork server that has imported it forks them.

To import the service takes a command longer than nearly all that tests ask of it. While `tests` run,
`subprocess.Popen` of `foreknow` as it is installed, or of `python -m` and a module of this repository, and what
`multiprocessing` spawns, come from the fork server; so do those of `forks.Popen` and `forks.run`, whatever `python` is
to run. They are children of the process that starts them, as ever: what waits for them, signals them or reads from
them need not know. What the shell starts (`sh -c "foreknow …"`) begins with the real interpreter; so does what is to be
given other settings of the interpreter. Whatever differs is here: all processes of a fork server have the same seed of
hashes, and they are killed when the test process ends.
"""

from __future__ import annotations

import ctypes
import inspect
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import util
from pathlib import Path
from typing import Any, Final

from tests.support.forkserver import Job, ask

ROOT: Final = Path(__file__).parents[2]
#: The command as it is installed.
FOREKNOW: Final = Path(sys.executable).with_name("foreknow")
SERVICE: Final = ["foreknow.commands.*", "foreknow.service.*"]
#: What the examples are made of.
CLIENT: Final = ["foreknow_client.__main__"]
#: What is imported for the programs of a package, or a module, `python -m …`.
PROGRAMS: Final[Mapping[str, Sequence[str]]] = {
    "foreknow": SERVICE,
    "foreknow_client": CLIENT,
    "foreknow_client.assistant": ["foreknow_client.*"],
    "faults": [*SERVICE, "faults.*"],
    "bench": [*SERVICE, "bench.*"],
}
#: What programs that start processes have among their arguments.
STARTERS: Final = {"--workers", "replay", "demo", "bench"}
#: Variables that an interpreter reads as it starts, or what it is made of.
OF_THE_INTERPRETER: Final = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "MALLOC_", "GLIBC_")
#: What few processes request, which are really started.
USUAL: Final = {
    "shell": False,
    "executable": None,
    "preexec_fn": None,
    "gid": None,
    "gids": None,
    "uid": None,
    "umask": -1,
}
PR_SET_CHILD_SUBREAPER: Final = 36

_execute: Final[Callable[..., None]] = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_arguments_of_execute: Final = inspect.signature(_execute)
_spawn: Final = util.spawnv_passfds


class Popen(subprocess.Popen[str]):
    """A process of text. `arguments` begin with `sys.executable` and go on as is usual."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        imports: Sequence[str] = SERVICE,
        terminal: str | None = None,
        **more: Any,
    ) -> None:
        """Start it, the modules `imports` (`tests.support.forkserver.Job`) being there.

        `terminal`: the name of one, of which it begins a session, and which its streams are.
        """
        self.imports = list(imports)
        self.terminal = terminal
        super().__init__(arguments, text=True, **more)


def run(
    arguments: Sequence[str | Path],
    *,
    input: str | None = None,  # noqa: A002 - as `subprocess.run` has it
    timeout: float | None = None,
    check: bool = False,
    **more: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a process to its end, and return what it said."""
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    with Popen(arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more) as process:
        try:
            said, complained = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    ended = subprocess.CompletedProcess(process.args, process.returncode, said, complained)
    if check:
        ended.check_returncode()
    return ended


class Forks:
    """Asks a fork server, which is started when it is first needed."""

    def __init__(self, control: socket.socket | None) -> None:
        """Ask the one at the other end of `control`; None: start one, whose processes end with this one."""
        self._control = control
        self._is_bound = control is None
        self._server: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._environment = _of_the_interpreter(os.environ)
        self._is_adopting = False

    def can(self, environment: Mapping[str, str]) -> bool:
        """Tell whether nothing in this environment would make another interpreter."""
        return _of_the_interpreter(environment).items() <= self._environment.items()

    def start(self, arguments: Sequence[str], files: Mapping[int, int], **more: Any) -> int:
        """Start `python` with arguments; `files`: which of ours has which number there. Returns its id."""
        numbers, own = list(files), list(files.values())
        forks = not STARTERS.isdisjoint(arguments)
        job = Job(list(arguments), parent=os.getpid(), files=numbers, is_bound=self._is_bound, forks=forks, **more)
        with self._lock:
            if not self._is_adopting:
                ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
                self._is_adopting = True
            return ask(self._control or self._begin(), job, own)

    def stop(self) -> None:
        """Let the fork server end."""
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.wait()

    def _begin(self) -> socket.socket:
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            program = f"from tests.support.forkserver import main; main({number})"
            self._server = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, pass_fds=[number])
        return self._control


def take_over(control: socket.socket | None = None) -> Forks:
    """Let processes of this one come from a fork server from now on."""
    forks = Forks(control)

    def execute(process: subprocess.Popen[Any], *given: Any) -> None:
        asked = _arguments_of_execute.bind(process, *given).arguments
        if not _is_started(forks, process, asked):
            _execute(process, *given)

    def spawn(path: bytes, arguments: Sequence[Any], kept: Sequence[int]) -> int:
        texts = [os.fsdecode(one) for one in arguments]
        if texts[1] != "-c":
            return _spawn(path, arguments, kept)
        files = {number: number for number in (0, 1, 2, *kept)}
        return forks.start(texts[1:], files, environment=dict(os.environ), folder=str(Path.cwd()), imports=SERVICE)

    subprocess.Popen._execute_child = execute  # type: ignore[attr-defined]
    util.spawnv_passfds = spawn  # type: ignore[assignment]
    return forks


def _is_started(forks: Forks, process: subprocess.Popen[Any], asked: Mapping[str, Any]) -> bool:
    """Start a process from the fork server, if it can be."""
    environment = dict(os.environ if asked["env"] is None else asked["env"])
    program = _program(process, asked["args"])
    if program is None or any(asked[name] != usual for name, usual in USUAL.items()) or not forks.can(environment):
        return False
    streams = [asked["p2cread"], asked["c2pwrite"], asked["errwrite"]]
    files = {number: number if stream < 0 else stream for number, stream in enumerate(streams)}
    arguments, imports = program
    process.pid = forks.start(
        arguments,
        files | {number: number for number in asked["pass_fds"]},
        environment=environment,
        folder=str(Path(asked["cwd"] or "").absolute()),
        imports=list(imports),
        is_new_session=asked["start_new_session"],
        process_group=None if asked["process_group"] < 0 else asked["process_group"],
        terminal=getattr(process, "terminal", None),
    )
    process._child_created = True  # type: ignore[attr-defined]
    ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
    process._close_pipe_fds(*(asked[one] for one in ends))  # type: ignore[attr-defined]
    return True


def _program(process: subprocess.Popen[Any], given: Any) -> tuple[list[str], Sequence[str]] | None:
    """Return what `python` gets and is to have imported, where the process comes from the fork server."""
    if isinstance(given, (str, bytes, os.PathLike)):
        return None
    program, *rest = (os.fsdecode(one) for one in given)
    if program == str(FOREKNOW):
        return [program, *rest], SERVICE
    if program != sys.executable:
        return None
    if rest[:1] == ["-m"] and (imports := PROGRAMS.get(rest[1]) or PROGRAMS.get(rest[1].partition(".")[0])):
        return rest, imports
    return (rest, process.imports) if isinstance(process, Popen) else None


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(OF_THE_INTERPRETER)}
