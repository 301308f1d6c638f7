"""Partners: their keys, their floats, and their views of users and money. Their orders are in `trading/entry/`,
their statements in `trading/statement/`.

routes         users, balance, withdrawals
service        deposits, payouts, withdrawals, the state of a user
keys           issuing, rotating, revoking; `require_live_key` for transactions that move money
"""
