"""The endpoint of one's own allowance."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.grant_settings import AllowancePeriod, AllowanceTerms
from foreknow.kernel.schema_types import TIME_EXAMPLE, Time
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.allowance import state as states
from foreknow.site.allowance.granting import grant_kopecks
from foreknow.site.portfolio.valued_reads import valued
from foreknow.trading.positions.valuation import valued_positions
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PlainRequest, get


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What who was active in a period is granted when the next one begins."""

    kopecks: Annotated[int, Meta(description="The most that is granted, kopecks.", examples=[10_000])]
    every: Annotated[AllowancePeriod, Meta(description="How often, in UTC; weeks begin on Monday.", examples=["week"])]
    up_to: Annotated[
        int, Meta(description="Balance and positions are filled up to this worth, kopecks.", examples=[50_000])
    ]
    next_at: Annotated[Time, Meta(description="When the next one is due, UTC.", examples=[TIME_EXAMPLE])]
    expected_kopecks: Annotated[
        int,
        Meta(
            description="What you would get by what you are worth now, kopecks; 0 until your e-mail address is "
            "verified, where the site asks for that.",
            examples=[7_500],
        ),
    ]


class OwnAllowance(msgspec.Struct, frozen=True):
    """The caller's allowance."""

    allowance: Annotated[Allowance | None, Meta(description="Your allowance; null where none is set.")]


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
