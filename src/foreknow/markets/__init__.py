"""Markets: one outcome each, prices and depth."""
