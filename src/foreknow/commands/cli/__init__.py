"""The command line: `foreknow serve` and the other commands.

program            the commands and their options, those of `foreknow init` among them
database           one transaction on the configured database; writes migrate it first
accounts           accounts of people: add, credit, reset link; logged as done by the command line; and invitations
user_commands      commands of these accounts
invite_commands    commands of invitations
interview          the questions of `foreknow init`, asked at a terminal
partner_commands   partners, their keys and floats
alert_commands     an alert that shows whether alerts arrive
upgrade_command    a backup, the migration, the audit, and how to restart
status_command     how a site is: its newest backup, and what waits
verify_command     what was worked out again of a site, and what does not agree
settings_commands  the settings, and setting what the site keeps in its database
site_commands      whether the database sends, an operator's word, and a mail that shows whether mails arrive
replay             the replay
demo               the demo
copy_backup        the copy into another database, and the backup
progress           how far a long command has come
arguments          types of arguments that commands share
again              the command as its user can type it again
environment        where each setting comes from, and names that are none
output             tables for people, or one JSON document for programs
temporary_admin    an admin account that exists while a replay needs it
errors             the expected failures of a command: their text and exit code
"""

from foreknow.commands.cli.program import main

__all__ = ["main"]
