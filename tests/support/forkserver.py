"""The process that `tests.support.forks` asks for others: it has imported the service, and forks.

What it forks goes on as if it were started again, with arguments, environment, folder and files of its own. Imports
nothing but the standard library, so that no test's process differs from a user's.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import importlib
import io
import os
import pickle
import pkgutil
import runpy
import signal
import socket
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LENGTH_BYTES: Final = 8
FILES_MAX: Final = 250
PR_SET_PDEATHSIG: Final = 1
STDERR: Final = 2
#: Signals that are for a whole group of processes, of which the fork server is only by chance.
NOT_FOR_IT: Final = (signal.SIGINT, signal.SIGTERM)
_imported: set[str] = set()
#: The one of this process, once it is known.
_exit_codes: list[int] = []


@dataclass(frozen=True, slots=True)
class Job:
    """A process that is wanted."""

    #: As after `python`: a script, or -m and a module, or -c and a program; then its own.
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    #: The process that asks.
    parent: int
    #: Which numbers the files that come with it get.
    files: list[int]
    #: What is imported before it is forked: `foreknow.kernel`, or `foreknow.kernel.*`, which is all in it.
    imports: list[str]
    is_new_session: bool = False
    #: None: the parent's.
    process_group: int | None = None
    #: The terminal of a new session.
    terminal: str | None = None
    #: Whether it is killed when its parent ends.
    is_bound: bool = False
    #: Whether it has a fork server of its own to ask.
    forks: bool = False


def ask(control: socket.socket, job: Job, files: list[int]) -> int:
    """Ask for a process that takes over `files`; return its id. Raises what came in its way."""
    _send(control, job, files)
    answer, _ = _receive(control)
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, int)
    return answer


def main(number: int) -> None:
    """Serve on a socket, by its number. Returns in the processes that are wanted, at their end."""
    from tests.support import forks

    # Before whatever else is to be done at the end, and so after it.
    atexit.register(_leave)
    with socket.socket(fileno=number) as control:
        job = _serve(control)
    while job.forks:
        ours, theirs = socket.socketpair()
        if os.fork():
            theirs.close()
            forks.take_over(ours)
            break
        # Here is its own fork server, which has none of its files.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(STDERR + 1):
            os.dup2(nothing, stream)
        _keep_only(theirs.fileno())
        with theirs:
            job = _serve(theirs)
    try:
        _run(job)
        _exit_codes.append(0)
    except SystemExit as ended:
        _exit_codes.append(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
        raise
    except Exception:
        _exit_codes.append(1)
        raise


def _leave() -> None:
    """End without taking apart all that was imported, once nothing else is left to do."""
    for code in _exit_codes:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
        os._exit(code)


def _send(control: socket.socket, what: object, files: list[int]) -> None:
    body = pickle.dumps(what)
    socket.send_fds(control, [len(body).to_bytes(LENGTH_BYTES, "big")], files)
    control.sendall(body)


def _receive(control: socket.socket) -> tuple[object, list[int]]:
    """Return what was sent, and its files. Raises `EOFError` where the other side has ended."""
    length, files, _, _ = socket.recv_fds(control, LENGTH_BYTES, FILES_MAX)
    body = b""
    while len(body) < (missing := int.from_bytes(length, "big")):
        part = control.recv(missing - len(body))
        if not part:
            raise EOFError
        body += part
    if not body:
        raise EOFError
    return pickle.loads(body), files


def _serve(control: socket.socket) -> Job:
    """Fork processes until no one is left to ask. Returns in each of them what it is to be."""
    for number in NOT_FOR_IT:
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            job, received = _receive(control)
        except (EOFError, ConnectionError):
            os._exit(0)
        assert isinstance(job, Job)
        try:
            _import(job.imports)
        except Exception as failure:  # noqa: BLE001 - it is raised where the process was wanted
            _send(control, failure, [])
        else:
            if _is_forked(control, job, received):
                return job
        for one in received:
            os.close(one)


def _import(names: list[str]) -> None:
    for name in set(names) - _imported:
        module = importlib.import_module(name.removesuffix(".*"))
        if name.endswith(".*"):
            for found in pkgutil.walk_packages(module.__path__, name[:-1]):
                importlib.import_module(found.name)
        _imported.add(name)
        # No child looks through what is there already: it stays shared.
        gc.collect()
        gc.freeze()
    if (threads := len(list(Path("/proc/self/task").iterdir()))) > 1:
        raise RuntimeError(f"{threads} threads run once {names} are imported: that cannot be forked")


def _is_forked(control: socket.socket, job: Job, files: list[int]) -> bool:
    """Fork, and tell whether this is the new process.

    It is an orphan at once, as what forks it ends: so it becomes a child of the process that asks, which adopts those.
    """
    adopted, ended = os.pipe()
    between = os.fork()
    if between:
        os.waitpid(between, 0)
        os.close(adopted)
        os.close(ended)
        return False
    os.close(ended)
    if os.fork():
        os._exit(0)
    # Comes to its end once the fork server has waited for what is in between.
    os.read(adopted, 1)
    # Their own numbers may be those that others of them are to have.
    control, files = socket.socket(fileno=_aside(job, control.detach())), [_aside(job, one) for one in files]
    with control:
        try:
            _become(job, files, control.fileno())
            _send(control, os.getpid(), [])
        except BaseException as failure:  # noqa: BLE001 - likewise
            _send(control, failure, [])
            os._exit(1)
    return True


def _aside(job: Job, file: int) -> int:
    return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, max(job.files) + 1)


def _become(job: Job, files: list[int], control: int) -> None:
    """Take over what a process inherits from its parent."""
    if job.is_bound:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.chdir(job.folder)
    os.environ.clear()
    os.environ.update(job.environment)
    if job.is_new_session or job.terminal:
        os.setsid()
    elif job.process_group is not None:
        os.setpgid(0, job.process_group)
    elif (group := os.getpgid(job.parent)) != os.getpgid(0):
        # Only then: in a container it may have been made outside, where it has a number that cannot be named here.
        os.setpgid(0, group)
    if job.terminal:
        # The first terminal that a session's leader opens is the session's.
        files[:3] = [os.open(job.terminal, os.O_RDWR)] * 3
    for number, file in zip(job.files, files, strict=True):
        os.dup2(file, number)
    _keep_only(control, *job.files)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _keep_only(*numbers: int) -> None:
    kept = sorted({0, 1, 2, *numbers})
    for one, following in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(one + 1, following)


def _run(job: Job) -> None:
    """Run a program to its end, as `python` does."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    # What `faults` and `bench` import of the tests imports pytest, and Cyclopts warns where that is there.
    sys.modules.pop("pytest", None)
    first, *rest = job.arguments
    if first == "-c":
        sys.argv[:] = ["-c", *rest[1:]]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), main.__dict__)
    elif first == "-m":
        sys.argv[:] = rest
        sys.path[0] = job.folder
        program = rest[0] + ".__main__" * hasattr(sys.modules.get(rest[0]), "__path__")
        # It may have been imported, but not run.
        sys.modules.pop(program, None)
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = job.arguments
        sys.path[0] = str(Path(first).resolve().parent)
        runpy.run_path(first, run_name="__main__")


def _stream(number: int, like: io.TextIOWrapper) -> io.TextIOWrapper:
    at_once = like.write_through
    file = open(number, "wb" if number else "rb", buffering=-(not at_once), closefd=False)  # noqa: SIM115 - it stays open
    return io.TextIOWrapper(
        file,
        encoding=like.encoding,
        errors=like.errors,
        newline="\n",
        line_buffering=number == STDERR or os.isatty(number),
        write_through=at_once,
    )
