"""Lines of partners' statements."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from foreknow.money.statements import StatementLine, StatementType


class StatementOwner(Protocol):
    """Whose line it is: a row of a user, or of what is a user's; a user of a partner where it goes into a statement."""

    @property
    def user_id(self) -> int: ...  # noqa: D102 - a field of the row
    @property
    def partner_id(self) -> int | None: ...  # noqa: D102
    @property
    def external_user_id(self) -> str | None: ...  # noqa: D102


class PartnersUser(NamedTuple):
    """A user of a partner's."""

    partner_id: int | None
    user_id: int
    external_user_id: str | None


def line_of(
    trader: StatementOwner,
    kind: StatementType,
    *,
    at_ms: int,
    market_id: int | None = None,
    order_id: int | None = None,
    float_change_kopecks: int = 0,
    balance_change_kopecks: int = 0,
) -> StatementLine:
    """Return the line of a partner's user. A trade's and a basket's gets its id once that is known."""
    assert trader.partner_id is not None
    return StatementLine(
        partner_id=trader.partner_id,
        type=kind,
        user_id=trader.user_id,
        external_user_id=trader.external_user_id,
        market_id=market_id,
        order_id=order_id,
        float_change_kopecks=float_change_kopecks,
        balance_change_kopecks=balance_change_kopecks,
        created_at_ms=at_ms,
    )
