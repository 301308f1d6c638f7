"""The command line: `foreknow serve` and the other commands.

program           the commands and their options
database          one transaction on the configured database; writes migrate it first
accounts          accounts of people: add, credit, reset link; logged as done by the command line
user_commands     commands of these accounts
init_command      the options of `foreknow init`
interview         its questions, asked at a terminal
invitations       invitations, as commands make and show them
invite_commands   commands of these
partner_commands  partners, their keys and floats
mail_commands     a mail that shows whether mails arrive
site_commands     whether the database sends, and an operator's word
replay            the replay
demo              the demo
copy_backup       the copy into another database, and the backup
progress          how far a long command has come
arguments         types of arguments that commands share
again             the command as its user can type it again
environment       where each setting comes from, and names that are none
output            tables for people, or one JSON document for programs
temporary_admin   an admin account that exists while a replay needs it
errors            the expected failures of a command: their text and exit code
"""

from foreknow.commands.cli.program import main

__all__ = ["main"]
