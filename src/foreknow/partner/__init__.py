"""Partners: their keys, their floats, and what they see of their users and their money.

routes        a partner's users, balance, withdrawals, transactions; its orders stand in `foreknow.trading`
service       money in and out of a float, withdrawals, the state of a user
keys          issuing, rotating, revoking; `confirm_key` for transactions that move money
gate          who calls with a key
external_ids  partners' own names for their users
"""
