"""Histograms as Prometheus wants them."""

from __future__ import annotations

from foreknow.kernel.histogram import Histogram


def cumulative_buckets(histogram: Histogram) -> tuple[list[tuple[str, float]], float]:
    """Return the cumulative buckets that Prometheus wants, and the sum."""
    seen, buckets = 0, []
    for bound, count in zip((*histogram.bounds, float("inf")), histogram.counts, strict=True):
        seen += count
        buckets.append(("+Inf" if bound == float("inf") else repr(float(bound)), float(seen)))
    return buckets, histogram.total
