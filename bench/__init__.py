"""Figures: each a ratio against something measured in the same run. docs/performance.md says how to read them."""
