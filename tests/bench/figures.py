"""Percentiles and their wording."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def milliseconds(values: Sequence[float]) -> str:
    """p50, p99 and the largest, in milliseconds."""
    p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
    return f"p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, max {max(values, default=0.0) * 1e3:.1f} ms"
