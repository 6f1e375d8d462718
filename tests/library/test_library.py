"""A library of real files: what is found, read and removed, with either index."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from groundwire.errors import ConfigError, SettingsError
from groundwire.library import INDEXES, Library, OpenLibraries
from groundwire.library.model import Document, DocumentText, page_of
from groundwire.library.store import connect
from groundwire.model import Page, PageMetadata
from tests.library.folders import HERON, OTTER, add, urls, write

NOTES = "https://library.test/notes/"
HOSTILE = (
    '"',
    "'; DROP TABLE documents; --",
    "zebra AND",
    "NOT",
    "NEAR(otter, 3)",
    "title:otter",
    "otter*",
    "^otter",
    "{title body}: otter",
    "-otter",
    "(((((",
    "otter\x00hands",
    "🦦🦦",
    "\ud83e",
    "%_\\",
    "otter " * 2_000,
    "x" * 10_000,
    " ".join(f"({number} OR" for number in range(2_000)),
)

each_index = pytest.mark.parametrize("index", ["fts5", "tantivy"])


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", {"otter.md": OTTER, "birds/heron.txt": HERON})


@each_index
def test_the_best_passage_of_each_document_is_found_with_its_place(
    tmp_path: Path, notes: Path, index: str
) -> None:
    add(tmp_path / "l", notes, index=index)

    with Library(tmp_path / "l", index=index) as library:
        (hit,) = library.search("dense hairs")
        text = library.text(hit.document)

    assert (hit.document.url, hit.document.title) == (f"{NOTES}otter.md", "Sea otters")
    assert hit.passage.headings == ("Sea otters", "Fur")
    assert hit.text == text.markdown[hit.passage.start : hit.passage.end]
    assert hit.text.startswith("## Fur\n\nThey have the densest fur")
    assert hit.snippet.startswith("Fur They have the densest fur")


@each_index
def test_every_passage_is_found_by_what_its_document_first_says(tmp_path: Path, index: str) -> None:
    # The title has none of the words in which people ask, and the options are another passage.
    moved = "# mv(1)\n\nMove or rename a document.\n\n## Options\n\n`--force` does it anyway."
    other = "# Force\n\nWith force and again force."
    folder = write(tmp_path / "notes", {"mv.md": moved, "other.md": other})
    add(tmp_path / "l", folder, index=index)

    with Library(tmp_path / "l", index=index) as library:
        first, *_ = library.search("rename force")

    assert first.document.url == f"{NOTES}mv.md"
    assert first.passage.headings == ("mv(1)", "Options")


@each_index
def test_documents_with_all_words_come_before_those_with_any(tmp_path: Path, index: str) -> None:
    # The rare word again and again would win if only the words that are there were weighed.
    often = "# Pump\n\n" + "pump " * 30
    once = "Of other things. " * 40 + "Reset the pump. " + "Of other things. " * 40
    common = {f"{number}.md": "Reset it. Of other things." for number in range(12)}
    folder = write(tmp_path / "notes", {"often.md": often, "once.md": once, **common})
    add(tmp_path / "l", folder, index=index)

    with Library(tmp_path / "l", index=index) as library:
        found = [hit.document.url for hit in library.search("reset pump", limit=3)]

    assert found[:2] == [f"{NOTES}once.md", f"{NOTES}often.md"]


@each_index
def test_stems_and_accents_make_no_difference(tmp_path: Path, index: str) -> None:
    folder = write(tmp_path / "notes", {"a.md": "Otters were swimming near the café."})
    add(tmp_path / "l", folder, index=index)

    for query in ("otter", "swims", "cafe", "CAFÉ", "swimming otters?"):
        assert urls(tmp_path / "l", query, index=index) == [f"{NOTES}a.md"]


@each_index
def test_words_with_signs_between_them_are_looked_for_in_a_row(tmp_path: Path, index: str) -> None:
    files = {"a.md": "Call asyncio.run(main) once.", "b.md": "You can run asyncio as you like."}
    add(tmp_path / "l", write(tmp_path / "notes", files), index=index)

    found = urls(tmp_path / "l", "asyncio.run", index=index)

    assert found[0] == f"{NOTES}a.md"


@each_index
def test_equals_come_in_the_order_in_which_they_were_added(tmp_path: Path, index: str) -> None:
    files = {f"{number:03}.md": "Otters hold hands." for number in range(150)}
    add(tmp_path / "l", write(tmp_path / "notes", files), index=index)

    found = urls(tmp_path / "l", "otters", index=index, limit=150)

    assert found == [f"{NOTES}{name}" for name in files]


@each_index
def test_whatever_a_query_says_it_is_words(tmp_path: Path, notes: Path, index: str) -> None:
    add(tmp_path / "l", notes, index=index)

    found = {query: urls(tmp_path / "l", query, index=index) for query in HOSTILE}

    assert found == {query: [f"{NOTES}otter.md"] * ("otter" in query) for query in HOSTILE}


@each_index
def test_an_empty_library_finds_nothing(tmp_path: Path, index: str) -> None:
    Library(tmp_path / "l", index=index, writes=True).close()

    assert urls(tmp_path / "l", "otter", index=index) == []


@each_index
def test_what_is_removed_is_found_no_more_and_the_rest_stays(
    tmp_path: Path, notes: Path, index: str
) -> None:
    add(tmp_path / "l", notes, index=index)

    with Library(tmp_path / "l", index=index, writes=True) as library:
        library.remove([one for one in library.documents() if one.path == "otter.md"])

    assert urls(tmp_path / "l", "otter hairs", index=index) == []
    assert urls(tmp_path / "l", "fish", index=index) == [f"{NOTES}birds/heron.txt"]


def test_the_index_of_sqlite_is_whole_after_changes_and_removals(
    tmp_path: Path, notes: Path
) -> None:
    add(tmp_path / "l", notes)
    write(notes, {"otter.md": OTTER.replace("Fur", "Hair")})
    add(tmp_path / "l", notes)

    with Library(tmp_path / "l", writes=True) as library:
        library.remove(library.documents())

    with sqlite3.connect(tmp_path / "l") as connection:
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(words, row)")
        assert connection.execute("SELECT term FROM terms").fetchall() == []
        assert connection.execute("SELECT count(*) FROM parts").fetchone() == (0,)
    connection.close()


@each_index
def test_dates_and_domains_are_filters(tmp_path: Path, notes: Path, index: str) -> None:
    os.utime(notes / "otter.md", (0, 0))
    write(tmp_path / "site", {"otter.md": "Otters on the web."})
    add(tmp_path / "l", notes, index=index)
    add(tmp_path / "l", tmp_path / "site", index=index, base_url="https://a.example.org/docs")

    with Library(tmp_path / "l", index=index) as library:
        recent = library.search("otters", since=datetime(2020, 1, 1, tzinfo=UTC))
        local = library.search("otters", domains=("library.test",))
        wider = library.search("otters", domains=("example.org",))
        none = library.search("otters", domains=("ple.org",))

    published = "https://a.example.org/docs/otter.md"
    assert [hit.document.url for hit in recent] == [published]
    assert [hit.document.url for hit in local] == [f"{NOTES}otter.md"]
    assert [hit.document.url for hit in wider] == [published]
    assert none == []


PAGE = """<html lang=en><head><title>Fur</title><meta name=author content="Ada Marsh">
<meta property="article:published_time" content="2026-03-02"></head><body><article><h1>Fur</h1>
<p>Sea otters have the densest fur of all animals, and they keep it clean all day long.</p>
</article></body></html>"""


def test_what_a_document_says_of_itself_is_kept_with_it_and_goes_with_it(tmp_path: Path) -> None:
    notes, path = write(tmp_path / "notes", {"fur.html": PAGE, "otter.md": OTTER}), tmp_path / "l"
    add(path, notes)

    with Library(path, writes=True) as library:
        page, other = (library.read(f"{NOTES}{name}") for name in ("fur.html", "otter.md"))
        library.remove(library.documents())

    assert page is not None
    assert other is not None
    assert page.metadata == PageMetadata(
        authors=("Ada Marsh",), published="2026-03-02", language="en"
    )
    assert other.metadata == PageMetadata()
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM about").fetchone() == (0,)


def test_a_library_from_before_metadata_was_kept_is_read(tmp_path: Path, notes: Path) -> None:
    path = tmp_path / "l"
    add(path, notes)
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TABLE about")

    with Library(path) as library:
        page = library.read(f"{NOTES}otter.md")

    assert page is not None
    assert page.metadata == PageMetadata()


def test_a_document_is_read_at_any_spelling_of_its_address(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a b/ötter#1.md": OTTER})
    add(tmp_path / "l", folder)
    url = f"{NOTES}a%20b/%C3%B6tter%231.md"

    with Library(tmp_path / "l") as library:
        page = library.read("http://LIBRARY.test/notes/a%20b/ötter%231.md?utm_source=x#fur")
        document = library.document(url)

    said = OTTER.strip()
    assert page == Page(url=url, title="Sea otters", content=said, original_length=len(said))
    assert document is not None
    assert (document.collection, document.path) == ("notes", "a b/ötter#1.md")


@pytest.mark.parametrize(("name", "pages"), [("a.PDF", 3), ("b.pptx", 3), ("c.md", None)])
def test_a_document_with_pages_says_how_many_there_are(name: str, pages: int | None) -> None:
    document = Document(collection="notes", path=name, url=f"{NOTES}{name}")
    text = DocumentText(markdown="One.\n\n---\n\nTwo.\n\n---\n\nThree.")

    assert page_of(document, text).metadata.pages == pages


def test_an_index_of_an_earlier_version_is_made_anew_by_whoever_reads(
    tmp_path: Path, notes: Path
) -> None:
    add(tmp_path / "l", notes)
    with closing(sqlite3.connect(tmp_path / "l")) as connection, connection:
        connection.execute("UPDATE facts SET value = 'fts5/1' WHERE name = 'index'")

    assert urls(tmp_path / "l", "otters") == [f"{NOTES}otter.md"]


def test_what_is_not_there_is_none(tmp_path: Path, notes: Path) -> None:
    add(tmp_path / "l", notes)

    with Library(tmp_path / "l") as library:
        assert library.read(f"{NOTES}nothing.md") is None
        assert library.read("no address") is None


def test_a_long_document_is_kept_to_the_letter(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"## Part {n}\n\n{'Otters 🦦 hold hands. ' * 30}".strip() for n in range(200)
    )
    add(tmp_path / "l", write(tmp_path / "notes", {"long.md": text}))

    with Library(tmp_path / "l") as library:
        (hit,) = library.search("part 150")
        kept = library.text(hit.document)

    assert kept.markdown == text
    assert (hit.passage.headings, hit.passage.ordinal) == (("Part 150",), 150)
    assert hit.text == text[hit.passage.start : hit.passage.end]


def test_another_index_is_asked_for_and_made(tmp_path: Path, notes: Path) -> None:
    add(tmp_path / "l", notes)

    with pytest.raises(ConfigError, match="groundwire library reindex"):
        Library(tmp_path / "l", index="tantivy")
    Library(tmp_path / "l", index="tantivy", writes=True).close()
    with_tantivy = urls(tmp_path / "l", "otters", index="tantivy")
    Library(tmp_path / "l", index="fts5", writes=True).close()

    assert with_tantivy == urls(tmp_path / "l", "otters") == [f"{NOTES}otter.md"]


@pytest.mark.parametrize("index", INDEXES)
def test_a_library_keeps_the_index_that_it_has(tmp_path: Path, notes: Path, index: str) -> None:
    add(tmp_path / "l", notes, index=index)

    add(tmp_path / "l", notes, index="")

    with sqlite3.connect(tmp_path / "l") as connection:
        ((form,),) = connection.execute("SELECT value FROM facts WHERE name = 'index'")
    connection.close()
    assert form.startswith(f"{index}/")
    assert urls(tmp_path / "l", "otters", index="") == [f"{NOTES}otter.md"]


def test_a_new_library_has_the_best_index_that_is_installed(tmp_path: Path, notes: Path) -> None:
    add(tmp_path / "l", notes, index="")

    assert urls(tmp_path / "l", "otters", index=INDEXES[0]) == [f"{NOTES}otter.md"]


def test_a_word_of_the_title_counts_more_than_one_of_the_text(tmp_path: Path) -> None:
    files = {
        "a.md": "# Rivers\n\nA heron stands in the water of the river.",
        "b.md": "# Heron\n\nIt stands in the water of the river, alone.",
    }
    add(tmp_path / "l", write(tmp_path / "notes", files), index="tantivy")

    assert urls(tmp_path / "l", "heron water", index="tantivy")[0] == f"{NOTES}b.md"


def test_what_tantivy_had_not_written_yet_is_indexed_by_the_next(
    tmp_path: Path, notes: Path
) -> None:
    add(tmp_path / "l", notes, index="tantivy")
    with sqlite3.connect(tmp_path / "l") as connection:
        connection.execute("UPDATE documents SET is_indexed = 0")
    connection.close()

    Library(tmp_path / "l", index="tantivy", writes=True).close()

    assert urls(tmp_path / "l", "otters", index="tantivy") == [f"{NOTES}otter.md"]


def test_an_index_that_there_is_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'lucene' is none of tantivy and fts5"):
        Library(tmp_path / "l", index="lucene", writes=True)


def test_where_there_is_no_library_it_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="groundwire library add"):
        Library(tmp_path / "l")


@pytest.mark.parametrize("writes", [True, False])
def test_a_file_that_is_no_library_is_left_alone(tmp_path: Path, writes: bool) -> None:
    other = tmp_path / "other.sqlite3"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    (tmp_path / "text").write_text("Not a database at all, but long enough to be one." * 100)

    with pytest.raises(ConfigError, match="is not a library"):
        Library(other, writes=writes)
    with pytest.raises(ConfigError, match="cannot be opened"):
        Library(tmp_path / "text", writes=writes)


def test_a_library_of_a_later_form_is_left_alone(tmp_path: Path) -> None:
    Library(tmp_path / "l", writes=True).close()
    with sqlite3.connect(tmp_path / "l") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(ConfigError, match="later version"):
        Library(tmp_path / "l", writes=True)


def test_only_its_owner_may_read_the_file(tmp_path: Path) -> None:
    Library(tmp_path / "l", writes=True).close()

    assert (tmp_path / "l").stat().st_mode & 0o077 == 0


@each_index
def test_others_search_while_documents_are_added(tmp_path: Path, index: str) -> None:
    add(tmp_path / "l", write(tmp_path / "notes", {"a.md": OTTER}), index=index)
    files = {f"{number}.md": f"Otter number {number}." for number in range(300)}
    write(tmp_path / "notes", files)
    problems: list[BaseException] = []
    rounds = 0
    is_done = threading.Event()

    def search() -> None:
        nonlocal rounds
        while not (is_done.is_set() and rounds):
            try:
                assert f"{NOTES}a.md" in urls(tmp_path / "l", "hairs otter", index=index, limit=400)
            except BaseException as error:  # noqa: BLE001 - told to the test
                problems.append(error)
                return
            rounds += 1

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    report = add(tmp_path / "l", tmp_path / "notes", index=index)
    is_done.set()
    for thread in threads:
        thread.join()

    assert problems == []
    assert (report.added, report.unchanged) == (300, 1)
    assert len(urls(tmp_path / "l", "otter", index=index, limit=400)) == 301


@pytest.mark.parametrize("index", INDEXES)
def test_a_library_that_is_just_being_made_is_empty_for_others(tmp_path: Path, index: str) -> None:
    connect(tmp_path / "l", writes=True).close()
    libraries = OpenLibraries()

    with libraries.borrowed({"path": str(tmp_path / "l")}) as library:
        before = (library.search("otters"), library.collections())
    add(tmp_path / "l", write(tmp_path / "notes", {"otter.md": OTTER}), index=index)
    with libraries.borrowed({"path": str(tmp_path / "l")}) as library:
        after = [hit.document.path for hit in library.search("otters")]

    assert (before, after) == (([], []), ["otter.md"])
