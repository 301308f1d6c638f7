"""Make an API key for a bot: `python -m foreknow_client https://markets.example you@example.org`."""

from __future__ import annotations

import argparse
import getpass
import sys

from foreknow_client import Client, ForeknowError


def main() -> None:
    """Ask for the password and print a key."""
    parser = argparse.ArgumentParser(prog="python -m foreknow_client", description="Make an API key for a bot.")
    parser.add_argument("url", help="where the service is, such as http://127.0.0.1:8000")
    parser.add_argument("login", help="your e-mail address or nickname; the password is prompted for")
    parser.add_argument("--name", default="bot", help="what the key is called in your list of keys")
    parser.add_argument("--read-only", action="store_true", help="a key that cannot trade")
    given = parser.parse_args()
    password = getpass.getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    try:
        with Client(given.url, login=given.login, password=password) as client:
            key = client.create_my_key(name=given.name, scope="read" if given.read_only else "trade").key
    except (ForeknowError, ValueError) as failure:
        sys.exit(str(failure))
    sys.stdout.write(f"{key}\n")


if __name__ == "__main__":
    main()
