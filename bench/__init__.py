"""Benchmarks: each figure is a ratio of two measurements of one run (docs/performance.md)."""
