"""Portfolios: traders' views of their positions and profits. `trading/positions/` changes them."""
