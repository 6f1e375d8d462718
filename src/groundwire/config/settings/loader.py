"""Reads the settings from the file and the environment, and says what is wrong with them."""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import get_origin

from pydantic import ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from groundwire.config.settings.aliases import UnknownProviderNameError, location_of, respelled
from groundwire.config.settings.descriptions import describe
from groundwire.config.settings.location import NOT_SETTINGS, settings_path
from groundwire.config.settings.overlay import merged
from groundwire.config.settings.schema import (
    PREFIX,
    Location,
    Settings,
    follow,
    is_table,
    variable_of,
)
from groundwire.errors import SettingsError


def load(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings; only the default file may be absent.

    Raises:
        SettingsError: The file or a variable cannot be used; it says which and what is allowed.
    """
    environment = os.environ if environment is None else environment
    file = path or settings_path(environment)
    from_file = _read(file, may_be_absent=not (path or environment.get("GROUNDWIRE_CONFIG")))
    variables = _setting_variables(environment)
    from_environment = _from_environment(variables)
    try:
        return Settings.model_validate(merged(respelled(from_file, str(file)), from_environment))
    except ValidationError as error:
        # A value_error is our own wording; of a choice of types it says more than the others.
        found = error.errors(include_url=False, include_input=False, include_context=False)
        worst = min(found, key=lambda detail: detail["type"] != "value_error")
    # Raised out here: the library's error holds the values, and one of them may be a password.
    location = tuple(str(part) for part in worst["loc"])
    where = _variable_that_gave(location, variables, from_environment) or str(file)
    if worst["type"] == "extra_forbidden":
        raise _unknown(where, location)
    raise SettingsError(where, _complaint(location, worst["msg"]))


class _Variables(Settings, BaseSettings):
    """The settings as the library of variables wants them; nothing is ever made of it."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__", strict=True)


class _Environment(EnvSettingsSource):
    """The library's reader of variables, over a given mapping instead of the process's own."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        super().__init__(_Variables)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._variables.items()}


def _read(file: Path, *, may_be_absent: bool) -> dict[str, object]:
    try:
        # Editors on Windows put a byte order mark first; TOML has no place for one.
        values = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        if may_be_absent:
            return {}
        reason = "there is no such file"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        reason = f"not valid TOML: not UTF-8 (at line {line})"
    except ValueError as error:  # Of the syntax, or a number of thousands of digits.
        reason = f"not valid TOML: {error}"
    except RecursionError:
        reason = "not valid TOML: it is nested too deeply"
    else:
        return values
    raise SettingsError(str(file), reason)


def _setting_variables(environment: Mapping[str, str]) -> dict[Location, tuple[str, str]]:
    """Return the variables that are settings, by place; an empty one counts as not set."""
    chosen: dict[Location, tuple[str, str]] = {}
    for name, value in environment.items():
        if not name.upper().startswith(PREFIX) or name.upper() in NOT_SETTINGS or not value:
            continue
        place = _place_of(name)
        _check_value(name, value, follow(place)[1])
        _check_names(name, value, place)
        if place in chosen:
            raise SettingsError(name, f"the same setting as {chosen[place][0]}: keep one of them")
        chosen[place] = (name, value)
    return chosen


def _place_of(variable: str) -> Location:
    written = tuple(variable.lower().removeprefix(PREFIX.lower()).split("__"))
    try:
        place = location_of(written)
    except UnknownProviderNameError as error:
        nearest = variable_of((written[0], error.nearest, *written[2:]))
    else:
        if follow(place)[0] != place:
            raise _unknown(variable, place, as_variable=True)
        return place
    raise SettingsError(variable, f"there is no such provider; the nearest is {nearest}")


def _check_value(variable: str, value: str, kind: object) -> None:
    if _is_too_deep(value):
        raise SettingsError(variable, "it is nested too deeply")
    if (get_origin(kind) in (list, dict) or is_table(kind)) and not _is_json(value):
        raise SettingsError(variable, "not valid JSON; a list is written like [80, 443]")


def _from_environment(variables: Mapping[Location, tuple[str, str]]) -> dict[str, object]:
    """Return what variables say as tables, in the spelling of the schema."""
    plain = {PREFIX + "__".join(place): value for place, (_, value) in variables.items()}
    return respelled(_Environment(plain)(), "the environment")


def _check_names(variable: str, value: str, place: Location) -> None:
    """Check the names inside a variable's value."""
    first, *rest = place
    inside: object = json.loads(value) if _is_json(value) else value
    for name in reversed(rest):
        inside = {name: inside}
    respelled({first: inside}, variable)


def _is_too_deep(text: str) -> bool:
    try:
        _is_json(text)
    except RecursionError:
        return True
    return False


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _variable_that_gave(
    location: Location,
    variables: Mapping[Location, tuple[str, str]],
    values: Mapping[str, object],
) -> str | None:
    """Return the variable that a wrong value came from, or None if it came from the file."""
    value: object = values
    for part in follow(location)[0]:
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is None:
        return None
    places = [location[:count] for count in range(len(location), 0, -1)]
    return next((variables[place][0] for place in places if place in variables), None)


def _unknown(where: str, path: Location, *, as_variable: bool = False) -> SettingsError:
    provider = path[1] if path[0] == "providers" and len(path) > 1 else "NAME"
    known = [setting.name.replace("NAME", provider) for setting in describe()]
    name = ".".join(path)
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0)[0]
    if as_variable:
        nearest_variable = variable_of(nearest.split("."))
        return SettingsError(where, f"there is no such setting; the nearest is {nearest_variable}")
    return SettingsError(where, f"there is no setting {name!r}; the nearest is {nearest!r}")


def _complaint(location: Location, message: str) -> str:
    path, _ = follow(location)
    general = ("providers", "NAME", *path[2:]) if path[0] == "providers" else path
    types = {setting.name: setting.type for setting in describe()}
    allowed = types.get(".".join(general), "table")
    own_words = message.removeprefix("Value error, ")
    reason = "expected a table" if "valid dictionary" in own_words else own_words
    return f"{'.'.join(path)}: {reason}; allowed: {allowed}"
