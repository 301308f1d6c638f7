"""The endpoint of one's own allowance."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.allowance import state as states
from foreknow.site.allowance.granting import grant_kopecks
from foreknow.site.allowance.schemas import Allowance, OwnAllowance
from foreknow.site.portfolio.valued_reads import valued
from foreknow.trading.positions.valuation import valued_positions
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PlainRequest, get


class AllowanceRoutes:
    """GET /users/me/allowance."""

    def __init__(self, context: RouteContext, terms: AllowanceTerms | None) -> None:
        """`terms`: the allowance that is set."""
        self._context = context
        self._terms = terms

    @get("/users/me/allowance", AuthLevel.REQUIRED)
    async def get_my_allowance(self, request: PlainRequest) -> OwnAllowance:
        """What you are granted from time to time.

        Who trades, comments, or begins or refreshes a session in a period is granted it when the next one begins. Where
        the site asks for verified e-mail addresses, others expect none.
        """
        terms, caller = self._terms, request.user
        if terms is None:
            return OwnAllowance(None)
        at_ms = self._context.clock()
        counts = self._context.terms.counts_as_verified(email_verified=caller.email_verified)

        def read(tx: ReadTx, markets_max: int | None = None) -> OwnAllowance:
            held = valued_positions(tx, caller.user_id, now_ms=at_ms, markets_max=markets_max)
            balance = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[caller.user_id])[caller.user_id]
            held_by_orders = held_kopecks(tx, [caller.user_id])[caller.user_id]
            worth_kopecks = balance + held_by_orders + sum(position.value_kopecks for position in held)
            return OwnAllowance(
                Allowance(
                    kopecks=terms.kopecks,
                    every=terms.every,
                    up_to=terms.up_to,
                    next_at=iso(states.next_of(states.find(tx), terms, at_ms)),
                    expected_kopecks=grant_kopecks(terms, worth_kopecks) if counts else 0,
                )
            )

        return await valued(self._context.db, read)
