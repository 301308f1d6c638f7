"""Portfolios: traders' views of their positions and profits. Changes of positions are in `positions`."""
