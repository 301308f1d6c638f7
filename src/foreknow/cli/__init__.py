"""The command line: `foreknow serve` and the other commands.

program          the commands and their options
database         one transaction on the configured database; writes migrate it first
accounts         accounts of people: add, credit, reset link; logged as done by the command line
replay           the replay
demo             the demo
copy_backup      the copy into another database, and the backup
temporary_admin  an admin account that exists while a replay needs it
errors           the expected failures of a command: their text and exit code
"""

from foreknow.cli.program import main

__all__ = ["main"]
