"""Lists of comments follow their indexes, at any length and offset."""

from __future__ import annotations

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.comments import store
from tests.support.plans import plan
from tests.support.rows import insert_pool, insert_user


async def test_lists_follow_their_indexes(new_db: Database) -> None:
    def story(tx: WriteTx) -> tuple[str, str]:
        event_id, user_id = insert_pool(tx).event_id, insert_user(tx)
        made = [
            store.insert_comment(tx, event_id=event_id, user_id=user_id, parent=None, content="First.", at_ms=0)
            for _ in range(20)
        ]
        first = made[0]
        for _ in range(20):
            parent = store.lock_comment(tx, first)
            store.insert_comment(tx, event_id=event_id, user_id=user_id, parent=parent, content="Reply.", at_ms=0)
        newest = plan(
            tx,
            lambda: store.newest_top_level(tx, event_id=event_id, reader_id=user_id, before_id=15, limit=5),
        )
        later = plan(tx, lambda: store.oldest_replies(tx, parent_id=first, reader_id=user_id, offset=10, limit=5))
        return newest, later

    newest, later = await new_db.write(story)
    assert "ix_comments_top_level" in newest, newest
    assert "uq_comments_parent_id_place" in later, later
    for each in (newest, later):
        assert "SORT" not in each.upper(), each
        assert "TEMP B-TREE" not in each, each
