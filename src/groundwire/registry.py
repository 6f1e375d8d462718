"""Finds providers by name and imports only the one that is asked for.

Our own are the files in `providers/`; other packages add theirs through the entry-point group
`groundwire.providers`. A file's underscores are hyphens in its provider's name.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points

from groundwire import providers
from groundwire.contract import Provider
from groundwire.errors import ConfigError, UnknownProviderError

ENTRY_POINT_GROUP = "groundwire.providers"


def names() -> tuple[str, ...]:
    """Return the names of all providers in alphabetical order, importing none of them."""
    return tuple(sorted({*_own_modules(), *_entry_points()}))


def get(name: str) -> Provider:
    """Return one provider; only its own module is imported.

    Our own names cannot be taken over by another package.

    Raises:
        UnknownProviderError: No provider has this name.
        ConfigError: Another package offers something under this name that is no provider.
    """
    own = _own_modules()
    if name in own:
        found = importlib.import_module(own[name]).provider
    elif name in (offered := _entry_points()):
        found = _load(offered[name])
    else:
        raise UnknownProviderError(name, names())
    if not isinstance(found, Provider):
        raise ConfigError(f"{name!r} is not a provider: its class must extend contract.Provider")
    return found


def _own_modules() -> dict[str, str]:
    return {
        module.name.replace("_", "-"): f"{providers.__name__}.{module.name}"
        for module in pkgutil.iter_modules(providers.__path__)
        if not module.name.startswith("_")
    }


def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def _load(point: EntryPoint) -> object:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"the provider {point.name!r} of another package cannot be loaded: {error}"
        ) from error
