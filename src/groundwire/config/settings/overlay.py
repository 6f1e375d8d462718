"""Tables over tables: what is written above wins, place by place."""

from __future__ import annotations

from collections.abc import Mapping


def merged(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Return two tables as one; where both have a table, these are merged too."""
    result = dict(below)
    for name, value in above.items():
        under = result.get(name)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            result[name] = merged(under, value)
        else:
            result[name] = value
    return result
