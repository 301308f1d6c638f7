"""A backup of a site: a folder with the database, the settings and the looks, and the images of all backups beside it.

service   the whole backup, and the end of old ones
database  the database in one file, of either kind
"""

from foreknow.commands.backup.database import DumpFailed
from foreknow.commands.backup.service import BackedUp, Saved, back_up_site

__all__ = ["BackedUp", "DumpFailed", "Saved", "back_up_site"]
