"""What a split makes of positions: those of Other become positions of both (docs/lists.md).

turning   some of them in one transaction; whose are still to be turned
"""
