"""One batch of orders in one transaction: lock, judge each in arrival order, write all of it in bulk.

Locks are taken in the order of the house (see `foreknow.ledger.book.Sheet`): pools, partners' floats, other accounts.
What an order needs is read only after its locks are held, so that a transaction that waited for another process sees
what that one wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
import sqlalchemy as sa

from foreknow import stats
from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import InsufficientFunds, Refusal, Unauthorized
from foreknow.ledger import ScopedKey, Sheet, SpentKey, Transfer, TransferKind, spend_keys, spent_keys
from foreknow.partner.keys import live_key_ids
from foreknow.pools.refusals import MarketNotFound
from foreknow.pools.store import PoolRow, lock_pools
from foreknow.positions.store import OpenPosition, PositionKey, load_open
from foreknow.trading import store
from foreknow.trading.addresses import (
    Addresses,
    PartnerFloat,
    find_accounts,
    find_markets,
    find_partners,
    known_sub_accounts,
)
from foreknow.trading.orders import Buy, Order
from foreknow.trading.refusals import InsufficientFloat, InsufficientShares
from foreknow.trading.rules import Priced, price_buy, price_sale
from foreknow.trading.verdicts import CREATED, Accepted, Copy, Outcome, TradedPool, Verdict, outcome_of
from foreknow.users.sessions import live_sessions
from foreknow.users.sub_accounts import SubAccount, SubAccountName, create_sub_account
from foreknow.web.callers import PartnerCaller, UserCaller
from foreknow.web.pipeline import InvalidPartnerKey

_encode = msgspec.json.Encoder().encode


class Batch:
    """Decides orders together. `run` may be run again from the start where its transaction lost a race."""

    def __init__(self, orders: Sequence[Order], addresses: Addresses, clock: Clock) -> None:
        """Take `orders` in arrival order; `addresses` are only read."""
        self._orders = orders
        self._known = addresses
        self._clock = clock
        self.learned = Addresses()
        #: Whether it came to hold the locks of its pools the last time it ran.
        self.has_pools = False

    def run(self, tx: sa.Connection) -> list[Outcome]:
        """Decide every order in `tx`, write what was accepted, return each one's outcome."""
        self._load(tx)
        verdicts = [self._judge(tx, order) for order in self._orders]
        accepted = [verdict for verdict in verdicts if isinstance(verdict, Accepted)]
        if accepted:
            self._check_escrows(accepted)
            store.write_batch(tx, accepted, self._sheet, at_ms=self._now_ms)
            for one in accepted:
                one.body = _encode(one.order.receipt(one.fill()))
            spent = {key: SpentKey(_fingerprint(one), CREATED, one.body) for key, one in self._claimed.items()}
            spend_keys(tx, spent, at_ms=self._now_ms)
            # Last, as it asks: what it locks is shared with other pools.
            self.learned.counted = stats.record_trades(tx, store.figures(accepted), counted=self._known.counted)
        return [outcome_of(verdict) for verdict in verdicts]

    @property
    def pool_ids(self) -> Collection[int]:
        """The pools that its orders were about."""
        return self._pools.keys()

    def _load(self, tx: sa.Connection) -> None:
        orders, known = self._orders, self._known
        # By identity, which the gate keeps for a second: to hash a caller is to hash all its fields.
        callers = {id(order.caller): order.caller for order in orders}.values()
        users = [caller for caller in callers if isinstance(caller, UserCaller)]
        partners = [caller for caller in callers if isinstance(caller, PartnerCaller)]
        found = Addresses()
        found.markets = find_markets(tx, known, {order.market_id for order in orders})
        self.has_pools = False
        rows = lock_pools(tx, {pool_id for pool_id, _ in found.markets.values()})
        self.has_pools = True

        found.partners = find_partners(tx, known, {caller.partner_id for caller in partners})
        self._sheet = Sheet()
        self._sheet.lock(tx, [partner.account_id for partner in found.partners.values()])
        names = {name for order in orders if (name := _sub_account_name(order)) is not None} if partners else set()
        found.sub_accounts = known_sub_accounts(tx, known, names)
        found.accounts = find_accounts(tx, known, {caller.user_id for caller in users})
        self._sheet.lock(
            tx,
            [
                *found.accounts.values(),
                *(sub_account.account_id for sub_account in found.sub_accounts.values()),
                *(account_id for row in rows.values() for account_id in (row.escrow_account_id, row.fees_account_id)),
            ],
        )
        self.learned = found
        claims = {order.claim.scoped for order in orders if order.claim is not None}
        self._spent = spent_keys(tx, claims) if claims else {}
        # Nothing moves for a session or key just revoked.
        self._live_sessions = live_sessions(tx, {caller.session_id for caller in users}, now_ms=self._clock())
        self._live_keys = live_key_ids(tx, {caller.key_id for caller in partners})
        self._now_ms = self._clock()
        self._pools = {pool_id: self._open(row) for pool_id, row in rows.items()}
        self._positions = load_open(tx, {key for order in orders if (key := self._position_key(order)) is not None})
        self._claimed: dict[ScopedKey, Accepted] = {}

    def _open(self, row: PoolRow) -> TradedPool:
        book = row.lmsr()
        return TradedPool(row, book, max(self._now_ms, row.last_trade_at_ms or 0), book.probabilities())

    def _judge(self, tx: sa.Connection, order: Order) -> Verdict:
        try:
            self._check_credentials(order.caller)
            claim = order.claim
            if claim is not None and claim.scoped in self._spent:
                return self._spent[claim.scoped].replay_for(claim.fingerprint)
            if claim is not None and claim.scoped in self._claimed:
                return Copy(self._claimed[claim.scoped].for_request(claim.fingerprint))
            accepted = self._decide(tx, order)
        except Refusal as refusal:
            return refusal
        if claim is not None:
            self._claimed[claim.scoped] = accepted
        return accepted

    def _check_credentials(self, caller: UserCaller | PartnerCaller) -> None:
        if isinstance(caller, UserCaller):
            if caller.session_id not in self._live_sessions:
                raise Unauthorized
        elif caller.key_id not in self._live_keys:
            raise InvalidPartnerKey

    def _decide(self, tx: sa.Connection, order: Order) -> Accepted:
        if order.market_id not in self.learned.markets:
            raise MarketNotFound
        pool_id, outcome = self.learned.markets[order.market_id]
        pool = self._pools[pool_id]
        visitor = order.caller if isinstance(order.caller, UserCaller) else None
        if not pool.row.is_visible_to(visitor):
            raise MarketNotFound
        refusal = pool.row.trading_refusal(self._now_ms)
        if refusal is not None:
            raise refusal
        is_buy = isinstance(order.terms, Buy)
        accepted = self._buy(tx, order, pool, outcome) if is_buy else self._sell(order, pool, outcome)
        accepted.probability_before = pool.probabilities[outcome]
        pool.book = accepted.priced.after
        pool.probabilities = pool.book.probabilities()
        accepted.probability_after = pool.probabilities[outcome]
        pool.points.append((pool.at_ms, pool.probabilities))
        volume = pool.volume_kopecks
        volume[order.market_id] = volume.get(order.market_id, 0) + accepted.priced.money_kopecks
        return accepted

    def _buy(self, tx: sa.Connection, order: Order, pool: TradedPool, outcome: int) -> Accepted:
        terms = order.terms
        assert isinstance(terms, Buy)
        priced = price_buy(pool.book, outcome=outcome, side=order.side, margin=pool.row.margin, terms=terms)
        stake, fee = priced.money_kopecks, priced.fee_kopecks
        trader = self._trader(order.caller, order.external_user_id)
        balance = self._sheet.balance_kopecks(trader.account_id) if trader else 0
        partner = self._partner(order)
        from_float = max(0, stake - balance) if partner else 0
        if partner is None and stake > balance:
            raise InsufficientFunds(required=stake, available=balance)
        if partner and from_float > (in_float := self._sheet.balance_kopecks(partner.account_id)):
            raise InsufficientFloat(required=from_float, available=in_float)
        self._sheet.check_room(pool.row.escrow_account_id, stake - fee)
        self._sheet.check_room(pool.row.fees_account_id, fee)
        if trader is None:
            trader = self._first_bet(tx, order)
        start = self._sheet.mark()
        if partner and from_float:
            self._move(TransferKind.FUNDING, partner.account_id, trader.account_id, from_float)
        self._move(TransferKind.BET, trader.account_id, pool.row.escrow_account_id, stake - fee)
        if fee:
            self._move(TransferKind.FEE, trader.account_id, pool.row.fees_account_id, fee)
        position = self._position(order, trader, pool)
        position.buy(shares=priced.shares, stake_kopecks=stake)
        change = (-from_float, from_float - stake) if partner else (0, 0)
        return self._accepted(
            order, pool, position=position, trader=trader, priced=priced, start=start, statement=change
        )

    def _sell(self, order: Order, pool: TradedPool, outcome: int) -> Accepted:
        terms = order.terms
        assert not isinstance(terms, Buy)
        trader = self._trader(order.caller, order.external_user_id)
        position = self._positions.get((trader.user_id, order.market_id, order.side.value)) if trader else None
        held = position.shares if position else 0
        shares = held if terms.shares is None else terms.shares
        if trader is None or position is None or not 1 <= shares <= held:
            raise InsufficientShares(required=max(shares, 1), available=held)
        priced = price_sale(
            pool.book, outcome=outcome, side=order.side, shares=shares, min_payout_kopecks=terms.min_payout_kopecks
        )
        start = self._sheet.mark()
        self._move(TransferKind.SALE, pool.row.escrow_account_id, trader.account_id, priced.money_kopecks)
        pnl = position.sell(shares=shares, payout_kopecks=priced.money_kopecks, at_ms=pool.at_ms)
        if position.closed_at_ms is not None:
            del self._positions[trader.user_id, order.market_id, order.side.value]
        change = (0, priced.money_kopecks) if isinstance(order.caller, PartnerCaller) else (0, 0)
        return self._accepted(
            order,
            pool,
            position=position,
            trader=trader,
            priced=priced,
            start=start,
            statement=change,
            pnl_kopecks=pnl,
        )

    def _accepted(
        self,
        order: Order,
        pool: TradedPool,
        *,
        position: OpenPosition,
        trader: SubAccount,
        priced: Priced,
        start: int,
        statement: tuple[int, int],
        pnl_kopecks: int = 0,
    ) -> Accepted:
        partner = self._partner(order)
        return Accepted(
            order=order,
            pool=pool,
            position=position,
            user_id=trader.user_id,
            priced=priced,
            probability_before=0.0,
            probability_after=0.0,
            balance_kopecks=self._sheet.balance_kopecks(trader.account_id),
            float_balance_kopecks=self._sheet.balance_kopecks(partner.account_id) if partner else 0,
            pnl_kopecks=pnl_kopecks,
            statement_kopecks=statement,
            moves=range(start, self._sheet.mark()),
        )

    def _trader(self, caller: UserCaller | PartnerCaller, external_user_id: str | None) -> SubAccount | None:
        """Return who pays and holds: the user, or the partner's sub-account if it exists."""
        if isinstance(caller, UserCaller):
            return SubAccount(caller.user_id, self.learned.accounts[caller.user_id])
        return self.learned.sub_accounts.get((caller.partner_id, external_user_id or ""))

    def _partner(self, order: Order) -> PartnerFloat | None:
        return self.learned.partners[order.caller.partner_id] if isinstance(order.caller, PartnerCaller) else None

    def _first_bet(self, tx: sa.Connection, order: Order) -> SubAccount:
        """Make the sub-account of an order that is about to be accepted."""
        name = _sub_account_name(order)
        assert name is not None
        partner = self.learned.partners[name[0]]
        made = create_sub_account(
            tx, partner_id=name[0], partner_name=partner.name, external_user_id=name[1], at_ms=self._now_ms
        )
        self._sheet.lock(tx, [made.account_id])
        self.learned.sub_accounts[name] = made
        return made

    def _position_key(self, order: Order) -> PositionKey | None:
        trader = self._trader(order.caller, order.external_user_id)
        return (trader.user_id, order.market_id, order.side.value) if trader else None

    def _position(self, order: Order, trader: SubAccount, pool: TradedPool) -> OpenPosition:
        """Return the open position that a buy adds to, a new one where there is none."""
        key = (trader.user_id, order.market_id, order.side.value)
        position = self._positions.get(key)
        if position is None:
            position = self._positions[key] = OpenPosition(
                user_id=trader.user_id,
                market_id=order.market_id,
                pool_id=pool.row.id,
                event_id=pool.row.event_id,
                side=order.side.value,
                opened_at_ms=pool.at_ms,
            )
        return position

    def _move(self, kind: TransferKind, source: int, target: int, amount_kopecks: int) -> None:
        self._sheet.move(Transfer(kind=kind, source=source, target=target, amount_kopecks=amount_kopecks))

    def _check_escrows(self, accepted: Sequence[Accepted]) -> None:
        """Make sure that every pool traded on can still pay whichever outcome wins: a proof, not a rule of trade."""
        for pool in {id(one.pool): one.pool for one in accepted}.values():
            escrow_kopecks = self._sheet.balance_kopecks(pool.row.escrow_account_id)
            if escrow_kopecks < pool.book.liabilities_kopecks():
                raise InsolventPool(pool.row.id)


class InsolventPool(Exception):
    """A pool's escrow would not cover an outcome. Nothing of the batch is written."""


def _sub_account_name(order: Order) -> SubAccountName | None:
    if not isinstance(order.caller, PartnerCaller) or order.external_user_id is None:
        return None
    return order.caller.partner_id, order.external_user_id


def _fingerprint(accepted: Accepted) -> str:
    assert accepted.order.claim is not None
    return accepted.order.claim.fingerprint
