"""All tables in one import, for migrations and their tests. Not imported by the service."""

import foreknow.activity.tables
import foreknow.admin_log.tables
import foreknow.alerts.tables
import foreknow.assets.tables
import foreknow.attention.tables
import foreknow.charts.tables
import foreknow.chat.tables
import foreknow.comments.tables
import foreknow.db.secrets
import foreknow.events.tables
import foreknow.feed.tables
import foreknow.house.tables
import foreknow.images.tables
import foreknow.ledger.tables
import foreknow.markets.tables
import foreknow.notifications.tables
import foreknow.oauth.tables
import foreknow.partner.tables
import foreknow.pools.tables
import foreknow.positions.tables
import foreknow.settlement.tables
import foreknow.statements.tables
import foreknow.stats.tables
import foreknow.trading.tables
import foreknow.users.tables
import foreknow.webhooks.tables  # noqa: F401 - each import adds its tables to the metadata
from foreknow.db.metadata import metadata

__all__ = ["metadata"]
