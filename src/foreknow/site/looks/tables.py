"""The looks that an admin has set, and the terms that the site has had."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Json, Text, table

#: At most eleven rows; `site_settings.looks_version` counts their changes.
site_looks = table(
    "site_looks",
    #: `logo`, `icon`, `theme`, or a page and its language, such as `about.en`.
    sa.Column("name", Text, primary_key=True),
    #: A picture, JSON, or Markdown in UTF-8.
    sa.Column("content", Bytes, nullable=False),
)

#: Every version of the terms that people may have agreed to.
site_terms = table(
    "site_terms",
    sa.Column("version", Text, primary_key=True),
    #: Markdown by language.
    sa.Column("texts", Json, nullable=False),
)
