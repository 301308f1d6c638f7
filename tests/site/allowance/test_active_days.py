"""On which days people were active: the row remembers what a set of days would."""

from __future__ import annotations

import random

from foreknow.kernel.clock import DAY_MS
from foreknow.people.users.active_days import REMEMBERED, active_between, note_active
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.rows import insert_user


async def test_a_row_remembers_two_months_of_days(db: Database) -> None:
    seed = random.Random(3)

    def work(tx: WriteTx) -> None:
        for number in range(12):
            user_id, day, days = insert_user(tx, f"Person {number}"), 20_000, set[int]()
            for _ in range(15):
                # Rarely far ahead, and now and then with a clock that was set back.
                day += seed.choice([0, 0, 1, 1, 2, 7, 30, 61, 62, 63, 64, 200])
                days.add(day)
                note_active(tx, user_id, at_ms=day * DAY_MS + seed.randrange(DAY_MS))
                note_active(tx, user_id, at_ms=(day - 1) * DAY_MS)
            for first in range(day - REMEMBERED + 1, day + 2):
                for length in (1, 7, 31):
                    expected = {user_id} if days & set(range(first, first + length)) else set()
                    assert active_between(tx, [user_id], first_day=first, end_day=first + length) == expected

    await db.write(work)
