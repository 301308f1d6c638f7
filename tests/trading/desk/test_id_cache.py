"""What a process looks up once: it is read from the database where it is not known, and from then on kept."""

from __future__ import annotations

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.id_cache import IdCache, PartnerFloat, Wanted, find_ids
from tests.support.kinds import ONCE
from tests.trading.partner.made import make_partner, make_user


@ONCE
async def test_a_new_process_finds_the_users_of_partners_who_have_bet_before(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = make_partner(tx), make_partner(tx, "Other")
        user = make_user(tx, acme, "ann")
        wanted = Wanted(
            market_ids=[10**9],
            user_ids=[user.user_id, 10**9],
            partner_ids=[acme.row.id, 10**9],
            sub_accounts=[(acme.row.id, "ann"), (acme.row.id, "bob"), (other.row.id, "ann")],
        )
        found = find_ids(tx, IdCache(), wanted)
        assert found == IdCache(
            accounts={user.user_id: user},
            partners={acme.row.id: PartnerFloat("Acme", acme.row.float_account_id)},
            sub_accounts={(acme.row.id, "ann"): user},
        )
        known = IdCache()
        known.merge(found)
        assert found.is_within(known)
        assert not found.is_within(IdCache())
        assert find_ids(tx, known, wanted) == found

    await db.write(work)
