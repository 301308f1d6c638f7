"""Write the generated modules of foreknow_client (`just client`)."""

from __future__ import annotations

import sys

from clients.python.generator.files import TARGET, written


def main() -> None:
    """Write every module."""
    for name, text in written().items():
        (TARGET / name).write_text(text)
    sys.stdout.write(f"{TARGET}\n")


if __name__ == "__main__":
    main()
