"""Folders of ours: nobody else can look into them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from groundwire.cache.sqlite import SqliteCache
from groundwire.config.keys import Keys
from groundwire.config.settings.editor import change
from groundwire.library import Library
from groundwire.model import Secret
from groundwire.store import Store
from groundwire.system.files import home, private_folder
from tests.config.keys.keyrings import NoKeyring, use
from tests.config.keys.machine import posix_only


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


async def _settings(folder: Path) -> None:
    change({"search_provider": "tavily"}, {"GROUNDWIRE_HOME": str(folder)})


async def _keys(folder: Path) -> None:
    use(NoKeyring())
    keys = Keys(environment={"GROUNDWIRE_HOME": str(folder)}, dotenv=folder / ".env")
    keys.save("TAVILY_API_KEY", Secret("k"))


async def _cache(folder: Path) -> None:
    cache = SqliteCache(folder / "cache.sqlite3", max_entries=9, max_bytes=9_999)
    await cache.put("a", b"b")
    await cache.close()


async def _library(folder: Path) -> None:
    with Library(folder / "library.sqlite3", writes=True):
        pass


async def _store(folder: Path) -> None:
    async with await Store.open(f"sqlite:///{folder / 'groundwire.sqlite3'}"):
        pass


WRITERS = {
    "settings": _settings,
    "keys": _keys,
    "cache": _cache,
    "library": _library,
    "store": _store,
}


@posix_only
@pytest.mark.parametrize("who", [*WRITERS])
async def test_whoever_writes_first_makes_a_folder_that_is_its_owners_alone(
    who: str, tmp_path: Path
) -> None:
    folder = tmp_path / "above" / "groundwire"

    await WRITERS[who](folder)

    assert [mode(folder), mode(folder.parent)] == ["0o700", "0o700"]
    # A folder within, such as an index has, hides its own files.
    assert {mode(path) for path in folder.iterdir() if path.is_file()} == {"0o600"}
    assert {mode(path) for path in folder.iterdir() if path.is_dir()} <= {"0o700"}


@posix_only
def test_a_folder_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    private_folder(tmp_path)

    assert mode(tmp_path) == "0o755"


@posix_only
def test_our_own_folder_that_was_open_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = home({})
    folder.mkdir(parents=True, mode=0o755)
    folder.chmod(0o755)

    private_folder(folder)

    assert mode(folder) == "0o700"
