"""What baskets ask for, and their prices, for orders and quotes: pure. Outcomes are places in the pool, from 0."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import msgspec

from foreknow.kernel.errors import BadRequest
from foreknow.money.pricing import Bundle, Lmsr, average_price_bps, fee_kopecks, fee_on_top_kopecks
from foreknow.money.pricing.bundles import bought, sold, split_kopecks, staked
from foreknow.trading.desk.errors import AmountTooSmall, MarketLimit, Slippage
from foreknow.trading.desk.made import LegKind


class PricedPiece(msgspec.Struct, frozen=True, gc=False):
    """A purchase, or a sale: what each outcome gets of it."""

    bundle: Bundle
    #: What it costs, fee included, or pays.
    kopecks: int
    #: The parts of that, in the order of the bundle's outcomes.
    parts: Sequence[int]

    def main(self, among: Collection[int]) -> tuple[int, int]:
        """Return the place among the parts and the outcome with the most money, of equals the first."""
        found, most = (0, 0), -1
        for place, (outcome, part) in enumerate(zip(self.bundle.shares, self.parts, strict=True)):
            if part > most and outcome in among:
                found, most = (place, outcome), part
        return found


class PricedBasket(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The price of a basket: first its purchase, then its sale, at the prices after that."""

    purchase: PricedPiece | None
    sale: PricedPiece | None
    #: What the purchase costs, fee included, and what the sale pays.
    paid_kopecks: int
    payout_kopecks: int
    fee_kopecks: int
    #: Of a stake: the outcomes bet on, and the shares of each; none, and None, of changes.
    bet_on: Collection[int] = ()
    shares: int | None = None
    probabilities_before: Sequence[float]
    probabilities_after: Sequence[float]

    @property
    def last(self) -> PricedPiece | None:
        """The piece after which the prices are those after the basket."""
        return self.purchase if self.sale is None else self.sale

    @property
    def cost_kopecks(self) -> int:
        """What the purchase costs without the fee."""
        return self.paid_kopecks - self.fee_kopecks

    @property
    def net_kopecks(self) -> int:
        """What comes in; below 0: what is to be paid."""
        return self.payout_kopecks - self.paid_kopecks

    @property
    def avg_price_bps(self) -> int | None:
        """Basis points a share, fee included, halves to even; None of changes."""
        if self.shares is None:
            return None
        return average_price_bps(money_kopecks=self.paid_kopecks, shares=self.shares)

    def legs(self) -> list[tuple[int, int, int]]:
        """Return `(outcome, shares, kopecks)` in the order of outcomes; shares are below 0 where sold."""
        found: list[tuple[int, int, int]] = []
        for piece, sign in ((self.purchase, 1), (self.sale, -1)):
            if piece is not None:
                of_piece = zip(piece.bundle.shares.items(), piece.parts, strict=True)
                found += [(outcome, sign * shares, part) for (outcome, shares), part in of_piece]
        return sorted(found) if self.purchase is not None and self.sale is not None else found

    def kinds(self, piece: PricedPiece) -> list[LegKind]:
        """Return how each leg of a piece came to be."""
        if self.shares is None:
            return ["change"] * len(piece.parts)
        return ["stake" if outcome in self.bet_on else "back" for outcome in piece.bundle.shares]


class BasketStake(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Spend `stake_kopecks`, fee included, on as many shares of each of some markets; back unless `given` holds."""

    market_ids: tuple[int, ...]
    #: A larger set of the pool's markets; None for all.
    given: tuple[int, ...] | None = None
    stake_kopecks: int
    min_shares: int | None = None

    @property
    def named_ids(self) -> tuple[int, ...]:
        """All markets that it names."""
        return self.market_ids if self.given is None else self.given

    @property
    def buys_unnamed(self) -> bool:
        """Whether it buys of markets, too, that it does not name: of those outside of its condition."""
        return self.given is not None

    @property
    def sold(self) -> Mapping[int, int]:
        """Shares that it sells, by market."""
        return {}

    def check_count(self, markets: int) -> None:
        """Raise `BadRequest` for a pool of one market, and for a set or a condition that is all of a pool's."""
        _check_several(markets)
        if len(self.named_ids) >= markets:
            raise BadRequest("The markets named are all of the pool's: leave one out at least.")

    def price(
        self, market_maker: Lmsr, places: Mapping[int, int], *, margin: float, probabilities: Sequence[float]
    ) -> PricedBasket:
        """Price it; raises `AmountTooSmall`, `MarketLimit` or `Slippage`, in this order.

        `places` are the outcomes of its markets, `probabilities` the present ones of all.
        """
        outcomes = {places[market_id] for market_id in self.market_ids}
        given = None if self.given is None else {places[market_id] for market_id in self.given}
        fee = fee_kopecks(stake_kopecks=self.stake_kopecks, margin=margin)
        if self.stake_kopecks - fee < 1:
            raise AmountTooSmall
        bundle = staked(market_maker, self.stake_kopecks - fee, outcomes=outcomes, given=given)
        if not bundle.shares:
            raise AmountTooSmall
        _check_limit(bundle)
        shares = bundle.shares[next(iter(outcomes))]
        if self.min_shares is not None and shares < self.min_shares:
            raise Slippage(shares=shares)
        after = bundle.after.probabilities()
        return PricedBasket(
            purchase=_piece(bundle, self.stake_kopecks, after),
            sale=None,
            paid_kopecks=self.stake_kopecks,
            payout_kopecks=0,
            fee_kopecks=fee,
            bet_on=outcomes,
            shares=shares,
            probabilities_before=probabilities,
            probabilities_after=after,
        )


class BasketChanges(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Buy shares of some markets, then sell shares of others."""

    #: By market: shares, below 0 to sell.
    changes: Mapping[int, int]
    min_net_kopecks: int | None = None

    @property
    def named_ids(self) -> tuple[int, ...]:
        """All markets that it names."""
        return tuple(self.changes)

    @property
    def buys_unnamed(self) -> bool:
        """Whether it buys of markets, too, that it does not name."""
        return False

    @property
    def sold(self) -> Mapping[int, int]:
        """Shares that it sells, by market."""
        return {market_id: -shares for market_id, shares in self.changes.items() if shares < 0}

    def check_count(self, markets: int) -> None:
        """Raise `BadRequest` for a pool of one market."""
        _check_several(markets)

    def price(
        self, market_maker: Lmsr, places: Mapping[int, int], *, margin: float, probabilities: Sequence[float]
    ) -> PricedBasket:
        """Price it as a stake is priced."""
        buys = {places[market_id]: shares for market_id, shares in self.changes.items() if shares > 0}
        sells = {places[market_id]: shares for market_id, shares in self.sold.items()}
        bundle = bought(market_maker, buys) if buys else None
        sale = sold(market_maker if bundle is None else bundle.after, sells) if sells else None
        if sale is not None and sale.kopecks < 1:
            raise AmountTooSmall
        _check_limit(bundle)
        _check_limit(sale)
        last = sale or bundle
        assert last is not None
        after = last.after.probabilities()
        fee = 0 if bundle is None else fee_on_top_kopecks(cost_kopecks=bundle.kopecks, margin=margin)
        paid = 0 if bundle is None else bundle.kopecks + fee
        payout = 0 if sale is None else sale.kopecks
        basket = PricedBasket(
            purchase=None if bundle is None else _piece(bundle, paid, after),
            sale=None if sale is None else _piece(sale, payout, probabilities),
            paid_kopecks=paid,
            payout_kopecks=payout,
            fee_kopecks=fee,
            probabilities_before=probabilities,
            probabilities_after=after,
        )
        if self.min_net_kopecks is not None and basket.net_kopecks < self.min_net_kopecks:
            raise Slippage(net_kopecks=basket.net_kopecks)
        return basket


BasketTerms: TypeAlias = BasketStake | BasketChanges


def _check_several(markets: int) -> None:
    if markets < 2:
        raise BadRequest("A pool of one market takes no baskets: bet on it, or sell, instead.")


def _piece(bundle: Bundle, kopecks: int, probabilities: Sequence[float]) -> PricedPiece:
    shares = list(bundle.shares.values())
    worth = [probabilities[outcome] for outcome in bundle.shares]
    return PricedPiece(bundle, kopecks, split_kopecks(kopecks, shares, worth))


def _check_limit(bundle: Bundle | None) -> None:
    if bundle is not None and not bundle.after.within_limit():
        raise MarketLimit
