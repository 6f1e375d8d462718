"""Where OpenCode's credentials are found."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from groundwire.config import opencode
from groundwire.errors import SettingsError
from groundwire.model import Json

RECORD: Json = {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}


def write_table(path: Path, rows: list[tuple[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE credential (id TEXT PRIMARY KEY, integration_id TEXT, label TEXT,"
            " value TEXT)"
        )
        database.executemany(
            "INSERT INTO credential (integration_id, label, value) VALUES (?, '', ?)", rows
        )


def test_nothing_is_found_on_a_fresh_machine(tmp_path: Path) -> None:
    assert opencode.credentials({}, tmp_path) == []


def test_both_layouts_are_read_from_the_home_folder(tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "share" / "opencode"
    write_table(
        folder / "opencode.db",
        [("openai", json.dumps(RECORD)), ("google", "v1.encrypted"), ("xai", "[]")],
    )
    (folder / "auth.json").write_text(json.dumps({"openai": RECORD}), encoding="utf-8")

    assert opencode.credentials({}, tmp_path) == [
        {"openai": RECORD},
        {"integration_id": "openai", "value": RECORD},
    ]


def test_the_data_folder_can_be_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "opencode"
    folder.mkdir(parents=True)
    (folder / "auth.json").write_text('{"openai": {}}', encoding="utf-8")

    environment = {"XDG_DATA_HOME": str(tmp_path / "data")}

    assert opencode.credentials(environment, tmp_path) == [{"openai": {}}]


def test_the_variable_overrides_the_files(tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    (folder / "auth.json").write_text("broken", encoding="utf-8")

    environment = {"OPENCODE_AUTH_CONTENT": '{"openai": {"type": "api"}}'}

    assert opencode.credentials(environment, tmp_path) == [{"openai": {"type": "api"}}]


@pytest.mark.parametrize("text", ['{"openai": {"access": "secret-1"', "[]", ""])
def test_a_broken_file_is_told_by_its_place_and_not_its_content(tmp_path: Path, text: str) -> None:
    folder = tmp_path / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    (folder / "auth.json").write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError, match=r"auth\.json: is not a JSON object") as caught:
        opencode.credentials({}, tmp_path)

    assert "secret-1" not in str(caught.value)


def test_an_older_database_has_no_such_table(tmp_path: Path) -> None:
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session (id TEXT)")

    assert opencode.credentials({}, tmp_path) == []


def test_what_is_no_database_is_told_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 20)

    with pytest.raises(SettingsError, match=r"opencode\.db: cannot be read"):
        opencode.credentials({}, tmp_path)
