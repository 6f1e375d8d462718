"""What a first start puts into an empty library."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

import pytest

from groundwire.errors import ConfigError
from groundwire.library import Adder, Library, reader
from groundwire.service import documentation
from groundwire.service.documentation import (
    ABOUT_THE_PROJECT,
    add_documentation,
    ensure_documents,
)


async def test_pages_about_the_project_itself_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite3"

    await add_documentation({"path": str(path)})

    with Library(path) as library:
        paths = {document.path for document in library.documents()}
    assert {"README.md", "architecture.md", "comparison.md", "questions.md"} <= paths
    assert paths & ABOUT_THE_PROJECT == set()
    assert not [path for path in paths if path.startswith("decisions/")]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two pages, where an installed package has them."""
    folder = tmp_path / "python" / "groundwire" / "documentation"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# Groundwire\n\nIt answers with sources.\n")
    (folder / "web.md").write_text("# The web app\n\nIt listens on port 1000.\n")
    monkeypatch.setattr(documentation, "_PACKAGED", folder)
    return folder


def _texts(path: Path) -> dict[str, str]:
    with Library(path) as library:
        return {one.path: library.text(one).markdown for one in library.documents()}


async def test_pages_that_changed_with_a_new_version_are_read_again(
    installed: Path, tmp_path: Path
) -> None:
    options = {"path": str(tmp_path / "library.sqlite3")}
    await ensure_documents(options)
    (installed / "web.md").write_text("# The web app\n\nIt listens on port 20000.\n")
    (installed / "README.md").unlink()
    (installed / "new.md").write_text("# New\n\nThis came later.\n")

    await ensure_documents(options)

    texts = _texts(tmp_path / "library.sqlite3")
    assert set(texts) == {"web.md", "new.md"}
    assert "20000" in texts["web.md"]


async def test_pages_of_another_installation_make_way_for_ours(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"path": str(tmp_path / "library.sqlite3")}
    await ensure_documents(options)
    other = tmp_path / "newer" / "groundwire" / "documentation"
    shutil.copytree(installed, other)
    shutil.rmtree(installed)
    (other / "web.md").write_text("# The web app\n\nIt listens on port 20000.\n")
    monkeypatch.setattr(documentation, "_PACKAGED", other)

    await ensure_documents(options)

    texts = _texts(tmp_path / "library.sqlite3")
    assert set(texts) == {"README.md", "web.md"}
    assert "20000" in texts["web.md"]


@pytest.mark.usefixtures("installed")
async def test_a_page_that_its_owner_removed_stays_removed(tmp_path: Path) -> None:
    options = {"path": str(tmp_path / "library.sqlite3")}
    await ensure_documents(options)
    with Library(tmp_path / "library.sqlite3", writes=True) as library:
        library.remove([one for one in library.documents() if one.path == "web.md"])

    await ensure_documents(options)

    assert set(_texts(tmp_path / "library.sqlite3")) == {"README.md"}


@pytest.mark.usefixtures("installed")
async def test_a_folder_of_the_same_name_is_not_ours(tmp_path: Path) -> None:
    theirs = tmp_path / "groundwire"
    theirs.mkdir()
    (theirs / "web.md").write_text("# Mine\n\nNotes of my own.\n")
    async with reader() as documents:
        with Library(tmp_path / "library.sqlite3", writes=True) as library:
            await Adder(library, documents).add_folder(theirs)

    await ensure_documents({"path": str(tmp_path / "library.sqlite3")})

    texts = _texts(tmp_path / "library.sqlite3")
    assert set(texts) == {"web.md"}
    assert "Notes of my own." in texts["web.md"]


async def test_older_pages_stay_where_the_library_cannot_be_written(
    installed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    options = {"path": str(tmp_path / "library.sqlite3")}
    await ensure_documents(options)
    os.utime(installed / "web.md", (1, 1))

    async def refuse(_: object) -> None:
        raise ConfigError("the file is read-only")

    monkeypatch.setattr(documentation, "add_documentation", refuse)
    with caplog.at_level(logging.WARNING):
        await ensure_documents(options)

    assert set(_texts(tmp_path / "library.sqlite3")) == {"README.md", "web.md"}
    assert "keeps older pages" in caplog.text
