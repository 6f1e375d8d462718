"""Tables over tables: what is written above wins, place by place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.model import Json


def merged(below: Mapping[str, Json], above: Mapping[str, Json]) -> dict[str, Json]:
    """Return two tables as one; where both have a table, these are merged too."""
    result = dict(below)
    for name, value in above.items():
        under: Json = result.get(name)
        is_inside = isinstance(under, Mapping) and isinstance(value, Mapping)
        result[name] = merged(under, value) if is_inside else value
    return result
