"""The demo: weeks of a site's life, lived through once before it is served, and accounts to sign in with."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from foreknow.commands.cli.accounts import credit_user
from foreknow.commands.cli.database import opened, prepare, read_snapshot, write
from foreknow.commands.cli.errors import CommandFailed
from foreknow.commands.cli.progress import ProgressBar
from foreknow.commands.cli.replay import own_service
from foreknow.commands.cli.temporary_admin import temporary_admin
from foreknow.commands.demo import calendar, exchange, loader, people, pictures, shop, welcome
from foreknow.commands.demo.calendar import PAST_MS, Lifetime
from foreknow.commands.demo.past import OwnPast
from foreknow.commands.demo.schedule import Actor, Schedule, TestTime
from foreknow.commands.replay.accounts import SIGN_UPS_MAX, ReplayUser, Run
from foreknow.commands.replay.client import ApiClient
from foreknow.commands.replay.concurrency import all_of, map_concurrently
from foreknow.commands.replay.errors import ReplayFailed
from foreknow.commands.replay.history import History, MarketKey, packaged_trades, read_histories
from foreknow.commands.replay.replayer import is_complete, replay
from foreknow.kernel.clock import FileClock, system_clock
from foreknow.kernel.settings import Settings
from foreknow.market.pools.tables import pools
from foreknow.people import invitations
from foreknow.people.users.accounts import with_balance
from foreknow.people.users.store import find_person_by_email
from foreknow.people.users.tables import users
from foreknow.platform.db.secrets import shared_secret
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.desk.tables import trades

NAME = "demo"
#: Every sixth of the demo's 58 markets is left open.
OPEN_EVERY = 6
#: Lines about what is wrong with its markets that are printed at most.
PROBLEMS_SHOWN = 5
#: The local part of the address of the replayed markets' creator, the first of all accounts.
_CREATOR = "creator"


@dataclass(frozen=True, slots=True)
class _Site:
    """How much of the demo a database holds."""

    #: Whether all of the past is there.
    is_whole: bool
    #: When its past begins, in Unix milliseconds; None where there can be none: other events must not live through it.
    began_ms: int | None
    #: How far it has come.
    reached_ms: int = 0


@dataclass(frozen=True, slots=True)
class _Load:
    """A load of the demo."""

    settings: Settings
    run: Run
    histories: Sequence[History]
    left_open: Collection[MarketKey]


def load_demo(settings: Settings) -> Run:
    """Fill the configured database with the demo, or what an interrupted load has left out.

    Returns the run, whose accounts go on trading.
    """
    prepare(settings)
    # Notifications of the past name amounts as those of the site will.
    settings = welcome.as_served(settings).model_copy(update=welcome.OPEN)
    url = settings.resolved_database_url
    run = asyncio.run(_demo_run(settings))
    site = read_snapshot(url, lambda tx: _site(tx, run))
    if site.is_whole:
        write(settings, lambda tx: _refund(tx, run))
        return run
    histories = read_histories(packaged_trades())
    left_open = {history.key for history in histories[::OPEN_EVERY]}
    load = _Load(settings, run, histories, left_open)
    if site.began_ms is None:
        with own_service(settings) as service:
            asyncio.run(_load_now(load, service))
    else:
        _load_past(load, began_ms=site.began_ms, reached_ms=site.reached_ms)
    print(f"{len(histories)} real markets are here, {len(left_open)} of them open.")
    return run


def open_shop(settings: Settings, run: Run) -> str | None:
    """Return the key of the demo's partner, whose float has money; None if someone revoked it."""
    key = shop.key_of(run.password(shop.NAME))
    return key if write(settings, lambda tx: shop.open_shop(tx, key)) else None


def invite(settings: Settings, run: Run) -> str:
    """Return the path of the demo's invitation, the same after a restart."""
    token = run.password("invitation")
    write(settings, lambda tx: welcome.invite(tx, token))
    return f"{invitations.PATH}{token}"


def show_accounts(run: Run, url: str, partner_key: str | None, invitation: str = "") -> None:
    """Print where the demo is, whom to sign in as, the partner's key, and the path of an invitation."""
    print(f"\nThe demo is at {url} until Ctrl-C. To sign in:")
    for person in people.VISITORS:
        email = run.email(person.local_part)
        print(f"  {person.role.removeprefix('is_') or 'trader':9}  {email:24}  {people.password(run, email)}")
    if invitation:
        print(f"To join as a newcomer:\n  {url}{invitation}")
    if partner_key is not None:
        print(f"To bet as a partner, {shop.NAME} (docs/partners.md):\n  X-Partner-Key: {partner_key}")
    print(flush=True)


def open_browser(url: str) -> None:
    """Open a page in the user's browser, where a terminal and a display are."""
    has_display = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if has_display and sys.stdout.isatty():
        threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()


async def _demo_run(settings: Settings) -> Run:
    async with opened(settings.resolved_database_url) as db:
        secret = await db.write(lambda tx: shared_secret(tx, NAME))

    def password(email: str) -> str:
        return hmac.digest(secret, email.encode(), "sha256").hex()

    return Run(NAME, password, goes_on=True)


def _site(tx: ReadTx, run: Run) -> _Site:
    series_creator = find_person_by_email(tx, run.email(loader.CREATOR))
    # The last step of the past.
    last = sa.and_(pools.c.dispute_minutes > 0, pools.c.decided_at_ms.is_not(None))
    if series_creator is not None and _has(tx, pools.c.creator_id == series_creator.id, last):
        return _Site(is_whole=True, began_ms=None)
    own = sa.select(users.c.id).where(users.c.email.like(f"%@{run.name}.example"))
    if _has(tx, pools.c.creator_id.not_in(own)):
        return _Site(is_whole=False, began_ms=None)
    latest_ms = loader.began_ms(system_clock()) - PAST_MS
    creator = find_person_by_email(tx, run.email(_CREATOR))
    if creator is None:
        return _Site(is_whole=False, began_ms=latest_ms, reached_ms=latest_ms)
    # A demo of an earlier release began without a past.
    if creator.created_at_ms > latest_ms:
        return _Site(is_whole=False, began_ms=None)
    reached = sa.select(sa.func.max(trades.c.created_at_ms)), sa.select(sa.func.max(pools.c.live_at_ms))
    moments = [creator.created_at_ms, *(tx.execute(query).scalar() or 0 for query in reached)]
    return _Site(is_whole=False, began_ms=creator.created_at_ms, reached_ms=max(moments))


def _has(tx: ReadTx, *conditions: sa.ColumnElement[bool]) -> bool:
    return tx.execute(sa.select(pools.c.id).where(*conditions).limit(1)).first() is not None


def _refund(tx: WriteTx, run: Run) -> None:
    """Give traders money who have little left."""
    for person in (*people.TRADERS, *people.MAKERS):
        email = run.email(person.local_part)
        row = find_person_by_email(tx, email)
        if row is not None and with_balance(tx, row).balance_kopecks < people.LEAST_KOPECKS:
            credit_user(tx, email=email, amount_kopecks=people.FUNDS_KOPECKS)


def _load_past(load: _Load, *, began_ms: int, reached_ms: int) -> None:
    """Live through the weeks before now, on a service that reads its time from a file, or go on where that ended."""
    with tempfile.TemporaryDirectory(prefix="foreknow-demo-") as folder:
        time = TestTime(Path(folder) / "clock", reached_ms)
        with exchange.serving(FileClock(time.path)) as provider:
            past = load.settings.model_copy(update={"test_clock": time.path, "asset_providers": [provider]})
            with own_service(past) as url:
                asyncio.run(_live_through(load, url, time, began_ms=began_ms))


async def _live_through(load: _Load, url: str, time: TestTime, *, began_ms: int) -> None:
    lives = calendar.lifetimes(load.histories, load.left_open, began_ms=began_ms)
    async with ApiClient(url) as client, temporary_admin(load.settings) as admin:
        own = OwnPast(client, load.run, load.histories, lives, began_ms=began_ms)
        steps: dict[Actor, Sequence[int]] = {key: life.steps_ms for key, life in lives.items()}
        schedule = Schedule(steps | own.steps(), time)
        accounts = await people.settle_in(client, load.run, admin)
        paced = _Paced(schedule, time, lives, accounts.values(), end_ms=began_ms + PAST_MS)
        await all_of([_replay(load, url, admin, paced), own.play(schedule, accounts)])
        end_ms = began_ms + PAST_MS
        time.set(max(time.now_ms, end_ms))
        await pictures.put_covers(client, load.run, load.histories)
        await own.ask_support()
        try:
            await loader.load(client, load.run, admin, time, began_ms=end_ms)
        except ReplayFailed as failure:
            print(f"The recurring market is not whole: {failure}")


@dataclass(frozen=True, slots=True)
class _Paced:
    """The pace of the recorded markets in the past: a `Pace`."""

    schedule: Schedule
    time: TestTime
    lives: Mapping[MarketKey, Lifetime]
    people: Collection[ReplayUser]
    end_ms: int

    async def begin(self, accounts: Collection[ReplayUser]) -> None:
        """Sign everyone in, and begin.

        A token lives for 20 minutes. Where nothing has happened yet, everyone signs in at the end of the past, and time
        then goes back: thousands of sign-ins less.
        """
        from_ms = self.time.now_ms
        if from_ms < min(life.opens_ms for life in self.lives.values()):
            self.time.set(self.end_ms)
            await asyncio.sleep(2 * FileClock.EVERY_S)
            everyone = [*self.people, *accounts]
            await map_concurrently(ReplayUser.sign_in, everyone, at_once=SIGN_UPS_MAX)
            self.time.set(from_ms)
        self.schedule.begin()

    def step(self, market: MarketKey) -> contextlib.AbstractAsyncContextManager[None]:
        """Wait for the market's next step."""
        return self.schedule.step(market)

    def finish_at_ms(self, market: MarketKey) -> int:
        """Return the end of the market's trading."""
        return self.lives[market].finish_ms


async def _load_now(load: _Load, url: str) -> None:
    """Load the recorded markets beside others' events: without a past."""
    async with ApiClient(url) as client, temporary_admin(load.settings) as admin:
        await people.settle_in(client, load.run, admin)
        if not await is_complete(client, load.run, load.histories, left_open=load.left_open):
            await _replay(load, url, admin, None)
        await pictures.put_covers(client, load.run, load.histories)


async def _replay(load: _Load, url: str, admin: str, pace: _Paced | None) -> None:
    with ProgressBar() as bar:
        outcome = await replay(
            url=url,
            admin=contextlib.nullcontext(admin),
            histories=load.histories,
            run=load.run,
            watcher=bar,
            left_open=load.left_open,
            pace=pace,
        )
    if not outcome.within_bounds:
        outside = [
            f"{market.history.name}: price error {max(market.price_errors):.1e}, house {market.house_kopecks} kopecks"
            for market in outcome.markets
            if not market.within_bounds
        ]
        wrong = [*outcome.problems, *outside]
        said = "the demo's markets did not come out as they should; `foreknow audit` may say why"
        raise CommandFailed("\n".join([said, *wrong[:PROBLEMS_SHOWN]]))
