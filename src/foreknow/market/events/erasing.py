"""What is left of an event that was never published once its creator's account is deleted: a row without texts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from foreknow.market.events import odds_events
from foreknow.market.events.search import reindex_event
from foreknow.market.events.store import ERASED_KEY, ERASED_NAME, load_events, replace_tags, update_event
from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import pools
from foreknow.platform.db.transactions import WriteTx


def erase_draft(tx: WriteTx, event_id: int, *, at_ms: int) -> None:
    """Erase the texts and addresses of a cancelled event, whose pools are locked; its stored image is the caller's."""
    row = load_events(tx, [event_id])[event_id]
    old_key = tx.execute(sa.select(events.c.search_key).where(events.c.id == event_id)).scalar_one()
    update_event(
        tx,
        row.id,
        name=ERASED_NAME,
        name_ru="",
        search_key=ERASED_KEY,
        tags=[],
        versus_names=[],
        versus_images=[],
        external_event_url="",
        templates=None,
    )
    replace_tags(tx, event_id, [])
    reindex_event(tx, event_id, old_key=old_key, new_key=ERASED_KEY)
    odds_events.schedule(tx, event_id, "", at_ms=at_ms)
    cleared: dict[str, Any] = {
        "name": "",
        "name_ru": "",
        "rules": "",
        "metadata": {},
        # A shape has texts, and edges of the rule that ends here.
        "shape": None,
        "other_index": None,
        "resolution_kind": "manual",
        "templates": None,
    }
    tx.execute(pools.update().where(pools.c.event_id == event_id).values(cleared))
    tx.execute(markets.update().where(markets.c.event_id == event_id).values(name=""))
