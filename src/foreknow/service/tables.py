"""All tables in one import, for migrations and their tests. Not imported by the service."""

import foreknow.market.assets.tables
import foreknow.market.charts.tables
import foreknow.market.events.tables
import foreknow.market.images.tables
import foreknow.market.markets.tables
import foreknow.market.pools.tables
import foreknow.money.holds.tables
import foreknow.money.ledger.tables
import foreknow.money.statements.tables
import foreknow.money.stats.tables
import foreknow.people.admin_log.tables
import foreknow.people.alerts.tables
import foreknow.people.attention.tables
import foreknow.people.follows.tables
import foreknow.people.invitations.tables
import foreknow.people.newcomers.tables
import foreknow.people.notifications.tables
import foreknow.people.oauth.tables
import foreknow.people.users.tables
import foreknow.platform.db.secrets
import foreknow.platform.mailing.tables
import foreknow.platform.sending.tables
import foreknow.platform.settings.tables
import foreknow.site.activity.tables
import foreknow.site.admin.tables
import foreknow.site.allowance.tables
import foreknow.site.chat.tables
import foreknow.site.clarifications.tables
import foreknow.site.comments.tables
import foreknow.site.feed.tables
import foreknow.site.forecast_scores.tables
import foreknow.site.forecasts.tables
import foreknow.site.looks.tables
import foreknow.site.moderation.tables
import foreknow.site.own_data.tables
import foreknow.site.record.tables
import foreknow.site.webhooks.tables
import foreknow.site.worth.tables
import foreknow.trading.desk.tables
import foreknow.trading.house
import foreknow.trading.lists.tables
import foreknow.trading.partner.tables
import foreknow.trading.positions.tables
import foreknow.trading.settlement.store
import foreknow.trading.settlement.tables  # noqa: F401
from foreknow.platform.db.metadata import metadata

__all__ = ["metadata"]
