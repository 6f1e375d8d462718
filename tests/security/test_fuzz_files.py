"""Files that strangers or editors wrote: OpenCode's, keys, settings, and a library's folder."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from groundwire.config import opencode
from groundwire.config.keys.key_file import KeyFile
from groundwire.config.settings import load
from groundwire.config.settings.editor import change
from groundwire.errors import ConfigError, GroundwireError, SettingsError
from groundwire.library import open_library
from groundwire.library.adder import Adder, reader
from groundwire.model import Json
from groundwire.providers.codex import provider as codex
from tests.security.fuzzing import (
    PLANTED,
    chances,
    damaged,
    distorted,
    fuzz,
    one_of,
    our_errors_only,
    written,
)

AUTH: Json = {
    "google": {"type": "api", "key": PLANTED},
    "openai": {
        "type": "oauth",
        "access": f"eyJhbGciOiJub25l.{PLANTED}.x",
        "refresh": PLANTED,
        "expires": 1_900_000_000_000,
        "accountId": "account",
    },
}
CONFIGURATION: Json = {
    "provider": {"google": {"options": {"websearch": {"model": "google/{env:MODEL}"}}}},
    "plugin": ["a"],
}
SETTINGS = b"""
search_provider = ["searxng", "tavily"]
max_page_length = 20000
[network]
retries = 1
page_ports = [80, 443]
[providers.searxng]
base_url = "http://127.0.0.1:8888"
[chat.prices."a-model"]
input_usd = 1.5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def use_of(records: list[Json]) -> None:
    """Take what OpenCode keeps as the program does; a key may come out, never an odd error."""
    with suppress(ConfigError):
        opencode.api_key(records, "google")
    with suppress(ConfigError):
        codex.session_access(records, datetime.now(UTC))


@fuzz(60, chance=chances)
def test_a_distorted_file_of_opencodes_keys_is_used_or_refused(
    folder: Path, chance: Random
) -> None:
    place = folder / "share" / "opencode"
    place.mkdir(parents=True, exist_ok=True)
    (place / "auth.json").write_bytes(written(distorted(AUTH, chance), chance))

    with our_errors_only():
        use_of(opencode.credentials({"XDG_DATA_HOME": str(folder / "share")}, folder))


@fuzz(20, chance=chances)
def test_a_distorted_database_of_opencode_is_used_or_refused(folder: Path, chance: Random) -> None:
    place = folder / "rows" / "opencode"
    place.mkdir(parents=True, exist_ok=True)
    path = place / "opencode.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("CREATE TABLE credential (integration_id, value)")
        for name, value in AUTH.items():
            row = (
                chance.choice((name, 7, None, b"\xff")),
                written(distorted(value, chance), chance),
            )
            database.execute("INSERT INTO credential VALUES (?, CAST(? AS TEXT))", row)
        database.commit()
    if chance.random() < 0.5:
        path.write_bytes(damaged(path.read_bytes(), chance))

    with our_errors_only():
        use_of(opencode.credentials({"XDG_DATA_HOME": str(folder / "rows")}, folder))


@fuzz(60, chance=chances)
def test_a_distorted_configuration_of_opencode_is_used_or_told_of(
    folder: Path, chance: Random
) -> None:
    (folder / "opencode.jsonc").write_bytes(
        b"// one\n" + written(distorted(CONFIGURATION, chance), chance)[:-1] + b", /* */ }"
    )
    environment = {"XDG_CONFIG_HOME": "/nonexistent", "MODEL": "m"}

    found = opencode.configuration(environment, Path("/nonexistent"), folder)

    assert isinstance(found.search_model("google"), str)
    assert all(isinstance(problem, SettingsError) for problem in found.problems)


@fuzz(60, chance=chances)
def test_a_damaged_file_of_keys_is_read_or_refused_without_its_keys(
    folder: Path, chance: Random
) -> None:
    path = folder / "keys.json"
    path.write_bytes(written(distorted({"TAVILY_API_KEY": PLANTED, "B": "c"}, chance), chance))
    path.chmod(0o600)

    with our_errors_only():
        found = KeyFile(path).read()
        assert all(isinstance(key, str) for pair in found.items() for key in pair)


@fuzz(40, chance=chances)
def test_damaged_settings_are_used_or_refused(folder: Path, chance: Random) -> None:
    path = folder / "config.toml"
    path.write_bytes(damaged(SETTINGS, chance))

    with suppress(SettingsError):
        load(path, {})


@fuzz(40, chance=chances)
def test_damaged_settings_are_changed_or_left_as_they_are(folder: Path, chance: Random) -> None:
    path = folder / "changed.toml"
    before = damaged(SETTINGS, chance)
    path.write_bytes(before)

    try:
        change({"search_provider": ["tavily"]}, {"GROUNDWIRE_CONFIG": str(path)})
    except SettingsError:
        assert path.read_bytes() == before


@fuzz(40, chance=chances)
def test_distorted_variables_are_settings_or_refused(chance: Random) -> None:
    value = written(distorted([80, {"a": 1}], chance), chance).decode("utf-8", "surrogateescape")
    name = chance.choice(("NETWORK__PAGE_PORTS", "SEARCH_PROVIDER", "CHAT__PRICES", "PROVIDERS"))

    with suppress(SettingsError):
        load(Path("/dev/null"), {f"GROUNDWIRE_{name}": value.replace("\0", "")})


async def test_a_folder_of_damaged_documents_is_added_as_far_as_it_can_be_read(
    tmp_path: Path,
) -> None:
    chance = Random(9)
    whole = (b"# Otters\n\nhold hands", b"<h1>Otters</h1><p>hands", b'{"a": 1}', b"%PDF-1.4\n")
    endings = ("md", "html", "json", "pdf", "txt", "xml")
    place = tmp_path / "documents"
    place.mkdir()
    for number in range(60):
        body = damaged(one_of(whole, chance), chance)
        (place / f"{number}.{one_of(endings, chance)}").write_bytes(body)

    with open_library({"path": str(tmp_path / "library.sqlite3")}, writes=True) as library:
        async with reader() as documents:
            report = await Adder(library, documents).add_folder(place)

    told = report.added + report.unchanged + len(report.failures) + report.skipped
    assert (told, report.added > 20) == (60, True)


def test_what_is_nested_without_end_is_refused_as_no_json(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text("[" * 100_000)
    path.chmod(0o600)

    with pytest.raises(GroundwireError, match="is not a file of keys"):
        KeyFile(path).read()
    with pytest.raises(SettingsError, match="is not a JSON object"):
        opencode.credentials({opencode.AUTH_CONTENT: "[" * 100_000}, tmp_path)


def test_a_row_whose_value_is_nested_without_end_is_left_out(tmp_path: Path) -> None:
    place = tmp_path / "opencode"
    place.mkdir()
    with closing(sqlite3.connect(place / "opencode.db")) as database:
        database.execute("CREATE TABLE credential (integration_id, value)")
        database.execute("INSERT INTO credential VALUES ('a', ?)", ["[" * 100_000])
        database.execute("INSERT INTO credential VALUES ('b', ?)", [json.dumps({"type": "api"})])
        database.commit()

    found = opencode.credentials({"XDG_DATA_HOME": str(tmp_path)}, tmp_path)

    assert found == [{"integration_id": "b", "value": {"type": "api"}}]


def test_settings_nested_without_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"search_provider = {'[' * 5_000}")

    with pytest.raises(SettingsError, match="nested too deeply"):
        load(path, {})
    with pytest.raises(SettingsError, match="nested more than"):
        change({"max_page_length": 7}, {"GROUNDWIRE_CONFIG": str(path)})
    for name in ("NETWORK__PAGE_PORTS", "SEARCH_PROVIDER"):
        with pytest.raises(SettingsError, match="nested too deeply"):
            load(Path("/dev/null"), {f"GROUNDWIRE_{name}": "[" * 100_000})


def test_a_number_of_thousands_of_digits_in_settings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"max_page_length = {'9' * 5_000}")

    with pytest.raises(SettingsError, match="not valid TOML"):
        load(path, {})


def test_a_row_that_is_no_utf8_is_left_out_and_its_key_is_not_told(tmp_path: Path) -> None:
    place = tmp_path / "opencode"
    place.mkdir()
    broken = b'{"type": "api", "key": "' + PLANTED.encode() + b'\xff"}'
    with closing(sqlite3.connect(place / "opencode.db")) as database:
        database.execute("CREATE TABLE credential (integration_id, value)")
        database.execute("INSERT INTO credential VALUES ('a', CAST(? AS TEXT))", [broken])
        database.commit()

    assert opencode.credentials({"XDG_DATA_HOME": str(tmp_path)}, tmp_path) == []
