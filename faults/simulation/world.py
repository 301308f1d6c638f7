"""What a simulated database holds at first, and the parts of the service that run on it."""

from __future__ import annotations

import asyncio
import functools
import shutil
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from pydantic import SecretStr

from faults.simulation.loop import virtual_time
from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.clock import Clock, system_clock
from foreknow.kernel.settings import Settings
from foreknow.money import statements
from foreknow.money.pricing import Side
from foreknow.people.mail.opening import open_mail_sender
from foreknow.people.mail.unsubscribing import UnsubscribeLinks
from foreknow.people.users.mailed_links import MailedLinks
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.sqlite.database import SqliteDatabase
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.site.activity import ActivityFollower
from foreknow.site.comments import store as comments
from foreknow.site.following import FollowingService
from foreknow.site.record import RecordFollower
from foreknow.site.webhooks import WebhookSender, store
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.effects.order_worker import OrderWorker
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.settlement.notifying import HolderNotifier
from foreknow.trading.settlement.payments import PaymentService
from tests.trading.settlement import world

NAME = "foreknow.sqlite3"
PEOPLE = 4
#: Positions of a piece of a payment or a split: few, so that there are several.
PIECE = 2
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RECEIVER = "http://127.0.0.1:8080/hook"
_KEY = bytes(32)


@dataclass(frozen=True, slots=True)
class Market:
    """A market that is traded."""

    id: int
    pool_id: int
    #: YES alone may be traded of Other.
    is_other: bool


@dataclass(frozen=True, slots=True)
class Cast:
    """Who trades what."""

    people: list[UserCaller]
    creator: UserCaller
    partner: PartnerCaller
    #: The last line of its statement before its receiver was known.
    line_id: int
    #: Accounts of the people, by their ids.
    owners: dict[int, SubAccount]
    #: By pool: three outcomes with a margin, one question, a list.
    markets: list[list[Market]]


class Template:
    """A database as all simulations of this process begin with it."""

    def __init__(self, folder: Path) -> None:
        """Make it in `folder`."""
        self.path = folder / NAME
        with virtual_time(0, lambda: 0.0):
            url = f"sqlite:///{self.path}"
            migrate(url)
            self.cast = asyncio.run(_make(url))

    def copy(self, folder: Path) -> None:
        """Put a copy into a folder."""
        shutil.copyfile(self.path, folder / NAME)


async def _make(url: str) -> Cast:
    db = open_database(url, clock=system_clock)
    try:
        return await db.write(_people_and_pools)
    finally:
        await db.close()


def _people_and_pools(tx: WriteTx) -> Cast:
    people = [world.person(tx) for _ in range(PEOPLE)]
    ids = [one.user_id for one in people]
    rows = tx.execute(sa.select(users.c.id, users.c.account_id).where(users.c.id.in_(ids)))
    owners = {user_id: SubAccount(user_id, account_id) for user_id, account_id in rows}
    for owner in owners.values():
        world.credit(tx, owner.account_id, 50_000, at_ms=system_clock())
    for number, one in enumerate(people):
        address = f"p{number}@example.org"
        mailed = {"email": address, "email_key": address, "email_verified": True}
        tx.execute(users.update().where(users.c.id == one.user_id).values(mailed))
    creator = world.person(tx, creator=True)
    partner = world.partner(tx, float_kopecks=10**6)
    store.put(tx, partner.partner_id, RECEIVER, at_ms=system_clock())
    store.add_secret(tx, partner.partner_id, SECRET, at_ms=system_clock())
    names = ["Ann", "Bob", "Other"]
    three = {"market_names": ["a", "b", "c"], "lmsr_b_kopecks": 3_000}
    described = (
        {"name": "Which?", "margin": 0.03, "metadata": three},
        {"name": "Will it?", "metadata": {"lmsr_b_kopecks": 3_000}},
        {"name": "Who?", "metadata": {"market_names": names, "lmsr_b_kopecks": 3_000, "shape": {"kind": "list"}}},
    )
    pools = [world.event(tx, creator, pool).pools[0] for pool in described]
    markets = [
        [Market(market.id, pool.id, market.outcome_index == pool.other) for market in pool.markets] for pool in pools
    ]
    for number, one in enumerate(people):
        for place, pool in enumerate(pools):
            market = pool.markets[(number + place) % len(pool.markets)]
            side = Side.NO if number % 2 and market.outcome_index != pool.other else Side.YES
            world.bet(tx, one, market.id, side, stake_kopecks=1_500)
    (line,) = statements.after(tx, partner.partner_id, after_id=0, limit=2)
    return Cast(people, creator, partner, line.id, owners, markets)


@functools.cache
def _settings() -> Settings:
    return Settings(
        smtp_url=SecretStr("smtp://127.0.0.1:25"), email_from="site@foreknow.test", public_url="https://foreknow.test"
    )


class Parts:
    """What runs of the service in one process, made as `service/services.py` makes it.

    The follower that keeps what people are worth each day is left out: no day ends.
    """

    def __init__(self, db: SqliteDatabase, clock: Clock) -> None:
        """Make all; nothing runs yet."""
        live = LiveSettings(_settings())
        links, unsubscribe = MailedLinks(_KEY), UnsubscribeLinks(_KEY)
        self.mails = open_mail_sender(db, live, links, unsubscribe, comments.unread_among, theme=lambda: None)
        self.webhooks = WebhookSender(db, clock, internal_hosts={"127.0.0.1"})
        self.activity, self.following = ActivityFollower(db), FollowingService(db)
        record = RecordFollower(db)

        def wake(_pool_ids: object = None) -> None:
            for one in (self.webhooks, self.activity, self.following):
                one.wake()

        self.payments = PaymentService(db, on_commit=[wake], piece_positions=PIECE)
        self.notices = HolderNotifier(db, piece_people=PIECE)
        self.splits = SplitTurner(db, on_piece=[wake], piece_positions=PIECE)
        self.orders = OrderWorker(db, on_piece=[wake], piece=PIECE)
        self.desk = TradeDesk(db, live, on_commit=[wake], on_fill=self.orders.wake)
        self._all = (
            *(self.mails, self.webhooks, self.activity, self.following, record),
            *(self.payments, self.notices, self.splits, self.orders, self.desk),
        )
        self._prepare = (self.mails.note_settings, self.following.prepare)

    async def start(self) -> None:
        """Start all."""
        for prepare in self._prepare:
            await prepare()
        for one in self._all:
            one.start()
