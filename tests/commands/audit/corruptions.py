"""What is done to good books, and which check must say so."""

from __future__ import annotations

#: False, on both databases.
_FALSE = "(1 = 0)"
#: (name of the check, statement)
CORRUPTIONS: list[tuple[str, str]] = [
    ("entries", "UPDATE transfers SET kind = 'sale' WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"),
    ("entries", "UPDATE transfers SET target_account_id = 999999 WHERE id = (SELECT MAX(id) FROM transfers)"),
    ("entries", "UPDATE transfers SET kind = 'gift' WHERE id = (SELECT MIN(id) FROM transfers)"),
    ("balances", "UPDATE accounts SET balance_kopecks = balance_kopecks + 1 WHERE kind = 'house'"),
    (
        "balances",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks"
            " + CASE kind WHEN 'house' THEN -4294967296 ELSE 4294967296 END"
            " WHERE kind = 'house' OR id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')"
        ),
    ),
    ("balances", "UPDATE transfers SET amount_kopecks = amount_kopecks + 1 WHERE id = (SELECT MAX(id) FROM transfers)"),
    ("balances", "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'credit')"),
    (
        "balances",
        (
            "INSERT INTO transfers (kind, source_account_id, target_account_id, amount_kopecks, created_at_ms)"
            " SELECT 'credit', h.id, u.id, 5, 0 FROM accounts h, accounts u"
            " WHERE h.kind = 'house' AND u.id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')"
        ),
    ),
    ("total", "UPDATE accounts SET balance_kopecks = balance_kopecks + 5 WHERE kind = 'house'"),
    ("signs", "UPDATE accounts SET balance_kopecks = -1 WHERE id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')"),
    ("owners", "UPDATE users SET account_id = (SELECT MIN(account_id) FROM users) WHERE id = 2"),
    ("owners", "UPDATE users SET account_id = NULL WHERE id = 2"),
    ("owners", "INSERT INTO accounts (kind, owner_id, balance_kopecks) VALUES ('user', 999999, 0)"),
    ("owners", "INSERT INTO accounts (kind, owner_id, balance_kopecks) VALUES ('house', 1, 0)"),
    ("owners", "UPDATE pools SET escrow_account_id = fees_account_id WHERE id = 1"),
    ("owners", "UPDATE pools SET fees_account_id = escrow_account_id WHERE id = 1"),
    ("owners", "UPDATE partners SET float_account_id = 1"),
    ("trade money", "UPDATE trades SET fee_kopecks = fee_kopecks + 1 WHERE id = 1"),
    ("trade money", "UPDATE trades SET amount_kopecks = amount_kopecks - 1 WHERE id = 1"),
    ("trade money", "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'fee')"),
    (
        "trade money",
        "UPDATE transfers SET trade_id = NULL WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'sale')",
    ),
    (
        "trade money",
        (
            "INSERT INTO transfers"
            " (kind, source_account_id, target_account_id, amount_kopecks, trade_id, created_at_ms)"
            " SELECT kind, source_account_id, target_account_id, amount_kopecks, trade_id, 0 FROM transfers WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"
        ),
    ),
    (
        "trade money",
        "UPDATE transfers SET trade_id = 1 WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'credit')",
    ),
    (
        "trade accounts",
        (
            "UPDATE transfers SET source_account_id = (SELECT account_id FROM users WHERE id = 1) WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"
        ),
    ),
    (
        "trade accounts",
        (
            "UPDATE transfers SET target_account_id = (SELECT MAX(escrow_account_id) FROM pools) WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"
        ),
    ),
    ("trade accounts", "UPDATE transfers SET trade_id = NULL WHERE kind = 'funding'"),
    ("trade places", "UPDATE trades SET user_id = 1 WHERE id = 1"),
    ("trade places", "UPDATE trades SET market_id = (SELECT MAX(id) FROM markets) WHERE id = 1"),
    ("trade places", "UPDATE trades SET side = CASE side WHEN 'YES' THEN 'NO' ELSE 'YES' END WHERE id = 1"),
    ("trade places", "UPDATE trades SET pool_id = pool_id + 1 WHERE id = 1"),
    ("trade places", "UPDATE positions SET event_id = event_id + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET shares = shares + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET cost_kopecks = cost_kopecks + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET pnl_kopecks = pnl_kopecks + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET left_shares = left_shares + 1 WHERE id = 1"),
    (
        "positions",
        (
            "UPDATE positions SET left_cost_kopecks = left_cost_kopecks + 1, cost_kopecks = cost_kopecks - 1,"
            " pnl_kopecks = pnl_kopecks - 1 WHERE id = 1"
        ),
    ),
    ("positions", "UPDATE positions SET closed_at_ms = 1 WHERE id = 1"),
    (
        "positions",
        "UPDATE positions SET closed_at_ms = NULL WHERE id = (SELECT MAX(id) FROM positions WHERE shares = 0)",
    ),
    ("positions", "DELETE FROM trades WHERE id = (SELECT MIN(id) FROM trades WHERE action = 'sell')"),
    (
        "costs",
        "UPDATE trades SET pnl_kopecks = pnl_kopecks + 1 WHERE id = (SELECT MIN(id) FROM trades WHERE action = 'sell')",
    ),
    ("costs", "UPDATE trades SET pnl_kopecks = 1 WHERE id = 1"),
    ("costs", "UPDATE trades SET action = 'sell' WHERE id = 1"),
    ("markets", "UPDATE markets SET q_yes = q_yes + 1 WHERE id = 1"),
    ("markets", "UPDATE markets SET q_no = q_no - 1 WHERE id = 1"),
    ("markets", "UPDATE markets SET volume_kopecks = volume_kopecks + 1 WHERE id = 1"),
    ("markets", "UPDATE trades SET shares = shares + 1 WHERE id = 1"),
    ("holdings", "UPDATE positions SET shares = shares + 1 WHERE id = 1"),
    ("holdings", "DELETE FROM positions WHERE id = 1"),
    ("volumes", "UPDATE pools SET trade_count = trade_count + 1 WHERE id = 1"),
    ("volumes", "UPDATE pools SET volume_kopecks = volume_kopecks + 1 WHERE id = 1"),
    ("volumes", "UPDATE events SET volume_kopecks = volume_kopecks + 1 WHERE id = 1"),
    (
        "escrows",
        "UPDATE accounts SET balance_kopecks = 1000 WHERE id = (SELECT escrow_account_id FROM pools WHERE id = 1)",
    ),
    (
        "escrows",
        "UPDATE accounts SET balance_kopecks = 1000 WHERE id = (SELECT escrow_account_id FROM pools WHERE id = 2)",
    ),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks + 1 WHERE id ="
            " (SELECT escrow_account_id FROM pools WHERE id = 1)"
        ),
    ),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks - 1 WHERE id ="
            " (SELECT escrow_account_id FROM pools WHERE paying)"
        ),
    ),
    (
        "owed",
        "UPDATE accounts SET balance_kopecks = 10 WHERE id = (SELECT escrow_account_id FROM pools WHERE paying)",
    ),
    ("payments", "DELETE FROM payments WHERE pool_id = (SELECT id FROM pools WHERE paying)"),
    ("payments", "DELETE FROM payments WHERE pool_id = (SELECT id FROM pools WHERE disputable_until_ms IS NOT NULL)"),
    ("payments", "INSERT INTO payments (pool_id, due_at_ms) VALUES (1, 5)"),
    ("payments", f"UPDATE pools SET paying = {_FALSE} WHERE paying"),
    ("settled pools", f"UPDATE pools SET paying = {_FALSE} WHERE paying"),
    ("figures", f"UPDATE pools SET paying = {_FALSE} WHERE paying"),
    ("states", "UPDATE pools SET disputable_until_ms = NULL WHERE disputable_until_ms IS NOT NULL"),
    ("states", "UPDATE pools SET resolution = NULL WHERE disputable_until_ms IS NOT NULL"),
    ("states", "UPDATE pools SET won_side = 0 WHERE disputable_until_ms IS NOT NULL"),
    ("states", "UPDATE events SET resolves_at_ms = resolves_at_ms + 1 WHERE resolves_at_ms IS NOT NULL"),
    ("states", "UPDATE events SET resolves_at_ms = 5 WHERE id = 1"),
    ("states", "UPDATE events SET status = 'resolved' WHERE resolves_at_ms IS NOT NULL"),
    ("settlements", "UPDATE pools SET void_at_ms = void_at_ms - 10000 WHERE void_at_ms IS NOT NULL"),
    ("settlements", "UPDATE pools SET void_at_ms = void_at_ms + 12000 WHERE void_at_ms IS NOT NULL"),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = 1 WHERE id ="
            " (SELECT MIN(escrow_account_id) FROM pools WHERE state = 'resolved')"
        ),
    ),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks - 1 WHERE id ="
            " (SELECT fees_account_id FROM pools WHERE id = 1)"
        ),
    ),
    ("loss bounds", "UPDATE pools SET loss_bound_kopecks = loss_bound_kopecks + 1 WHERE id = 1"),
    ("loss bounds", "UPDATE pools SET b = b + 100 WHERE id = 1"),
    ("loss bounds", 'UPDATE pools SET weights = \'["0","1"]\' WHERE id = 1'),
    ("loss bounds", "UPDATE pools SET b = b + 100 WHERE id = (SELECT MIN(id) FROM pools WHERE liquidity IS NOT NULL)"),
    ("loss bounds", "UPDATE pools SET liquidity = REPLACE(liquidity, '\"b\":30000', '\"b\":30001')"),
    ("loss bounds", "UPDATE pools SET liquidity = '[]' WHERE liquidity IS NOT NULL"),
    ("loss bounds", "UPDATE pools SET liquidity = NULL WHERE liquidity IS NOT NULL"),
    (
        "loss bounds",
        (
            'UPDATE pools SET liquidity = REPLACE(liquidity, \'"subsidy_kopecks"\', \'"subsidy_kopecks":1,"old"\')'
            " WHERE liquidity IS NOT NULL"
        ),
    ),
    ("added liquidity", "UPDATE pools SET liquidity = REPLACE(liquidity, '\"trades\":10', '\"trades\":9')"),
    (
        "added liquidity",
        "UPDATE trades SET shares = shares + 1 WHERE id = (SELECT MIN(id) FROM trades WHERE pool_id = 2)",
    ),
    ("added liquidity", "UPDATE pools SET liquidity = '{}' WHERE liquidity IS NOT NULL"),
    ("subsidies", "UPDATE transfers SET created_at_ms = created_at_ms - 1 WHERE kind = 'subsidy'"),
    ("subsidies", "UPDATE transfers SET kind = 'credit' WHERE kind = 'subsidy'"),
    ("subsidies", "UPDATE pools SET liquidity = REPLACE(liquidity, '\"at_ms\":', '\"at_ms\":1')"),
    ("settlements", "UPDATE pools SET weights = '[\"1\"]' WHERE state = 'resolved'"),
    ("states", "UPDATE pools SET state = 'sleeping' WHERE id = 1"),
    ("states", "UPDATE pools SET published_at_ms = NULL WHERE id = 1"),
    ("states", "UPDATE pools SET won_side = NULL WHERE state = 'resolved'"),
    ("states", "UPDATE pools SET won_side = 0, resolution = '{\"won_side\":0}' WHERE id = 1"),
    ("states", "UPDATE pools SET state = 'new' WHERE id = 1"),
    ("states", "UPDATE events SET status = 'resolved' WHERE id = 1"),
    ("states", "UPDATE events SET status = 'active' WHERE status = 'new'"),
    ("states", "UPDATE events SET status = 'active' WHERE status = 'cancelled'"),
    (
        "settled pools",
        (
            "UPDATE positions SET shares = 5, settled_shares = settled_shares - 5 WHERE id ="
            " (SELECT MIN(id) FROM positions WHERE settled_shares > 5)"
        ),
    ),
    ("settled pools", "UPDATE positions SET won_side = 1 WHERE id = 1"),
    (
        "settlements",
        (
            "UPDATE positions SET settled_kopecks = settled_kopecks + 1 WHERE id ="
            " (SELECT MIN(id) FROM positions WHERE settled_kopecks > 0)"
        ),
    ),
    ("settlements", "UPDATE positions SET won_side = 1 - won_side WHERE won_side IS NOT NULL"),
    ("settlements", "UPDATE pools SET resolution = '{\"won_side\":1}' WHERE resolution = '{\"won_side\":0}'"),
    ("settlements", "UPDATE pools SET resolution = '{\"payouts\":[0.25,0.35,0.4]}' WHERE resolution LIKE '%payouts%'"),
    (
        "settlements",
        "UPDATE markets SET q_yes = q_yes + 9000 WHERE outcome_index = 0",
    ),
    ("settlement money", "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'settlement')"),
    (
        "settlement money",
        (
            "UPDATE transfers SET target_account_id = (SELECT account_id FROM users WHERE id = 1) WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'settlement')"
        ),
    ),
    (
        "settlement money",
        "UPDATE transfers SET position_id = NULL WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'settlement')",
    ),
    ("floats", "UPDATE partner_transactions SET float_change_kopecks = float_change_kopecks + 1 WHERE id = 1"),
    ("floats", "DELETE FROM partner_transactions WHERE type = 'payout'"),
    (
        "sub-accounts",
        (
            "UPDATE partner_transactions SET balance_change_kopecks = balance_change_kopecks - 1 WHERE id ="
            " (SELECT MIN(id) FROM partner_transactions WHERE type = 'settlement')"
        ),
    ),
    ("sub-accounts", "UPDATE partner_transactions SET user_id = 1 WHERE type = 'withdrawal'"),
    ("statement totals", "UPDATE statement_totals SET users_balance_kopecks = users_balance_kopecks + 1"),
    ("statement totals", "DELETE FROM statement_totals"),
    ("statement totals", "UPDATE statement_totals SET held_kopecks = held_kopecks + 1"),
    (
        "trade accounts",
        "UPDATE transfers SET order_id = order_id + 1 WHERE kind = 'order_sale'",
    ),
    ("order accounts", "UPDATE accounts SET balance_kopecks = balance_kopecks - 1 WHERE kind = 'orders'"),
    ("reserved shares", "UPDATE positions SET reserved_shares = reserved_shares - 100 WHERE reserved_shares > 0"),
    (
        "reserved shares",
        "UPDATE positions SET shares = reserved_shares - 1 WHERE reserved_shares > 0",
    ),
    ("order money", "UPDATE limit_orders SET owed_kopecks = owed_kopecks - 1 WHERE owed_kopecks > 0"),
    ("order money", "UPDATE limit_orders SET price_bps = price_bps + 100 WHERE status = 'open' AND action = 'buy'"),
    (
        "order money",
        "UPDATE transfers SET order_id = NULL WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'order_return')",
    ),
    ("order fills", "UPDATE limit_orders SET amount_kopecks = amount_kopecks + 1 WHERE filled_shares > 0"),
    ("order fills", "UPDATE limit_orders SET side = 'YES' WHERE side = 'NO' AND filled_shares > 0"),
    ("order fills", "UPDATE trades SET role = NULL WHERE role = 'maker'"),
    ("order fills", "UPDATE limit_orders SET price_bps = 9900 WHERE action = 'sell' AND filled_shares > 0"),
    ("order states", "UPDATE pools SET open_orders = open_orders + 1 WHERE open_orders > 0"),
    ("order states", "UPDATE limit_orders SET reason = 'user' WHERE status = 'open'"),
    ("order states", "UPDATE limit_orders SET status = 'expired' WHERE status = 'filled'"),
    (
        "order states",
        (
            "UPDATE limit_orders SET market_id = (SELECT MIN(m.id) FROM markets m JOIN pools p ON p.id = m.pool_id"
            " WHERE p.state = 'resolved' AND NOT p.paying) WHERE status = 'open'"
        ),
    ),
    ("order dues", "DELETE FROM order_dues"),
    ("order levels", "UPDATE order_levels SET shares = shares + 100"),
    ("order levels", "DELETE FROM order_levels"),
    ("crossed orders", "UPDATE limit_orders SET price_bps = 9100 WHERE status = 'open' AND action = 'buy'"),
    ("crossed orders", "UPDATE limit_orders SET price_bps = 6000 WHERE side = 'YES' AND action = 'buy'"),
    (
        "statement lines",
        "DELETE FROM partner_transactions WHERE id = (SELECT MIN(id) FROM partner_transactions WHERE type = 'sale')",
    ),
    ("statement lines", "UPDATE partner_transactions SET type = 'bet' WHERE type = 'sale'"),
    ("statement lines", "UPDATE partner_transactions SET trade_id = NULL WHERE type = 'bet'"),
    ("statement lines", "UPDATE partner_transactions SET market_id = market_id + 1 WHERE type = 'bet'"),
    (
        "statement lines",
        "UPDATE partner_transactions SET float_change_kopecks = float_change_kopecks + 1 WHERE type = 'bet'",
    ),
    ("statement lines", "DELETE FROM partner_transactions WHERE type = 'basket'"),
    ("statement lines", "UPDATE partner_transactions SET type = 'withdrawal' WHERE type = 'basket'"),
    (
        "statement lines",
        "UPDATE partner_transactions SET balance_change_kopecks = balance_change_kopecks + 1 WHERE type = 'basket'",
    ),
    ("positions", "UPDATE trade_legs SET position_id = position_id + 1"),
    ("markets", "UPDATE trade_legs SET amount_kopecks = amount_kopecks + 1"),
    ("costs", "UPDATE trade_legs SET pnl_kopecks = pnl_kopecks + 1 WHERE pnl_kopecks <> 0"),
    ("added liquidity", "UPDATE trade_legs SET shares = shares + 1"),
    ("keys", "UPDATE baskets SET net_kopecks = net_kopecks + 1"),
    ("baskets", "UPDATE baskets SET net_kopecks = net_kopecks + 1"),
    ("baskets", "UPDATE baskets SET user_id = user_id + 1"),
    ("baskets", "DELETE FROM baskets"),
    (
        "baskets",
        (
            "INSERT INTO baskets (user_id, pool_id, net_kopecks, body)"
            " SELECT user_id, pool_id, net_kopecks, body FROM baskets WHERE id = (SELECT MIN(id) FROM baskets)"
        ),
    ),
    ("baskets", "UPDATE trade_legs SET amount_kopecks = amount_kopecks + 1"),
    ("baskets", "UPDATE trade_legs SET pnl_kopecks = pnl_kopecks + 1"),
    ("baskets", "DELETE FROM trade_legs"),
    ("baskets", "UPDATE trade_legs SET market_id = market_id + 1000"),
    ("baskets", "UPDATE trade_legs SET position_id = position_id + 1"),
    ("baskets", "UPDATE trade_legs SET kind = 'gift'"),
    ("baskets", "UPDATE trade_legs SET kind = 'change' WHERE kind = 'stake'"),
    ("baskets", "UPDATE baskets SET pool_id = pool_id + 1"),
    ("baskets", "UPDATE trades SET side = 'NO' WHERE basket_id IS NOT NULL"),
    ("baskets", "UPDATE trades SET order_id = 1 WHERE basket_id IS NOT NULL"),
    ("baskets", "UPDATE trades SET action = 'sell' WHERE basket_id IS NOT NULL"),
    ("baskets", "UPDATE trades SET basket_id = NULL"),
    ("baskets", "UPDATE trades SET shares = shares + 1 WHERE basket_id IS NOT NULL"),
    ("markets", "UPDATE markets SET first_q_yes = first_q_yes + 1 WHERE first_q_yes > 0"),
    ("positions", "UPDATE position_splits SET cost_kopecks = cost_kopecks + 1"),
    ("positions", "DELETE FROM position_splits"),
    ("costs", "UPDATE position_splits SET share_percent = share_percent + 1"),
    ("costs", "UPDATE position_splits SET shares = shares + 1"),
    ("turned positions", "UPDATE position_splits SET user_id = user_id + 1"),
    ("turned positions", "DELETE FROM partner_transactions WHERE type = 'split'"),
    (
        "added money",
        (
            "INSERT INTO worth_days (user_id, day, worth_kopecks, added_kopecks)"
            " SELECT MIN(owner_id), 0, 5, 5 FROM accounts WHERE kind = 'user'"
        ),
    ),
    ("loss bounds", "UPDATE pools SET loss_bound_kopecks = loss_bound_kopecks + 1 WHERE splits IS NOT NULL"),
    ("loss bounds", """UPDATE pools SET splits = REPLACE(splits, '"share_percent":25', '"share_percent":26')"""),
    ("added liquidity", """UPDATE pools SET splits = REPLACE(splits, '"q_yes":', '"q_yes":1')"""),
    ("subsidies", """UPDATE pools SET splits = REPLACE(splits, '"subsidy_kopecks":', '"subsidy_kopecks":9')"""),
    ("profits", "UPDATE pnl_totals SET pnl_kopecks = pnl_kopecks + 1"),
    ("house account", "INSERT INTO house_pools (pool_id, spent_kopecks, position_ids) VALUES (1, 5, '[]')"),
    (
        "deleted accounts",
        (
            "UPDATE users SET deleted_at_ms = 1 WHERE account_id ="
            " (SELECT MIN(id) FROM accounts WHERE kind = 'user' AND balance_kopecks > 0)"
        ),
    ),
    ("house account", "UPDATE users SET nickname_key = 'house account' WHERE id = (SELECT MIN(user_id) FROM trades)"),
    ("objections", "UPDATE pools SET open_objections = open_objections + 1 WHERE state = 'open'"),
    ("objections", "UPDATE pools SET holding_objections = 0"),
    ("objections", "UPDATE objections SET pool_id = (SELECT MIN(id) FROM pools WHERE state = 'resolved')"),
    ("verdicts", """UPDATE pools SET verdicts = REPLACE(verdicts, '"won_side":0', '"won_side":1')"""),
    ("profits", "DELETE FROM pnl_totals"),
    ("closed positions", "UPDATE pnl_totals SET closed_positions = closed_positions + 1"),
    ("figures", "UPDATE stats_days SET volume_kopecks = volume_kopecks + 1"),
    ("figures", "UPDATE stats_days SET fees_kopecks = fees_kopecks + 1"),
    ("figures", "UPDATE stats_days SET open_interest_change_kopecks = open_interest_change_kopecks + 1"),
    ("figures", "UPDATE stats_days SET settlement_result_kopecks = settlement_result_kopecks + 1"),
    ("figures", "UPDATE stats_days SET grants_kopecks = grants_kopecks + 1"),
    ("figures", "UPDATE stats_days SET sign_ups = sign_ups + 1"),
    ("figures", "UPDATE stats_days SET new_traders = new_traders + 1"),
    ("keys", "UPDATE idempotency_keys SET status = 409"),
    ("keys", "UPDATE idempotency_keys SET scope = 'user:1'"),
    # What a key of a limit order answers with: its price, what it had had, and its trade on arrival.
    ("keys", "UPDATE limit_orders SET price_bps = 100 WHERE id IN (SELECT order_id FROM trades WHERE role = 'taker')"),
    (
        "keys",
        "UPDATE limit_orders SET filled_shares = 0 WHERE id IN (SELECT order_id FROM trades WHERE role = 'taker')",
    ),
    ("keys", "UPDATE trades SET role = 'maker' WHERE role = 'taker'"),
    (
        "keys",
        "UPDATE limit_orders SET user_id = user_id - 1 WHERE id IN (SELECT order_id FROM trades WHERE role = 'taker')",
    ),
    (
        "keys",
        "DELETE FROM trades WHERE id IN (SELECT trade_id FROM partner_transactions WHERE type = 'bet')",
    ),
    ("clarifications", "UPDATE pools SET clarifications = clarifications + 1 WHERE clarifications > 0"),
    ("clarifications", "DELETE FROM clarifications"),
]
