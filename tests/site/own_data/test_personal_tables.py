"""Every table with a column of a person says what the person's export has of it, and what a deletion leaves."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.service.tables import metadata
from foreknow.site.own_data.personal_tables import EXPORTED, NOT_EXPORTED, SECRET_COLUMNS, STAYING
from tests.support.proofs import proves

#: What a column is called that holds a person's id, also where it refers to no row.
OF_PERSONS = {"user_id", "author_id", "creator_id", "owner_id", "reporter_id", "follower_id", "admin_id"}
#: Texts with a person's id in them.
IN_TEXTS = {"admin_log.target", "idempotency_keys.scope", "newcomer_grants.granted", "sign_in_failures.account"}
LOOKS_SECRET = ("hash", "secret", "token", "fingerprint", "password")


def persons_columns(tables: sa.MetaData) -> set[str]:
    """Return the columns, as `table.column`, that hold the id of a person."""
    return {
        f"{table.name}.{column.name}"
        for table in tables.tables.values()
        for column in table.columns
        if column.name in OF_PERSONS or any(key.target_fullname == "users.id" for key in column.foreign_keys)
    }


def test_every_column_of_a_person_is_exported_or_named_as_not() -> None:
    exported, left_out = {each.column for each in EXPORTED}, set(NOT_EXPORTED)

    assert exported & left_out == set()
    assert exported | left_out == persons_columns(metadata) | IN_TEXTS | {"users.id"}
    assert all(NOT_EXPORTED.values())


def test_what_stays_of_a_deleted_person_is_named() -> None:
    assert set(STAYING) <= {each.column for each in EXPORTED} | set(NOT_EXPORTED)
    assert all(STAYING.values())


@proves("site: all that is kept of the caller, one JSON, streamed; no secrets; once an hour (429) |")
def test_no_secret_is_exported() -> None:
    for each in EXPORTED:
        table = metadata.tables[each.table]
        secret = {column.name for column in table.columns if any(word in column.name for word in LOOKS_SECRET)}
        assert secret <= SECRET_COLUMNS, each.table


def test_a_new_table_of_persons_is_seen() -> None:
    tables = sa.MetaData()
    sa.Table("users", tables, sa.Column("id", sa.BigInteger, primary_key=True))
    sa.Table("polls", tables, sa.Column("asked_by", sa.BigInteger, sa.ForeignKey("users.id")))
    sa.Table("votes", tables, sa.Column("user_id", sa.BigInteger))

    assert persons_columns(tables) == {"polls.asked_by", "votes.user_id"}
