"""Lists that grow: outcomes are taken out of Other while people trade (docs/lists.md).

worker   turns positions of Other piece by piece
"""
