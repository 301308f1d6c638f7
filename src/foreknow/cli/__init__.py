"""The command line: `foreknow serve` and its sisters.

program   the commands and their options
database  one transaction on the configured database, brought up to date first
deeds     what is done to accounts, logged as the command line's
replaying the replay and the demo
moving    the copy into another database, and the backup
borrowed  an admin for as long as a replay needs one
failures  what ends a command, and how it is said
"""

from foreknow.cli.program import main

__all__ = ["main"]
