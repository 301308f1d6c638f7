"""`foreknow-mcp`: tools by which an assistant reads markets and trades, within a budget (Model Context Protocol).

    budget   what may still be staked today, kept in a file
    tools    the tools
    program  the command line

It needs the extra `mcp`: `pip install 'foreknow-client[mcp]'`.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Serve one assistant over standard input and output."""
    try:
        from foreknow_client.assistant.program import run  # noqa: PLC0415 - what follows may not be installed
    except ModuleNotFoundError as missing:
        sys.exit(f"foreknow-mcp needs {missing.name}: pip install 'foreknow-client[mcp]'")
    run()
