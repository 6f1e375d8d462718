"""Libraries that stay open between searches, and never say what is no longer so."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.errors import ConfigError
from groundwire.library import INDEXES, Library, OpenLibraries
from tests.library.folders import HERON, OTTER, add, write


def _found(libraries: OpenLibraries, path: Path, query: str) -> list[str]:
    with libraries.borrowed({"path": str(path)}) as library:
        return [hit.document.path for hit in library.search(query)]


@pytest.mark.parametrize("index", INDEXES)
def test_what_was_added_since_is_found(tmp_path: Path, index: str) -> None:
    notes = write(tmp_path / "notes", {"otter.md": OTTER})
    add(tmp_path / "l", notes, index=index)
    libraries = OpenLibraries()

    before = _found(libraries, tmp_path / "l", "heron")
    add(tmp_path / "l", write(notes, {"heron.md": HERON}), index=index)
    after = _found(libraries, tmp_path / "l", "heron")
    libraries.close()

    assert (before, after) == ([], ["heron.md"])


def test_a_library_is_lent_again_and_to_one_borrower_at_a_time(tmp_path: Path) -> None:
    add(tmp_path / "l", write(tmp_path / "notes", {"otter.md": OTTER}))
    libraries, options = OpenLibraries(), {"path": str(tmp_path / "l")}

    with libraries.borrowed(options) as first, libraries.borrowed(options) as second:
        pass
    with libraries.borrowed(options) as again:
        pass
    libraries.close()

    assert first is not second
    assert again in (first, second)


def test_another_file_in_its_place_is_opened(tmp_path: Path) -> None:
    add(tmp_path / "l", write(tmp_path / "notes", {"otter.md": OTTER}))
    add(tmp_path / "other", write(tmp_path / "birds", {"heron.md": HERON}))
    libraries = OpenLibraries()

    before = _found(libraries, tmp_path / "l", "heron")
    (tmp_path / "other").replace(tmp_path / "l")
    after = _found(libraries, tmp_path / "l", "heron")
    libraries.close()

    assert (before, after) == ([], ["heron.md"])


def test_an_index_that_was_made_anew_is_opened(tmp_path: Path) -> None:
    add(tmp_path / "l", write(tmp_path / "notes", {"otter.md": OTTER}), index="fts5")
    libraries = OpenLibraries()

    before = _found(libraries, tmp_path / "l", "otters")
    Library(tmp_path / "l", index="tantivy", writes=True).close()
    after = _found(libraries, tmp_path / "l", "otters")
    libraries.close()

    assert before == after == ["otter.md"]


def test_one_that_is_gone_is_missed(tmp_path: Path) -> None:
    add(tmp_path / "l", write(tmp_path / "notes", {"otter.md": OTTER}))
    libraries = OpenLibraries()
    _found(libraries, tmp_path / "l", "otters")

    (tmp_path / "l").unlink()

    with pytest.raises(ConfigError, match="groundwire library add"):
        _found(libraries, tmp_path / "l", "otters")
    libraries.close()
