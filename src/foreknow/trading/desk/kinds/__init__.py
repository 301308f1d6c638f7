"""The kinds of orders, a class each: what it needs, what refuses it, its price, and what it does to the locked rows.

bet             spend a stake on shares
sale            sell shares
limit           buy or sell at a price or better, now or later
cancel          cancel limit orders
basket          trade several markets of a pool at one price
basket_pricing  what a basket asks for, and its price
"""

from foreknow.trading.desk.kinds.basket import TradeBasket
from foreknow.trading.desk.kinds.basket_pricing import BasketChanges, BasketStake
from foreknow.trading.desk.kinds.bet import Buy
from foreknow.trading.desk.kinds.cancel import Cancel
from foreknow.trading.desk.kinds.limit import PlaceLimit
from foreknow.trading.desk.kinds.sale import Sell

__all__ = ["BasketChanges", "BasketStake", "Buy", "Cancel", "PlaceLimit", "Sell", "TradeBasket"]
