"""How long the audit takes and how much memory, against reading the same rows.

Run as `python -m bench.flat.audits URL` in a process of its own, whose peak of memory is the audit's.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import sqlalchemy as sa

from foreknow.commands.audit import Check, Finding, audit
from foreknow.commands.cli.database import read_snapshot
from foreknow.platform.db.transactions import ReadTx

STREAMED_ROWS = 2_000
#: What the checks read.
TABLES = ("transfers", "trades", "positions", "accounts", "partner_transactions", "idempotency_keys")


def audit_beside(url: str) -> str:
    """Audit in a process of its own, and return what that says."""
    command = [sys.executable, "-m", "bench.flat.audits", url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _read(tx: ReadTx) -> int:
    count = 0
    for table in TABLES:
        query = sa.text(f"SELECT * FROM {table}").execution_options(yield_per=STREAMED_ROWS)
        for some in tx.execute(query).partitions(STREAMED_ROWS):
            count += len(some)
    return count


def main(url: str) -> None:
    """Read, then audit."""
    took: list[tuple[float, str]] = []
    began, last = time.perf_counter(), time.process_time()
    cpu_s = -last

    def note(check: Check, _findings: list[Finding]) -> None:
        nonlocal last
        took.append((time.process_time() - last, check.name))
        last = time.process_time()

    findings = read_snapshot(url, lambda tx: audit(tx, after_each=note))
    audited_s = time.perf_counter() - began
    cpu_s += time.process_time()
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    began, last = time.perf_counter(), time.process_time()
    rows = read_snapshot(url, _read)
    read_s = time.perf_counter() - began
    read_cpu_s = time.process_time() - last
    entries = 2 * read_snapshot(url, lambda tx: int(tx.scalar(sa.text("SELECT COUNT(*) FROM transfers")) or 0))
    slowest = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in sorted(took, reverse=True)[:8])
    print(
        f"audit: {len(findings)} findings in {audited_s:.1f} s ({cpu_s:.1f} s of CPU) for {entries:,} entries,"
        f" {1e6 * audited_s / entries:.1f} s ({1e6 * cpu_s / entries:.1f}) a million; {cpu_s / read_cpu_s:.2f} times"
        f" the CPU time of reading the {rows:,} rows ({read_s:.1f} s); peak {peak_mib} MiB\n  slowest: {slowest}"
    )


if __name__ == "__main__":
    main(sys.argv[1])
