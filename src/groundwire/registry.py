"""Finds providers by name and imports only the one that is asked for.

Our own are the files in `providers/`; other packages add theirs through the entry-point group
`groundwire.providers`. A file's underscores are hyphens in its provider's name. What another
package does wrong is a `PluginError` for its own provider, and changes nothing for the rest.
"""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint

from groundwire.config.settings.provider_names import RESERVED, names, offered, own_modules
from groundwire.errors import PluginError, UnknownProviderError
from groundwire.redaction import redact
from groundwire.wire.contract import Provider, abilities

__all__ = ["get", "names", "problems", "usable"]


def get(name: str) -> Provider:
    """Return one provider; only its own module is imported.

    Our own names cannot be taken over by another package.

    Raises:
        UnknownProviderError: No provider has this name.
        PluginError: Another package offers something under this name that cannot be used.
    """
    own = own_modules()
    if name in own:
        found: Provider = importlib.import_module(own[name]).provider
        return found
    if others := offered().get(name):
        return _loaded(name, others)
    raise UnknownProviderError(name, names())


def usable() -> dict[str, Provider]:
    """Return all providers that can be used, by name; `problems` has the others."""
    found = {}
    for name in names():
        try:
            found[name] = get(name)
        except PluginError:
            continue
    return found


def problems() -> tuple[PluginError, ...]:
    """Return what is wrong with the providers that other packages offer."""
    taken = (*own_modules(), *RESERVED)
    found = []
    for name, points in sorted(offered(with_taken=True).items()):
        if name in taken:
            reason = "the name is Groundwire's own, and stays so"
            found.append(PluginError(name, _packages(points), reason))
            continue
        try:
            _loaded(name, points)
        except PluginError as error:
            found.append(error)
    return tuple(found)


def _loaded(name: str, points: list[EntryPoint]) -> Provider:
    """Return what a package offers, whatever its code does when it is imported."""
    package = _packages(points)
    if len(points) > 1:
        # Whoever were chosen would get the key that is meant for the other.
        raise PluginError(name, package, "two packages offer this name: remove one of them")
    try:
        found = points[0].load()
        reason = _lack_of(found)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - another package may raise anything
        reason = redact(f"it cannot be loaded ({type(error).__name__}: {error})")
    else:
        if isinstance(found, Provider) and not reason:
            return found
    raise PluginError(name, package, reason)


def _lack_of(found: object) -> str:
    """Return what an object lacks to be a provider, "" if nothing."""
    if not isinstance(found, Provider):
        kind = type(found).__name__
        return f"{kind} is not a provider: name an instance of a subclass of contract.Provider"
    for name in ("title", "base_url"):
        if not isinstance(getattr(found, name, None), str):
            return f"it has no {name}"
    return "" if abilities(found) else "it can neither answer nor search, read or embed"


def _packages(points: list[EntryPoint]) -> str:
    dists = [point.dist for point in points]
    found = [f"{dist.name} {dist.version}" if dist else "a package" for dist in dists]
    return " and ".join(sorted(found))
