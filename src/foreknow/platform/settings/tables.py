"""What the site has set by itself."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Json, Text, table

#: One row, from the first look on.
site_settings = table(
    "site_settings",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    #: One more with each change.
    sa.Column("version", Int64, nullable=False),
    #: JSON values by name (`kernel/site_settings.py`).
    sa.Column("stored", Json, nullable=False),
    #: What the ledger is in, ISO 4217, as the last start or change knew it; "" for play money.
    sa.Column("currency_code", Text, nullable=False),
    #: One more with each change of the site's looks (`site/looks/`).
    sa.Column("looks_version", Int64, nullable=False, server_default="0"),
    #: Of the terms among them; NULL: those of the folder count.
    sa.Column("terms_version", Text),
)

#: The id of the row.
ROW_ID = 1
