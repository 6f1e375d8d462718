"""Changes single settings in the file and leaves all else in it as it stands, comments included."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

from groundwire.config.settings.location import settings_path
from groundwire.config.settings.schema import Settings, variable_of
from groundwire.errors import SettingsError
from groundwire.system.files import private_folder, replace_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A setting that was changed in a file; `before` is None if it was not there.

    `hidden_by` is the variable that wins over the file, "" if there is none.
    """

    setting: str
    path: Path
    before: object
    now: object
    hidden_by: str = ""


def change(
    values: Mapping[str, object], environment: Mapping[str, str] | None = None
) -> list[Changed]:
    """Write settings into the file, and return those that were different.

    A dot in a name leads into a table: `search.next_on_nothing`. The file is replaced as a
    whole, so that a crash leaves the old one or the new one.

    Raises:
        SettingsError: The file cannot be used or written, or a value is not allowed.
    """
    environment = os.environ if environment is None else environment
    path = settings_path(environment).resolve()  # Replacing a symbolic link would cut it.
    document = _read(path)
    before = document.unwrap()
    changed = [
        Changed(
            setting=name,
            path=path,
            before=_at(before, name),
            now=value,
            hidden_by=_hidden_by(name, environment),
        )
        for name, value in values.items()
        if _at(before, name) != value
    ]
    for each in changed:
        _put(document, each.setting, each.now)
    _check(path, document.unwrap())
    if changed:
        _write(path, tomlkit.dumps(document))
    return changed


def _at(values: Mapping[str, object], name: str) -> object:
    """Return the value at a dotted name, None if there is none."""
    table, _, rest = name.partition(".")
    inside = values.get(table)
    if not rest:
        return inside
    return _at(inside, rest) if isinstance(inside, Mapping) else None


def _put(document: MutableMapping[str, object], name: str, value: object) -> None:
    table, _, rest = name.partition(".")
    if not rest:
        document[table] = value
        return
    inside = document.setdefault(table, tomlkit.table())
    if isinstance(inside, MutableMapping):  # What it else is, the check of the whole refuses.
        _put(inside, rest, value)


def _read(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return tomlkit.document()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except (TOMLKitError, UnicodeDecodeError) as error:
        reason = f"not valid TOML: {error}"
    raise SettingsError(str(path), reason)


def _check(path: Path, values: dict[str, object]) -> None:
    try:
        Settings.model_validate(values)
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    else:
        return
    # Raised out here: the library's error holds the values, and one of them may be a password.
    place = ".".join(str(part) for part in first["loc"])
    raise SettingsError(str(path), f"{place}: {first['msg'].removeprefix('Value error, ')}")


def _hidden_by(name: str, environment: Mapping[str, str]) -> str:
    variable = variable_of(name.split("."))
    return variable if environment.get(variable) else ""


def _write(path: Path, text: str) -> None:
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        private_folder(path.parent)
        replace_file(path, text, mode=mode)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(str(path), f"cannot be written: {reason}") from error
