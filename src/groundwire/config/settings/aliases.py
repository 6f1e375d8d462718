"""Brings names of settings into the spelling of the schema: underscore and hyphen are one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import get_args, get_origin

from groundwire.config.settings.provider_names import names, spelled
from groundwire.config.settings.schema import Location, Settings, is_name, is_table
from groundwire.errors import SettingsError

NAMING = ("search_provider", "read_provider")
"""Settings whose value is the name of a provider, or a list of them."""
OWN_READER = "local"  # Reads pages on this machine; it is no provider.
FORMER = {"politeness": "rate_limits"}
"""Tables by the names that they had in version 0.1, which are still understood."""


class UnknownProviderNameError(ValueError):
    """A name in the settings is no provider's; `nearest` is the known one most like it."""

    def __init__(self, name: str) -> None:
        self.nearest = difflib.get_close_matches(name, names(), n=1, cutoff=0)[0]
        super().__init__(f"there is no provider {name!r}; the nearest is {self.nearest!r}")


def provider_name(name: str) -> str:
    """Return a provider's name as it is registered; what can be no name is for the schema to say.

    Raises:
        UnknownProviderNameError: There is no such provider.
    """
    found = spelled(name) if is_name(name) else name
    if found is None:
        raise UnknownProviderNameError(name)
    return found


def location_of(written: Location) -> Location:
    """Return the place that a variable names; what leads nowhere stays as it is written.

    Raises:
        UnknownProviderNameError: It names a provider that there is not.
    """
    kind: object = Settings
    place: list[str] = []
    for name in written:
        known = _known(kind, name, tuple(place))
        place.append(known)
        kind = _inner(kind, known)
    return tuple(place)


def respelled(values: Mapping[str, object], where: str) -> dict[str, object]:
    """Return tables of settings under the names of the schema.

    Raises:
        SettingsError: A provider is unknown, or a setting is written in two ways.
    """
    try:
        return _respelled(values, Settings, ())
    except (UnknownProviderNameError, _WrittenTwiceError) as error:
        reason = str(error)
    raise SettingsError(where, reason)


class _WrittenTwiceError(ValueError):
    pass


def _respelled(values: Mapping[str, object], kind: object, place: Location) -> dict[str, object]:
    found: dict[str, object] = {}
    written: dict[str, str] = {}
    for name, value in values.items():
        known = _known(kind, name, place)
        inner = _inner(kind, known)
        if known in found:
            both = f"{'.'.join((*place, written[known]))!r} and {'.'.join((*place, name))!r}"
            raise _WrittenTwiceError(f"{both} are the same: keep one of them")
        written[known] = name
        if isinstance(value, Mapping) and inner is not None:
            found[known] = _respelled(value, inner, (*place, known))
        else:
            found[known] = value
        if not place and known in NAMING:
            found[known] = _provider_names(value, known)
    return found


def _known(kind: object, name: str, place: Location) -> str:
    """Return the schema's spelling of a name, the name itself where it has none."""
    if is_table(kind):
        plain = name.replace("-", "_")
        plain = plain if place else FORMER.get(plain, plain)
        return plain if plain in kind.model_fields else name
    return provider_name(name) if place == ("providers",) else name


def _inner(kind: object, name: str) -> object:
    """Return what is in a table under a name, None where anything may be."""
    if is_table(kind):
        field = kind.model_fields.get(name)
        return field.annotation if field else None
    arguments = get_args(kind) if get_origin(kind) is dict else ()
    return arguments[1] if arguments and is_table(arguments[1]) else None


def _provider_names(value: object, setting: str) -> object:
    if isinstance(value, list):
        return [_provider_names(each, setting) for each in value]
    if not isinstance(value, str) or (setting == "read_provider" and value == OWN_READER):
        return value
    return provider_name(value)
