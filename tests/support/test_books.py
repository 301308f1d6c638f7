"""The audit after every test sees what a test should not have done."""

import pytest
import sqlalchemy as sa

from foreknow.platform.db.sqlite.connections import sqlite_engine
from tests.support.books import BooksAreWrong, audit_database
from tests.support.schema import SqliteFiles


def test_money_out_of_nowhere_is_found(sqlite_files: SqliteFiles) -> None:
    url = sqlite_files.fresh_database()
    audit_database(url)
    engine = sqlite_engine(url)
    with engine.begin() as tx:
        tx.execute(sa.text("INSERT INTO accounts (kind, owner_id, balance_kopecks) VALUES ('float', 1, 500)"))
    engine.dispose()

    with pytest.raises(BooksAreWrong, match="500"):
        audit_database(url)
