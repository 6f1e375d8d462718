"""Adding folders, files and pages, and adding them again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.errors import SettingsError
from groundwire.library import AddFailure, Library, Report
from groundwire.library.folder import walk
from groundwire.model import Page
from tests.forked import python
from tests.library.folders import HERON, OTTER, add, adding, urls, write

NOTES = "https://library.test/notes/"
HTML = """<html><head><title>Fur</title></head><body><main><h1>Fur</h1>
<p>Sea otters have the densest fur of all animals, see <a href="heron.html">herons</a>.</p>
<p>They groom it for hours every day, because it keeps them warm and dry.</p></main></body></html>
"""
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R
/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 58>>stream
BT /F 12 Tf 20 50 Td (The walrus reads a printed page.) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
"""
# Adds a folder and says how far it is; it goes on until it is killed or done.
ADDS = """
import asyncio, sys
from pathlib import Path
from tests.library.folders import adding

async def main():
    progress = lambda done, total: print(done, flush=True)
    async with adding(Path(sys.argv[1]), index=sys.argv[3], progress=progress) as (adder, _):
        await adder.add_folder(Path(sys.argv[2]))

asyncio.run(main())
"""


def test_html_markdown_text_and_pdf_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.html": HTML, "b.md": OTTER, "c.txt": HERON})
    write(folder, {"d.PDF": PDF, "e.png": b"\x89PNG"})

    report = add(tmp_path / "l", folder)

    assert report == Report(collection="notes", added=4, skipped=1)
    assert urls(tmp_path / "l", "walrus printed") == [f"{NOTES}d.PDF"]
    assert urls(tmp_path / "l", "groom hours") == [f"{NOTES}a.html"]
    with Library(tmp_path / "l") as library:
        page = library.read(f"{NOTES}a.html")
    assert page is not None
    assert f"[herons]({NOTES}heron.html)" in page.content


def test_what_is_unchanged_is_not_read_again(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": OTTER, "b.md": HERON, "c.md": "Newts."})
    add(tmp_path / "l", folder)
    write(folder, {"a.md": OTTER, "b.md": "Herons fly.", "d.md": "Toads."})
    os.utime(folder / "a.md", (10**9, 10**9))

    report = add(tmp_path / "l", folder)

    assert report == Report(collection="notes", added=1, updated=1, unchanged=2)
    assert urls(tmp_path / "l", "fish") == []
    assert urls(tmp_path / "l", "fly") == [f"{NOTES}b.md"]
    with Library(tmp_path / "l") as library:
        otter = library.document(f"{NOTES}a.md")
    assert otter is not None
    assert otter.date is not None
    assert otter.date.timestamp() == 10**9


def test_files_that_are_gone_are_told_and_removed_when_asked(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": OTTER, "b.md": HERON})
    add(tmp_path / "l", folder)
    (folder / "b.md").unlink()

    told = add(tmp_path / "l", folder)
    before = urls(tmp_path / "l", "fish")
    removed = add(tmp_path / "l", folder, prune=True)

    assert told == Report(collection="notes", unchanged=1, missing=("b.md",))
    assert before == [f"{NOTES}b.md"]
    assert removed == replace(told, removed=1)
    assert urls(tmp_path / "l", "fish") == []


def test_pruning_a_folder_inside_leaves_what_is_outside_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": OTTER, "birds/b.md": HERON, "birds/c.md": "Gulls."})
    add(tmp_path / "l", folder)
    (folder / "a.md").unlink()
    (folder / "birds/c.md").unlink()

    report = add(tmp_path / "l", folder / "birds", prune=True)

    assert report == Report(collection="notes", unchanged=1, removed=1, missing=("birds/c.md",))


def test_what_cannot_be_read_is_told_and_stops_nothing(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "notes",
        {"a.md": b"\x00\x01\x02" * 900, "b.txt": "", "c.pdf": b"%PDF-1.4 broken", "d.md": HERON},
    )
    (folder / "huge.txt").touch()
    os.truncate(folder / "huge.txt", 50_000_001)

    report = add(tmp_path / "l", folder)

    assert (report.added, [Path(one.source).name for one in report.failures]) == (
        1,
        ["a.md", "b.txt", "c.pdf", "huge.txt"],
    )
    assert report.failures[1].reason == "the page has no text"
    assert report.failures[3].reason == "it is over the limit of 50,000,000 bytes"


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": HERON})
    (folder / os.fsdecode(b"\xff.md")).write_text(OTTER)

    report = add(tmp_path / "l", folder)

    assert report == Report(
        collection="notes",
        added=1,
        failures=(AddFailure(source=r"'\udcff.md'", reason="its name is not UTF-8"),),
    )


def test_links_are_followed_inside_the_folder_and_loops_end(tmp_path: Path) -> None:
    write(tmp_path / "outside", {"secret.md": OTTER})
    folder = write(tmp_path / "notes", {"deep/a.md": HERON})
    (folder / "loop").symlink_to(folder)
    (folder / "deep/up").symlink_to("..")
    (folder / "again.md").symlink_to("deep/a.md")
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (folder / "broken.md").symlink_to("nowhere.md")

    found = walk(folder)

    assert found.files == [folder / "deep/a.md"]
    assert found.skipped == 2
    assert [(path.name, reason) for path, reason in found.unreadable] == [
        ("broken.md", "no such file or directory")
    ]


def test_hidden_files_and_what_belongs_to_pages_are_left_out(tmp_path: Path) -> None:
    names = [".git/a.md", "_sources/a.rst.txt", "a.html", "a.txt", "b.txt", "c.html.txt", "d.py"]
    folder = write(tmp_path / "notes", dict.fromkeys(names, HERON))

    found = walk(folder)

    assert [path.name for path in found.files] == ["a.html", "b.txt", "c.html.txt"]


def test_a_published_folder_is_cited_where_it_is_published(tmp_path: Path) -> None:
    folder = write(tmp_path / "html", {"library/a.md": OTTER})

    add(tmp_path / "l", folder, base_url="https://docs.example.org/3")

    assert urls(tmp_path / "l", "otters") == ["https://docs.example.org/3/library/a.md"]


def test_a_new_address_of_a_folder_changes_that_of_its_documents(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": OTTER})
    add(tmp_path / "l", folder)

    report = add(tmp_path / "l", folder, base_url="https://docs.example.org/")

    assert report == Report(collection="notes", unchanged=1)
    assert urls(tmp_path / "l", "otters") == ["https://docs.example.org/a.md"]


@pytest.mark.parametrize(
    ("base_url", "reason"),
    [
        ("https://example.org/?a=b", "no ? and no #"),
        ("ftp://example.org/", "only http and https"),
        ("http://localhost/", "not on the public web"),
    ],
)
def test_an_address_that_nobody_could_open_is_refused(
    tmp_path: Path, base_url: str, reason: str
) -> None:
    with pytest.raises(SettingsError, match=reason.replace("?", r"\?")):
        add(tmp_path / "l", write(tmp_path / "notes", {"a.md": OTTER}), base_url=base_url)


def test_folders_of_one_name_become_different_collections(tmp_path: Path) -> None:
    reports = [
        add(tmp_path / "l", write(tmp_path / name / "html", {"a.md": f"{name} otter"}))
        for name in ("one", "two", "one")
    ]

    assert [report.collection for report in reports] == ["html", "two-html", "html"]
    assert sorted(urls(tmp_path / "l", "otter")) == [
        "https://library.test/html/a.md",
        "https://library.test/two-html/a.md",
    ]


def test_a_name_can_be_chosen_once(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"a.md": OTTER})
    two = write(tmp_path / "two", {"a.md": OTTER})
    add(tmp_path / "l", one, name="otters")

    with pytest.raises(SettingsError, match="there is a collection 'otters' already"):
        add(tmp_path / "l", two, name="otters")
    with pytest.raises(SettingsError, match="is the collection 'otters' already"):
        add(tmp_path / "l", one, name="others")
    with pytest.raises(SettingsError, match="cannot name a collection"):
        add(tmp_path / "l", two, name="../x")


async def test_a_file_belongs_to_the_collection_of_its_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": OTTER, "birds/b.weird": HERON})

    async with adding(tmp_path / "l") as (adder, library):
        await adder.add_folder(folder)
        report = await adder.add_file(folder / "birds/b.weird")
        again = await adder.add_folder(folder, prune=True)
        found = [document.url for document in library.documents("notes")]

    assert report == Report(collection="notes", added=1)
    assert (again.removed, found) == (0, [f"{NOTES}a.md", f"{NOTES}birds/b.weird"])


async def test_a_page_keeps_its_address(tmp_path: Path) -> None:
    page = Page(url="https://example.org/otter?x=1", title="Otter", content="Otters hold hands.")
    other = replace(page, content="Otters let go.")

    async with adding(tmp_path / "l") as (adder, library):
        reports = [await adder.add_page(one) for one in (page, page, other)]
        kept = library.read("https://example.org/otter?x=1")

    assert reports == [
        Report(collection="web", added=1),
        Report(collection="web", unchanged=1),
        Report(collection="web", updated=1),
    ]
    assert kept == replace(other, original_length=14)


async def test_progress_is_told_file_by_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.md": OTTER, "b.md": HERON, "c.txt": ""})
    seen: list[tuple[int, int]] = []

    async with adding(tmp_path / "l", progress=lambda *step: seen.append(step)) as (adder, _):
        await adder.add_folder(folder)

    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("index", ["fts5", "tantivy"])
def test_killed_in_the_middle_it_goes_on_where_it_was(tmp_path: Path, index: str) -> None:
    files = {f"{number:04}.md": f"# Otter {number}\n\nIt swims." for number in range(400)}
    folder = write(tmp_path / "notes", files)
    words = [sys.executable, "-c", ADDS, str(tmp_path / "l"), str(folder), index]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 200:
                break
        os.kill(process.pid, signal.SIGKILL)

    report = add(tmp_path / "l", folder, index=index)

    assert report.unchanged >= 128
    assert report.added == 400 - report.unchanged
    assert len(urls(tmp_path / "l", "otter swims", index=index, limit=500)) == 400


def test_two_may_add_at_once(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {f"{number}.md": f"Otter {number}" for number in range(100)})
    two = write(tmp_path / "two", {f"{number}.md": f"Otter {number}" for number in range(100)})
    words = python("-c", ADDS, str(tmp_path / "l"))
    others = [subprocess.Popen([*words, str(folder), "fts5"]) for folder in (one, two, one)]

    codes = [process.wait() for process in others]

    assert codes == [0, 0, 0]
    assert len(urls(tmp_path / "l", "otter", limit=500)) == 200
