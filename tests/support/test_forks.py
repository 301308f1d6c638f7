"""What comes from the fork server is a process like any other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import forks
from tests.support.forks import FOREKNOW
from tests.support.processes import is_alive
from tests.support.service import TIMEOUT_S
from tests.support.waiting import wait_until

#: What a process knows of itself.
SAYS = """
import json, os, signal, sys
json.dump({
    "argv": sys.argv, "path": sys.path[0], "main": __name__, "typed": sys.stdin.read(), "folder": os.getcwd(),
    "environment": dict(os.environ), "files": sorted(os.listdir("/proc/self/fd"), key=int), "parent": os.getppid(),
    "group": os.getpgid(0) == os.getpid(), "session": os.getsid(0) == os.getpid(),
    "interrupts": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "ends": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
}, sys.stdout)
"""
SPAWNS = """
import multiprocessing, os, sys
context = multiprocessing.get_context(sys.argv[1])
if __name__ == "__main__":
    process = context.Process(target=os._exit, args=(7,))
    process.start()
    process.join()
    print(process.exitcode)
"""


def said(*arguments: str, **more: Any) -> dict[str, Any]:
    """Return what a process says of itself, however it is started."""
    command = [*arguments, "-c", SAYS, "one"]
    ended = subprocess.run(command, input="typed", capture_output=True, text=True, check=True, **more)
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


@pytest.mark.parametrize("more", [{}, {"start_new_session": True}, {"process_group": 0}], ids=str)
def test_it_knows_of_itself_what_a_real_one_does(tmp_path: Path, more: dict[str, Any]) -> None:
    with (tmp_path / "kept").open("w") as kept:
        given: dict[str, Any] = {
            "cwd": tmp_path,
            "env": {**os.environ, "COLOUR": "blue"},
            "pass_fds": [kept.fileno()],
        } | more
        real = said(sys.executable, **given)
        asked = forks.run([sys.executable, "-c", SAYS, "one"], input="typed", check=True, **given)
    assert json.loads(asked.stdout) == real
    assert (real["parent"], real["environment"]["COLOUR"]) == (os.getpid(), "blue")


@pytest.mark.parametrize(
    ("program", "code", "says"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('so it is')", 1, "so it is\n"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
        ("import threading; threading.Thread(target=print, args=['late']).start()", 0, "late\n"),
        ("import atexit; atexit.register(print, 'last')", 0, "last\n"),
        ("raise KeyboardInterrupt", -signal.SIGINT, "KeyboardInterrupt\n"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
    ],
)
def test_it_ends_as_a_real_one_does(program: str, code: int, says: str) -> None:
    ended = forks.run([sys.executable, "-c", program], timeout=TIMEOUT_S)
    assert ended.returncode == code
    assert (ended.stdout + ended.stderr).endswith(says)
    assert bool(ended.stderr) == (code in {1, -signal.SIGINT})


def test_what_cannot_start_says_why_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        forks.run([sys.executable, "-c", ""], cwd=tmp_path / "none")
    assert forks.run([sys.executable, "-c", "print(1)"]).stdout == "1\n"


def test_the_installed_command_comes_from_it_and_is_what_it_would_be() -> None:
    command = [str(FOREKNOW), "--version"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert "forkserver" in Path(f"/proc/{process.pid}/cmdline").read_text()
        asked = process.communicate(timeout=TIMEOUT_S)[0]
    real = subprocess.run(["sh", "-c", 'exec "$@"', "sh", *command], capture_output=True, text=True, check=True)
    assert asked == real.stdout


def test_another_interpreter_is_really_started() -> None:
    """What is fixed once it runs, such as its seed of hashes, cannot be given to a fork."""
    program, seeded = "print(hash('seed'))", {**os.environ, "PYTHONHASHSEED": "1"}
    hashes = {forks.run([sys.executable, "-c", program], env=seeded).stdout for _ in range(2)}
    real = subprocess.run([sys.executable, "-c", program], env=seeded, capture_output=True, text=True, check=True)
    assert hashes == {real.stdout}


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_it_starts_processes_of_its_own(method: str) -> None:
    module = [sys.executable, "-c", SPAWNS, method, "--workers"]
    assert forks.run(module, timeout=TIMEOUT_S).stdout == "7\n"


def test_it_ends_with_the_process_that_started_it() -> None:
    program = """
import subprocess, sys, time
from tests.support import forks
forks.take_over()
print(forks.Popen([sys.executable, "-c", "import time; time.sleep(600)"], imports=[]).pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], cwd=forks.ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    wait_until(lambda: not is_alive(child))
