"""Rows of markets, one per outcome of a pool. Their endpoints are in `market/pools/`."""
