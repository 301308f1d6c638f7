"""What `bin/test --cpu` adds up."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

from tests.support.cpu import used_s

BURNT_S = 0.3
BURN = f"import time\nwhile time.process_time() < {BURNT_S}: pass\nprint('burnt', flush=True)\ninput()"
#: It burns in a process of its own, below that which is started.
BURN_BELOW = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r}])"


def test_what_processes_below_use_counts_while_they_run_and_when_they_have_ended() -> None:
    begun: list[subprocess.Popen[str]] = []
    before_s, before_here_s = used_s(), time.process_time()

    def start() -> None:
        command = [sys.executable, "-c", BURN_BELOW]
        begun.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    # Each thread has children of its own.
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    (process,) = begun
    assert process.stdout is not None
    assert process.stdout.readline() == "burnt\n"
    running_s = used_s() - before_s
    process.communicate("\n")
    ended_s = used_s() - before_s
    assert BURNT_S - 0.05 <= running_s <= ended_s + 0.05
    assert ended_s - (time.process_time() - before_here_s) >= BURNT_S - 0.05
