"""Portfolios: what traders see of their positions and profits. What changes positions stands in `positions`."""
