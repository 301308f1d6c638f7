"""What was freed goes back to the system, whatever was allocated between."""

from __future__ import annotations

import subprocess
import sys

#: Allocates 100 MiB in large pieces twice, each followed by a small one that stays, as responses do; writes how much
#: more is resident once they are freed, and after that is given back.
PROGRAM = """
import os
from pathlib import Path
from foreknow.service.server import give_back_freed_memory

def resident_mib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

before, stays = resident_mib(), []
for _ in range(2):
    large = []
    for number in range(100):
        large.append(b"a" * (1 << 20))
        stays.append(bytearray(2_000))
    del large
freed = resident_mib()
give_back_freed_memory()
print(freed - before, resident_mib() - before)
"""


def test_what_is_free_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    freed_mib, given_back_mib = map(int, done.stdout.split())
    assert freed_mib > 50
    assert given_back_mib < 20
