"""Units and bounds of the contract (decisions.md, "Amounts" and "Integers in paths and queries")."""

from __future__ import annotations

#: The largest amount of money or shares in a request, and the largest balance: 9·10^15 kopecks.
AMOUNT_MAX = 9 * 10**15
#: The largest integer that a path, a query or a JSON body may hold.
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
KOPECKS_PER_RUB = 100
