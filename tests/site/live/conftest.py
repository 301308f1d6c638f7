"""Services for tests that put trades straight into the database."""

from tests.site.feed.conftest import start_unpaid_service, unpaid_service, unpaid_sqlite_service

__all__ = ["start_unpaid_service", "unpaid_service", "unpaid_sqlite_service"]
