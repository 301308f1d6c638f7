"""An order of any kind: what the desk knows of it. Each kind is a class of its own (`kinds`)."""

from __future__ import annotations

from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.desk.floor import Floor
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.needs import Needs
from foreknow.trading.desk.orders import Executed, Order, OrderCancellation


class OrderKind(Order, frozen=True, kw_only=True, gc=False):
    """An order, and what its kind makes of it."""

    def name_markets(self, into: set[int]) -> None:
        """Add all markets that it names."""
        into.add(self.market_id)

    @property
    def weight(self) -> int:
        """How much of a batch it takes, in bets, beside what it fills of resting orders."""
        return 1

    @property
    def trades(self) -> bool:
        """Whether it trades; what only cancels is kept under no key, and waits for nothing of its trader's."""
        return True

    def need(self, needs: Needs, place: MarketPlace, trader: SubAccount | None) -> None:
        """Say what is to be locked and read for it, beside what is for every order: it trades at `place`."""
        needs.trade(self, place, trader)

    def execute(self, floor: Floor) -> Executed | OrderCancellation:
        """Execute it on the locked rows of its batch, or raise the error that refuses it; then nothing has changed."""
        raise NotImplementedError
