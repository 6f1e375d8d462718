"""Where OpenCode keeps credentials, and what it keeps there. Read, never written.

Two layouts are in use: `auth.json`, and the table `credential` of a newer SQLite database.
`OPENCODE_AUTH_CONTENT` holds the JSON of the first and overrides both.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.errors import SettingsError
from groundwire.model import Secret
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundwire.model import Json

AUTH_CONTENT = "OPENCODE_AUTH_CONTENT"

_KEY_TYPES = ("api", "key")  # auth.json's word, and the table's.


def credentials(environment: Mapping[str, str], home: Path) -> list[Json]:
    """Return what OpenCode keeps: the object of `auth.json`, then the rows of the table.

    Each row has `integration_id`, the provider's name, and `value`. Where neither is there, the
    list is empty.

    Raises:
        SettingsError: There is something, but it cannot be read.
    """
    if content := environment.get(AUTH_CONTENT):
        return [_object(content, AUTH_CONTENT)]
    folder = data_folder(environment, home)
    return [*_auth_file(folder / "auth.json"), *_rows(folder / "opencode.db")]


def api_key(records: Sequence[Json], provider: str) -> Secret | None:
    """Return the API key that OpenCode keeps for a provider, None if it keeps none.

    Raises:
        SettingsError: What it keeps cannot be sent as a key.
    """
    for record in _records_of(records, provider):
        key = record.get("key")
        if record.get("type") not in _KEY_TYPES or not isinstance(key, str) or not key.strip():
            continue
        if not all("!" <= character <= "~" for character in key.strip()):
            raise SettingsError(f"OpenCode's key for {provider}", "has a character that no key has")
        return Secret(key.strip())
    return None


def _records_of(records: Sequence[Json], provider: str) -> Iterator[Mapping[str, Json]]:
    for each in records:
        if isinstance(each.get("value"), dict) and "integration_id" in each:
            found = {each["integration_id"]: each["value"]}
        else:
            found = each
        for name, record in found.items():
            if isinstance(record, dict) and str(name).rstrip("/") == provider:
                yield record


def data_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder where OpenCode keeps its data."""
    data = environment.get("XDG_DATA_HOME", "")
    return (Path(data) if data else home / ".local" / "share") / "opencode"


def _auth_file(path: Path) -> list[Json]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"cannot be read: {error}") from error
    return [_object(text, str(path))]


def _object(text: str, where: str) -> Json:
    found = parsed(text)
    if not isinstance(found, dict):
        # The parser's message is not shown: the file holds keys.
        raise SettingsError(where, "is not a JSON object")
    return found


def _rows(path: Path) -> list[Json]:
    """Return the rows of the table; a database without it is an older OpenCode's."""
    if not path.is_file():
        return []
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            # What is no UTF-8 is no JSON either; the library's own error would show the key.
            database.text_factory = bytes
            is_there = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'credential'"
            if database.execute(is_there).fetchone() is None:
                return []
            found = database.execute("SELECT integration_id, value FROM credential").fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"cannot be read: {error}") from error
    return [
        {"integration_id": _name(integration), "value": value}
        for integration, text in found
        if (value := _value(text)) is not None
    ]


def _name(integration: bytes | float | None) -> str:
    if isinstance(integration, bytes):
        return integration.decode("utf-8", "replace")
    return str(integration)


def _value(text: bytes | float | None) -> Json:
    """Return a row's value; None for one in a form that is not JSON, such as an encrypted one."""
    value = parsed(text) if isinstance(text, bytes) else None
    return value if isinstance(value, dict) else None
