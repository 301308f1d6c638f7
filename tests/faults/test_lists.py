"""A list is traded by bots and grows while its server is killed; in the end a late outcome wins, and all is paid."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Queue
from random import Random
from typing import Any

import pytest

from faults.kills import Killed
from tests.faults.list_bots import Bot, Caller, NamedBot, OtherBot, Runner
from tests.support.books import audit_database
from tests.support.lengths import LONG, length
from tests.support.lists import list_pool
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Person, Service, Shot, expect
from tests.support.waiting import wait_until

TAKEN_OUT = (("Dana", 0.25), ("Eve", 0.5), ("Finn", 0.1), *length(short=(), long=(("Gil", 0.4), ("Hal", 0.3))))
#: The third of them.
WINNER = 5
#: Sub-accounts that hold Other from the start: a split turns them in several pieces on SQLite.
CROWD = 80
B, RICH_KOPECKS, HELD_KOPECKS, LAST_KOPECKS = 50_000, 10**8, 4_000, 10**6
#: Orders that each bot has answered before another outcome is taken out.
BETWEEN = 4
#: Longest time from a request to the kill.
KILL_WITHIN_S = 0.15


@dataclass(frozen=True, slots=True)
class Cast:
    """A list, and who is about to trade it."""

    event_id: int
    pool_id: int
    #: Holds Other from the start, as the partner's users do; shares.
    holder: Person
    held: int
    partner: PartnerAccount
    held_by_users: int
    ann: Person
    otto: Person
    insider: Person
    creator: Person


def cast(service: Service) -> Cast:
    """Open a list, and let a person and a partner's users buy Other."""
    event = service.event(pools=[list_pool(b=B)])
    (pool,) = event["pools"]
    other = pool["markets"][pool["other"]]["id"]
    holder, ann, otto, insider = (service.user(balance_kopecks=RICH_KOPECKS) for _ in range(4))
    partner = service.partner(float_kopecks=10**6)
    return Cast(
        event_id=event["id"],
        pool_id=pool["id"],
        holder=holder,
        held=expect(bet(holder, other, "YES", HELD_KOPECKS, outcomes=3), 201)["shares"],
        partner=partner,
        held_by_users=hold_other(service, partner, other),
        ann=ann,
        otto=otto,
        insider=insider,
        creator=service.creator,
    )


def hold_other(service: Service, partner: PartnerAccount, market_id: int) -> int:
    """Let many sub-accounts buy Other; return the shares of all."""
    shots: list[Shot] = [
        (
            "POST",
            "/partner/bets",
            {
                "json": {"external_user_id": f"u{number}", "market_id": market_id, "side": "yes", "stake_kopecks": 100},
                "headers": {"X-Partner-Key": partner.key},
            },
        )
        for number in range(CROWD)
    ]
    return sum(expect(answer, 201)["shares"] for answer in service.together(shots))


def split_rows(service: Service, partner: PartnerAccount) -> Counter[tuple[int, str]]:
    """Count the lines of a partner's statement that splits wrote, by market and user."""
    client = service.client(partner_key=partner.key)
    query: dict[str, Any] = {"type": "split", "limit": 100}
    found: Counter[tuple[int, str]] = Counter()
    while True:
        page = expect(client.get("/partner/transactions", params=query), 200)
        found.update((row["market_id"], row["external_user_id"]) for row in page["transactions"])
        if not page["has_more"]:
            return found
        query["cursor"] = page["next_cursor"]


@proves(
    "lists: Out of it new outcomes are taken while people trade.",
    "lists: From that moment YES of Other is YES of both, as many each;",
    "lists: Who trades Other sends it: `min_shares` is no guard where it is cheaper by meaning less.",
    "lists: It never loses more than it paid.",
)
@LONG
@pytest.mark.slow
def test_who_held_other_is_paid_for_a_late_outcome_whatever_is_killed(database_url: str, tmp_path: Path) -> None:
    service = Service(database_url)
    people = cast(service)
    service.stop()
    server = Killed(database_url, tmp_path)
    #: The moments of which the runner speaks; False: its work has ended.
    about_to: Queue[bool] = Queue()
    runner = Runner(server.url, people.creator, people.pool_id, about_to=lambda: about_to.put(True))
    named = NamedBot(server.url, people.ann, people.pool_id, seed=3)
    of_other = OtherBot(server.url, people.otto, people.pool_id, seed=4)

    with ExitStack() as stack:
        stack.callback(server.kill)
        stack.callback(runner.call.close)
        chance = Random(9)

        def kill_at(moments: set[int], work: Future[None]) -> int:
            """Kill the server soon after some moments of a work, and start it again; return how often, at its end."""
            work.add_done_callback(lambda _: about_to.put(False))
            for number in itertools.count():
                if not about_to.get():
                    break
                if number in moments:
                    time.sleep(chance.random() * KILL_WITHIN_S)
                    server.kill()
                    audit_database(database_url)
                    server.start()
            work.result()
            return len(moments)

        with ThreadPoolExecutor(1) as thread:
            with named.trading(), of_other.trading():
                growing = thread.submit(take_all_out, runner, (named, of_other))
                kills = kill_at(length(short={1}, long=set(range(5))), growing)
            grown = runner.pool()
            winner = grown["markets"][WINNER]["id"]
            # Someone knows, and takes from the house nearly all that it may lose.
            body = {"market_id": winner, "token_type": "YES", "amount_kopecks": LAST_KOPECKS}
            body["outcomes"] = len(grown["markets"])
            with closing(Caller(server.url, people.insider)) as ask:
                known = expect(ask("POST", "/market/bets", body, **{"Idempotency-Key": "late"}), 201)
            paying = thread.submit(runner.resolve, WINNER)
            kills += kill_at({0}, paying)
    audit_database(database_url)

    assert kills == length(short=2, long=6)
    assert of_other.refused
    assert of_other.call.unanswered
    service.start_again()
    try:
        check_list(service, people, grown)
        assert balance_of(service, people.holder) == RICH_KOPECKS - HELD_KOPECKS + people.held
        assert balance_of(service, people.otto) == of_other.balance(RICH_KOPECKS) + of_other.held_before(WINNER)
        assert balance_of(service, people.ann) == named.balance(RICH_KOPECKS) + named.paid_if(winner)
        assert balance_of(service, people.insider) == RICH_KOPECKS - LAST_KOPECKS + known["shares"]
    finally:
        service.stop()
    audit_database(database_url)


def take_all_out(runner: Runner, bots: Sequence[Bot]) -> None:
    """Take one outcome out after the other, each once all bots have traded since."""
    for name, share in TAKEN_OUT:
        answered = [len(bot.traded) for bot in bots]
        wait_until(partial(_have_traded, bots, answered))
        runner.take_out(name, share)


def _have_traded(bots: Sequence[Bot], answered: Sequence[int]) -> bool:
    for bot in bots:
        bot.raise_failure()
    return all(len(bot.traded) >= before + BETWEEN for bot, before in zip(bots, answered, strict=True))


def balance_of(service: Service, person: Person) -> int:
    """Return a person's balance in kopecks."""
    client = service.client(token=service.sign_in(person.email, person.password))
    return int(expect(client.get("/users/me"), 200)["balance_kopecks"])


def check_list(service: Service, people: Cast, grown: dict[str, Any]) -> None:
    """Each position was turned once, the crowd is paid, and the house lost no more than it paid."""
    assert [market["name"] for market in grown["markets"]][3:] == [name for name, _ in TAKEN_OUT]
    rows = split_rows(service, people.partner)
    new = [market["id"] for market in grown["markets"][3:]]
    assert rows == Counter((market, f"u{number}") for market in new for number in range(CROWD))
    client = service.client(partner_key=people.partner.key)
    assert expect(client.get("/partner/balance"), 200)["users_balance_kopecks"] == people.held_by_users
    page = expect(service.admin.get(f"/events/{people.event_id}/page"), 200)
    (shown,) = page["pools"]
    paid = shown["loss_bound_kopecks"]
    assert paid == 80_472 + sum(one["subsidy_kopecks"] for one in grown["splits"])
    assert -paid <= shown["house"]["result_kopecks"] < 0
