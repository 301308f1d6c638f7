"""Prices of assets, rates of currencies, and who fetches them when."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Float64, Int64, Text, own_id, table

assets = table(
    "assets",
    own_id(),
    #: In upper case.
    sa.Column("symbol", Text, nullable=False, unique=True),
    sa.Column("name", Text, nullable=False),
    sa.Column("asset_type", Text, nullable=False),
    sa.Column("price_usd", Float64, nullable=False),
    sa.Column("price_updated_at_ms", Int64, nullable=False),
    #: The provider's name; "" for an admin.
    sa.Column("source", Text, nullable=False),
    #: Until then no provider named later in the settings writes over it, and none at all over an admin's.
    sa.Column("holds_until_ms", Int64, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: When the request for the price began; NULL for one of before observations were kept.
    sa.Column("observed_at_ms", Int64),
)

#: One row per pair, in whichever direction it came, so that a pair is never stored beside its inverse.
currency_rates = table(
    "currency_rates",
    #: The two codes, in upper case and in the order of the alphabet.
    sa.Column("low_code", Text, primary_key=True),
    sa.Column("high_code", Text, primary_key=True),
    #: The rate as it came: what one unit of low_code is worth in high_code, or where `inverted` the other way.
    sa.Column("rate", Float64, nullable=False),
    sa.Column("inverted", Flag, nullable=False),
    sa.Column("updated_at_ms", Int64, nullable=False),
    sa.Column("source", Text, nullable=False),
    sa.Column("holds_until_ms", Int64, nullable=False),
    # The pairs of a code are looked for from both sides.
    sa.Index("ix_currency_rates_high_code", "high_code", "low_code"),
)

#: One row per provider, which the process that fetches leases.
provider_runs = table(
    "provider_runs",
    sa.Column("provider", Text, primary_key=True),
    #: When it is fetched next; while a process fetches it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False),
    #: Counts the runs.
    sa.Column("run", Int64, nullable=False),
    #: How many runs in a row have failed.
    sa.Column("failures", Int64, nullable=False),
    sa.Column("succeeded_at_ms", Int64),
    #: When the newest run began; NULL before the first.
    sa.Column("began_at_ms", Int64),
)

#: Every price fetched or set, for 30 days or more: the observations of price rules.
asset_prices = table(
    "asset_prices",
    own_id(),
    sa.Column("symbol", Text, nullable=False),
    sa.Column("price_usd", Float64, nullable=False),
    #: When its request began.
    sa.Column("observed_at_ms", Int64, nullable=False),
    #: The provider's name; "admin" for an admin.
    sa.Column("source", Text, nullable=False),
    #: Whether it became the asset's price.
    sa.Column("counts", Flag, nullable=False),
    # The first one recorded from a moment on, and the newest, of a source or of those that count.
    sa.Index("ix_asset_prices_symbol_observed", "symbol", "observed_at_ms", "id"),
    sa.Index("ix_asset_prices_symbol_id", "symbol", "id"),
    sa.Index("ix_asset_prices_observed", "observed_at_ms"),
)
