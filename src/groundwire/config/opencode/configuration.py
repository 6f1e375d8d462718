"""OpenCode's configuration files, merged in OpenCode's order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.config.opencode import jsonc
from groundwire.config.settings.overlay import merged
from groundwire.errors import SettingsError

if TYPE_CHECKING:
    from groundwire.model import Json

CONFIG_FILE = "OPENCODE_CONFIG"
CONFIG_CONTENT = "OPENCODE_CONFIG_CONTENT"
SEARCH_OPTIONS = ("websearch", "websearch_cited")
"""The options of a provider that are about search; the first that is there counts."""

_NAMES = ("opencode.json", "opencode.jsonc")
_VARIABLE = re.compile(r"\{env:([^}]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What the files say together. `problems` are the files that had to be left out, and why."""

    values: Mapping[str, Json] = field(default_factory=dict, repr=False)
    problems: tuple[SettingsError, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    def search_model(self, provider: str) -> str:
        """Return the model to search with, "" where none is chosen or it is not a text."""
        options = _inside(self.values, "provider", provider, "options")
        for name in SEARCH_OPTIONS:
            model = _inside(options, name).get("model")
            if isinstance(model, str) and model.strip():
                return _VARIABLE.sub(self._variable, model).strip()
        return ""

    def _variable(self, match: re.Match[str]) -> str:
        return self.environment.get(match[1].strip(), "")


def configuration(environment: Mapping[str, str], home: Path, folder: Path) -> Configuration:
    """Return what OpenCode, started in this folder, would be configured to do.

    A file that is not a JSONC object is skipped and listed in `problems`.
    """
    problems: list[SettingsError] = []
    found: list[Mapping[str, Json]] = []
    for where, text in _texts(environment, home, folder, problems):
        try:
            found.append(_object(where, text))
        except SettingsError as problem:
            problems.append(problem)
    values: Mapping[str, Json] = reduce(merged, found, {})
    return Configuration(values=values, problems=tuple(problems), environment=environment)


def _texts(
    environment: Mapping[str, str], home: Path, folder: Path, problems: list[SettingsError]
) -> Iterator[tuple[str, str]]:
    """Yield what there is to read, with its name, the weakest first."""
    for path in _paths(environment, home, folder):
        try:
            yield str(path), path.read_text(encoding="utf-8-sig")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problems.append(SettingsError(str(path), f"cannot be read: {error.strerror}"))
        except UnicodeDecodeError:
            problems.append(SettingsError(str(path), "is not UTF-8 text"))
    if content := environment.get(CONFIG_CONTENT):
        yield CONFIG_CONTENT, content


def _paths(environment: Mapping[str, str], home: Path, folder: Path) -> Iterator[Path]:
    chosen = environment.get("XDG_CONFIG_HOME", "")
    settings = (Path(chosen) if chosen else home / ".config") / "opencode"
    yield from (settings / name for name in ("config.json", *_NAMES))
    if named := environment.get(CONFIG_FILE):
        yield Path(named)
    folders = list(_project_folders(folder))
    for place in ("", ".opencode"):
        yield from (outer / place / name for outer in folders for name in _NAMES)


def _project_folders(folder: Path) -> Iterable[Path]:
    """Return the folders of a project, outermost first; it ends where its repository does."""
    folders = []
    for each in (folder, *folder.parents):
        folders.append(each)
        if (each / ".git").exists():
            break
    return reversed(folders)


def _object(where: str, text: str) -> Mapping[str, Json]:
    try:
        value = jsonc.parse(text)
    except ValueError as error:
        raise SettingsError(where, f"is not valid JSONC: {error}") from error
    if not isinstance(value, dict):
        raise SettingsError(where, "is not a JSON object")
    return value


def _inside(value: Json, *names: str) -> Mapping[str, Json]:
    """Return the object at a place, an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
