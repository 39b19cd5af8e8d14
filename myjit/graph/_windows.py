"""Windows of poolings along one dimension."""

from __future__ import annotations


def window_count(n: int, k: int, s: int, p: int, d: int, *, ceil_mode: bool) -> int:
    """Return the number of windows; with `ceil_mode` the last may be cut, but starts inside or before."""
    span = n + 2 * p - d * (k - 1) - 1
    count = (-(-span // s) if ceil_mode else span // s) + 1
    return count - 1 if ceil_mode and (count - 1) * s >= n + p else count
