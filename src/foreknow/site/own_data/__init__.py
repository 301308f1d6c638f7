"""What a person may do with all that is kept of them: take it as one file, and delete their account.

deletion         what ends in one transaction, and when it is refused
erasing          what a deleted person wrote, piece by piece
export           all that is kept of a person, as JSON
personal_tables  which tables keep something of a person, what a deletion leaves of it
"""

from foreknow.site.own_data.service import AccountDeletion

__all__ = ["AccountDeletion"]
