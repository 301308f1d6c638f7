"""Writing, counting and marking notifications."""

from __future__ import annotations

import pytest

from foreknow.people import notifications
from foreknow.people.notifications import store
from foreknow.people.notifications.kinds.own import OperatorAnswer
from foreknow.people.notifications.messages import NewNotification, NewNotifications
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.plans import plan
from tests.support.rows import insert_user


def new_notifications(user_id: int, count: int) -> list[NewNotification]:
    return [
        one for number in range(count) for one in NewNotifications(None, at_ms=number).add(user_id, OperatorAnswer())
    ]


def mark_all(tx: WriteTx, user_id: int, *, limit: int) -> list[int]:
    """Mark everything in steps of `limit`; return how many each step marked."""
    steps: list[int] = []
    after_id: int | None = 0
    while after_id is not None:
        marked, after_id = store.mark_next(tx, user_id=user_id, after_id=after_id, at_ms=9, limit=limit)
        steps.append(marked)
    return steps


async def test_what_is_recorded_is_unread_and_the_newest_comes_first(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        user_id, other_id = insert_user(tx), insert_user(tx)
        notifications.record(tx, [])
        notifications.record(tx, [*new_notifications(user_id, 3), *new_notifications(other_id, 1)])
        rows = store.page(tx, user_id=user_id, before_id=None, limit=10)
        assert [(row.created_at_ms, row.read_at_ms, row.event_id) for row in rows] == [
            (2, None, None),
            (1, None, None),
            (0, None, None),
        ]
        assert {row.type for row in rows} == {"operator_answer"}
        assert store.page(tx, user_id=user_id, before_id=rows[0].id, limit=1) == [rows[1]]
        assert store.unread_count(tx, user_id) == 3
        assert store.unread_count(tx, other_id) == 1

    await db.write(story)


async def test_a_notification_is_rolled_back_with_its_cause(db: Database) -> None:
    user_id = await db.write(insert_user)

    def fails(tx: WriteTx) -> None:
        notifications.record(tx, new_notifications(user_id, 1))
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        await db.write(fails)
    assert await db.read(lambda tx: store.unread_count(tx, user_id)) == 0


async def test_all_are_marked_in_bounded_steps_and_none_of_another_user(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        user_id, other_id = insert_user(tx), insert_user(tx)
        for _ in range(5):
            notifications.record(tx, [*new_notifications(user_id, 1), *new_notifications(other_id, 1)])
        newest = store.page(tx, user_id=user_id, before_id=None, limit=1)[0]
        assert store.mark_some(tx, user_id=user_id, ids=[newest.id], at_ms=7) == 1
        assert mark_all(tx, user_id, limit=2) == [2, 2, 0]
        assert mark_all(tx, user_id, limit=2) == [0]
        assert store.unread_count(tx, user_id) == 0
        assert store.unread_count(tx, other_id) == 5
        # Notifications read before keep their time.
        assert [row.read_at_ms for row in store.page(tx, user_id=user_id, before_id=None, limit=9)] == [7, 9, 9, 9, 9]

    await db.write(story)


async def test_only_ones_own_unread_ids_are_marked_and_counted_once(db: Database) -> None:
    def story(tx: WriteTx) -> None:
        user_id, other_id = insert_user(tx), insert_user(tx)
        notifications.record(tx, [*new_notifications(user_id, 3), *new_notifications(other_id, 1)])
        first, second, _ = (row.id for row in store.page(tx, user_id=user_id, before_id=None, limit=9))
        (others,) = (row.id for row in store.page(tx, user_id=other_id, before_id=None, limit=9))
        many = [first, first, second, others, 0, -1, 2**63 - 1, *range(10**6, 10**6 + 20_000)]
        assert store.mark_some(tx, user_id=user_id, ids=many, at_ms=1) == 2
        assert store.mark_some(tx, user_id=user_id, ids=many, at_ms=1) == 0
        assert store.mark_some(tx, user_id=user_id, ids=[], at_ms=1) == 0
        assert store.unread_count(tx, user_id) == 1
        assert store.unread_count(tx, other_id) == 1

    await db.write(story)


async def test_the_count_and_the_list_follow_their_indexes(new_db: Database) -> None:
    """Old read notifications are not in the index of the unread, and no page needs a sort."""

    def story(tx: WriteTx) -> tuple[str, str]:
        user_id, other_id = insert_user(tx), insert_user(tx)
        notifications.record(tx, [*new_notifications(user_id, 100), *new_notifications(other_id, 5_000)])
        mark_all(tx, user_id, limit=1_000)
        # Without statistics PostgreSQL finds all indexes equally good.
        tx.exec_driver_sql("ANALYZE notifications")
        return (
            plan(tx, lambda: store.unread_count(tx, user_id)),
            plan(tx, lambda: store.page(tx, user_id=user_id, before_id=10**6, limit=20)),
        )

    count, page = await new_db.write(story)
    assert "ix_notifications_unread" in count, count
    assert "ix_notifications_user_id_id" in page, page
    assert "SORT" not in page.upper(), page
    assert "TEMP B-TREE" not in page, page
