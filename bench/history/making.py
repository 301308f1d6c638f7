"""Making a whole history."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable

from bench.history.books import Books
from bench.history.cohorts import Cohort
from bench.history.counted import count_trades
from bench.history.names import EventNames
from bench.history.people import People
from bench.history.plan import COHORT_MS, Plan
from bench.history.sinks import sink
from bench.history.talk import chat_with_support, talk_about
from bench.history.templates import make_templates
from foreknow.platform.db.migrate import migrate

COMMENTS_A_TRADE = 0.05
CHATS_A_USER = 0.1
WAITING_CHATS = 20


def make_history(url: str, plan: Plan, *, after_each: Callable[[int], None] = lambda _cohort: None) -> None:
    """Fill an empty database; `after_each` is called for every cohort that is written."""
    migrate(url)
    rng = random.Random(plan.seed)
    templates = make_templates(plan)
    # Every template as often as any other, in an order of their own.
    order = [number % len(templates) for number in range(plan.pools)]
    rng.shuffle(order)
    # Millions of tuples come and go; none of them is part of a cycle.
    gc.disable()
    with sink(url) as opened:
        books = Books(opened)
        people = People(plan, books, rng)
        people.begin()
        cohort = Cohort(plan, books, people, rng, templates, EventNames())
        for number in range(plan.cohorts):
            people.grow(number)
            first, last = (plan.pools * place // plan.cohorts for place in (number, number + 1))
            cohort.run(number, order[first:last])
            comments = round(plan.trades * COMMENTS_A_TRADE / plan.cohorts)
            talk_about(books, rng, events=cohort.published, people=people.people, count=comments)
            cohort.published.clear()
            chat_with_support(
                books,
                rng,
                people=people.people,
                count=round(plan.users * CHATS_A_USER / plan.cohorts),
                waiting=WAITING_CHATS if number == plan.cohorts - 1 else 0,
                since_ms=plan.begin_ms + number * COHORT_MS,
                operator=people.creators[0],
            )
            books.flush()
            after_each(number)
        books.close()
        count_trades(opened, end_ms=plan.end_ms)
    gc.enable()
