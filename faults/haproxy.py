"""HAProxy before a pair of PostgreSQL servers, as Patroni's documentation sets it up.

It asks each server's agent whether that server is the primary; Patroni has one beside each, here `Pair` answers.
"""

from __future__ import annotations

import contextlib
import http.server
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from faults.pair import Member, Pair, wait_for
from tests.support.postgres import _free_port

MISSING = "HAProxy is not installed (Debian: apt install haproxy)"
CONFIGURATION = """
global
    maxconn 500
defaults
    mode tcp
    # Who connects to a server that is gone would wait a second for each attempt, and the orders behind with it.
    retries 0
    timeout connect 2s
    timeout client 60m
    timeout server 60m
listen primary
    bind 127.0.0.1:{port}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 1s fastinter 250ms downinter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


class _Agent(http.server.ThreadingHTTPServer):
    """Answers 200 while a server is primary, else 503."""

    def __init__(self, pair: Pair, member: Member) -> None:
        """Listen on any port."""
        super().__init__(("127.0.0.1", 0), _Answer)
        self._pair, self._member = pair, member

    def status(self) -> int:
        """Whether the server is primary, as a status."""
        keeper = self._member.keeper
        is_up = keeper is not None and keeper.poll() is None
        return 200 if is_up and self._pair.primary is self._member else 503


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Agent)
        self.send_response(self.server.status())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextlib.contextmanager
def balanced(pair: Pair) -> Iterator[int]:
    """Run HAProxy and yield its port; ends the program where it is not installed."""
    program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if program is None:
        raise SystemExit(MISSING)
    port = _free_port()
    with contextlib.ExitStack() as stack:
        servers = []
        for member in (pair.primary, pair.standby):
            agent = stack.enter_context(_Agent(pair, member))
            threading.Thread(target=agent.serve_forever, daemon=True).start()
            stack.callback(agent.shutdown)
            check = f"check port {agent.server_address[1]}"
            servers.append(f"    server s{member.port} 127.0.0.1:{member.port} {check}")
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="foreknow-faults-")))
        (folder / "haproxy.cfg").write_text(CONFIGURATION.format(port=port, servers="\n".join(servers)))
        running = subprocess.Popen([program, "-db", "-q", "-f", folder / "haproxy.cfg"])
        stack.callback(running.wait)
        stack.callback(running.terminate)
        url = f"postgresql://{pair.primary.url().split('://')[1].rpartition('@')[0]}@127.0.0.1:{port}/postgres"
        # At first it takes all servers to be up, and uses them by turns.
        wait_for(lambda: all(_leads_to_primary(pair, url) for _ in range(4)), "HAProxy does not lead to the primary")
        yield port


def _leads_to_primary(pair: Pair, url: str) -> bool:
    command = [str(pair.primary.programs / "bin" / "psql"), "-XqAtc", "SELECT pg_is_in_recovery()", url]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.stdout.strip() == "f"
