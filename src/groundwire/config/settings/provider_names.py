"""Which providers there are, by name, and how a name may be written."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from groundwire import providers

ENTRY_POINT_GROUP = "groundwire.providers"
RESERVED = ("local",)
"""Names that are no provider's: our own reader."""


def own_modules() -> Mapping[str, str]:
    """Return our own providers and their modules; a file's underscores are hyphens in the name."""
    return _modules_in(tuple(providers.__path__))


# Every turn asks, and to list a folder costs more than the rest of the question.
@cache
def _modules_in(folders: tuple[str, ...]) -> Mapping[str, str]:
    found = {
        module.name.replace("_", "-"): f"{providers.__name__}.{module.name}"
        for module in pkgutil.iter_modules(folders)
        if not module.name.startswith("_")
    }
    return MappingProxyType(found)


def offered(*, with_taken: bool = False) -> dict[str, list[EntryPoint]]:
    """Return what other packages offer, by name; two may offer the same."""
    found: dict[str, list[EntryPoint]] = {}
    for point in _points_in(tuple(sys.path)):
        if with_taken or point.name not in RESERVED:
            found.setdefault(point.name, []).append(point)
    return found


# Whoever names a model without its provider asks, and each time all packages would be read.
@cache
def _points_in(folders: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - what it is of
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def names() -> tuple[str, ...]:
    """Return the names of all providers in alphabetical order, importing none of them."""
    return tuple(sorted({*own_modules(), *offered()}))


def spelled(name: str) -> str | None:
    """Return a provider's name as it is registered, None if there is no such provider.

    Underscore and hyphen are one, since no shell sets a variable with a hyphen, and so is case.
    """
    for known in (own_modules, offered):  # Other packages are looked up only where they must be.
        found = {folded(each): each for each in known()}
        if name in found.values():
            return name
        if folded(name) in found:
            return found[folded(name)]
    return None


@cache
def folded(name: str) -> str:
    """Return a name without the differences that make no difference."""
    return name.lower().replace("-", "_")
