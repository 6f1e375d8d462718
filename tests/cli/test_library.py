"""`groundwire library`, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from groundwire.cli.library import library
from groundwire.sandbox import SandboxServer
from tests.library.folders import HERON, OTTER, write

SITE = "https://wiki.example.net/sea-otter"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two documents, and a home of its own for the library."""
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    return write(tmp_path / "notes", {"otter.md": OTTER, "heron.txt": HERON, "x.bin": b"\0"})


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(library, [str(word) for word in words])


def test_a_folder_is_added_listed_searched_and_removed(notes: Path) -> None:
    added = run("add", notes)
    again = run("add", notes)
    listed = run("list")
    documents = run("list", "notes")
    found = run("search", "dense fur")
    removed = run("remove", "notes")
    after = run("search", "dense fur")

    assert added.stdout == "notes: 2 added, 1 other file skipped\n"
    assert again.stdout == "notes: 2 unchanged, 1 other file skipped\n"
    assert listed.stdout == (
        f"collection  documents  passages  from\nnotes       2          3         {notes}\n"
    )
    assert documents.stdout.splitlines()[1:] == [
        "https://library.test/notes/heron.txt  Herons",
        "https://library.test/notes/otter.md   Sea otters",
    ]
    assert found.stdout == (
        "[1] Sea otters\n    https://library.test/notes/otter.md\n    Sea otters › Fur\n"
        "    Fur They have the densest fur of all animals: 150,000 hairs per square centimetre.\n\n"
    )
    assert removed.stdout == "removed 2 documents\n"
    assert (after.exit_code, after.stdout) == (0, "")
    assert after.stderr.startswith("the library has nothing for 'dense fur'")


def test_programs_get_json(notes: Path) -> None:
    added = run("add", notes, "--json", "--base-url", "https://example.org/notes/")
    listed = run("list", "--json")
    found = run("search", "fish", "--json")

    report = json.loads(added.stdout)["sources"][0]
    (collection,) = json.loads(listed.stdout)
    (hit,) = json.loads(found.stdout)
    assert added.stderr == ""
    assert (report["added"], report["skipped"], report["failures"]) == (2, 1, [])
    assert (collection["documents"], collection["base_url"]) == (2, "https://example.org/notes/")
    assert (hit["url"], hit["text"]) == ("https://example.org/notes/heron.txt", HERON.strip())
    assert (hit["start"], hit["end"], hit["headings"]) == (0, len(HERON.strip()), ["Herons"])


def test_a_file_that_is_gone_is_told_and_pruned(notes: Path) -> None:
    run("add", notes)
    (notes / "heron.txt").unlink()

    told, pruned = run("add", notes), run("add", notes, "--prune")

    assert "1 document whose file is gone: see --prune" in told.stderr
    assert "1 removed" in pruned.stdout


def test_a_file_in_a_folder_that_cannot_be_read_is_told_and_no_failure(notes: Path) -> None:
    write(notes, {"empty.md": ""})

    done = run("add", notes)

    assert (done.exit_code, done.stderr) == (0, f"  {notes}/empty.md: the page has no text\n")


def test_what_was_named_and_cannot_be_added_is_a_failure_that_stops_nothing(notes: Path) -> None:
    write(notes, {"empty.md": ""})

    done = run("add", notes / "nowhere", notes / "empty.md", notes / "otter.md")

    assert done.exit_code == 1
    assert "notes: 1 added" in done.stdout
    assert f"{notes}/nowhere is not a file or folder" in done.stderr
    assert f"{notes}/empty.md: the page has no text" in done.stderr


@pytest.mark.usefixtures("notes")
def test_a_page_of_the_web_is_added_by_its_address(
    sandbox: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_READ_PROVIDER", '["library", "jina"]')
    monkeypatch.setenv("GROUNDWIRE_PROVIDERS__JINA__BASE_URL", sandbox.base_url("jina"))

    done = run("add", SITE)
    found = run("search", "hairs", "--json")
    removed = run("remove", f"{SITE}#fur")

    assert done.stdout == "web: 1 added\n"
    assert [hit["url"] for hit in json.loads(found.stdout)] == [SITE]
    assert removed.stdout == "removed 1 document\n"


def test_a_page_that_may_not_be_opened_is_a_failure(notes: Path) -> None:
    done = run("add", "http://127.0.0.1/", notes)

    assert done.exit_code == 1
    assert "notes: 2 added" in done.stdout
    assert "the address 127.0.0.1 is loopback" in done.stderr


def test_single_files_and_folders_are_removed_by_their_path(notes: Path) -> None:
    write(notes, {"birds/gull.md": "Gulls.", "birds/tern.md": "Terns."})
    run("add", notes)

    first, second = run("remove", notes / "birds"), run("remove", notes / "otter.md")

    assert (first.stdout, second.stdout) == ("removed 2 documents\n", "removed 1 document\n")
    assert (notes / "birds/gull.md").exists()


@pytest.mark.parametrize("words", [("list",), ("search", "x"), ("remove", "x"), ("reindex",)])
def test_where_there_is_no_library_it_is_said(notes: Path, words: tuple[str, ...]) -> None:
    done = run(*words)

    assert done.exit_code == 1
    assert "there is no library" in f"{done.stderr}{done.exception}"
    assert not (notes.parent / "home").exists()


def test_what_is_not_there_is_named(notes: Path) -> None:
    run("add", notes)

    removed, listed = run("remove", "notes", "otters"), run("list", "otters")

    assert removed.exit_code == listed.exit_code == 1
    assert "no collection, address or file 'otters': nothing removed" in removed.stderr
    assert "there is no collection 'otters'" in listed.stderr
    assert len(json.loads(run("list", "notes", "--json").stdout)) == 2


def test_a_name_and_an_address_belong_to_one_folder(notes: Path) -> None:
    done = run("add", notes, notes, "--name", "otters")

    assert done.exit_code == 2
    assert "belong to one folder" in done.stderr


def test_the_index_is_chosen_in_the_settings(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("add", notes)
    monkeypatch.setenv("GROUNDWIRE_PROVIDERS__LIBRARY__OPTIONS", '{"index": "fts5"}')

    refused, done, found = run("search", "fish"), run("reindex"), run("search", "fish")

    assert "groundwire library reindex" in str(refused.exception)
    assert done.stdout == "indexed 2 documents\n"
    assert found.stdout.startswith("[1] Herons")
