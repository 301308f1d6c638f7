"""Units and limits of the contract (decisions.md, "Amounts" and "Integers in paths and queries")."""

#: Limits an amount of money or shares in a request, and a balance: 9·10^15 kopecks.
AMOUNT_MAX = 9 * 10**15
#: Limits integers in a path, a query or a JSON body.
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
